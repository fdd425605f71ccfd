/// Signatures (D-Bus Specification, "Valid Signatures").
enum Signature {
  /// How deep arrays, and structures, may be nested in one signature.
  static let deepest = 32

  /// The complete types of a signature, `["a{sv}", "u"]`, or nil when it is malformed.
  static func types(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    guard bytes.count <= Naming.longest else { return nil }
    var types: [String] = []
    var place = 0
    while place < bytes.count {
      let start = place
      guard skipType(bytes, &place, arrays: 0, structures: 0) else { return nil }
      types.append(String(decoding: bytes[start..<place], as: UTF8.self))
    }
    return types
  }

  /// Whether the text is exactly one complete type.
  static func isSingle(_ text: String) -> Bool { types(text)?.count == 1 }

  /// Whether the text is a type that a dictionary's key may have.
  static func isBasic(_ text: String) -> Bool {
    guard let byte = text.utf8.first, text.utf8.count == 1 else { return false }
    return isBasic(byte)
  }

  private static func isBasic(_ byte: UInt8) -> Bool { "ybnqiuxtdsogh".utf8.contains(byte) }

  private static func skipType(_ bytes: [UInt8], _ place: inout Int, arrays: Int, structures: Int) -> Bool {
    guard place < bytes.count else { return false }
    let byte = bytes[place]
    place += 1
    if isBasic(byte) || byte == UInt8(ascii: "v") { return true }
    switch byte {
    case UInt8(ascii: "a"):
      guard arrays < deepest, place < bytes.count else { return false }
      guard bytes[place] == UInt8(ascii: "{") else {
        return skipType(bytes, &place, arrays: arrays + 1, structures: structures)
      }
      // An entry counts as a structure.
      place += 1
      guard structures < deepest, place < bytes.count, isBasic(bytes[place]) else { return false }
      place += 1
      guard skipType(bytes, &place, arrays: arrays + 1, structures: structures + 1) else { return false }
      return close(bytes, &place, UInt8(ascii: "}"))
    case UInt8(ascii: "("):
      guard structures < deepest else { return false }
      repeat {
        guard skipType(bytes, &place, arrays: arrays, structures: structures + 1) else { return false }
      } while place < bytes.count && bytes[place] != UInt8(ascii: ")")
      return close(bytes, &place, UInt8(ascii: ")"))
    default:
      return false
    }
  }

  private static func close(_ bytes: [UInt8], _ place: inout Int, _ bracket: UInt8) -> Bool {
    guard place < bytes.count, bytes[place] == bracket else { return false }
    place += 1
    return true
  }
}
