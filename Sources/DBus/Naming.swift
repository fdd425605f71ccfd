/// The rules for names (D-Bus Specification, "Valid Object Paths" and "Valid Names"). libdbus ends the process when it is
/// given a bad one, so nothing reaches it that was not found good here.
enum Naming {
  /// The longest bus name, interface, member, error name and signature.
  static let longest = 255

  static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }

  static func isPath(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: "/") else { return false }
    if text.utf8.count == 1 { return true }
    return text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetter($0) || isDigit($0) } }
  }

  static func isInterface(_ text: String) -> Bool { isDotted(text) { isLetter($0) } }

  static func isErrorName(_ text: String) -> Bool { isInterface(text) }

  static func isMember(_ text: String) -> Bool {
    guard text.utf8.count <= longest, let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }

  static func isBusName(_ text: String) -> Bool {
    let hyphen = UInt8(ascii: "-")
    if text.utf8.first == UInt8(ascii: ":") {
      return text.utf8.count <= longest
        && text.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
          .allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen } }
    }
    return isDotted(text) { isLetter($0) || $0 == hyphen }
  }

  /// Two or more elements with dots between them; digits may follow the first character of each.
  private static func isDotted(_ text: String, _ isFirst: (UInt8) -> Bool) -> Bool {
    guard text.utf8.count <= longest else { return false }
    let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return elements.count >= 2
      && elements.allSatisfy { element in
        guard let first = element.first, isFirst(first) else { return false }
        return element.allSatisfy { isFirst($0) || isDigit($0) }
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
