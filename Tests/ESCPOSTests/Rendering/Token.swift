/// One command, or one run of characters, of a job.
struct Token: Equatable {
  /// Where it begins.
  var offset: Int
  /// All its bytes.
  var bytes: ArraySlice<UInt8>
  /// `ESC @`, `text`, `LF`.
  var name: String
  /// The last bytes, behind the head: a payload, or what a command carries.
  var payload: ArraySlice<UInt8>

  /// The parameter at an index of the whole command.
  func byte(_ index: Int) -> Int { Int(bytes[bytes.startIndex + index]) }
  /// Low and high byte at an index of the whole command.
  func pair(_ index: Int) -> Int { byte(index) + byte(index + 1) << 8 }
}

/// A byte that is not what the renderer may send.
struct TokenFault: Error, CustomStringConvertible {
  var offset: Int
  var message: String
  var description: String { "byte \(offset): \(message)" }
}

/// Splits a job strictly: an unknown or cut-off command is a fault.
///
/// It knows what the renderer sends and nothing else, and was written from the notes of the command set, not
/// from
/// the renderer.
struct Tokenizer {
  private static let lengths: [String: (length: Int, name: String)] = [
    "1b3d": (3, "ESC ="), "1b40": (2, "ESC @"), "1b52": (3, "ESC R"), "1b32": (2, "ESC 2"),
    "1c26": (2, "FS &"),
    "1c2e": (2, "FS ."), "1b74": (3, "ESC t"), "1c43": (3, "FS C"), "1c2d": (3, "FS -"), "1b4d": (3, "ESC M"),
    "1b61": (3, "ESC a"), "1d21": (3, "GS !"), "1b45": (3, "ESC E"), "1b2d": (3, "ESC -"),
    "1d42": (3, "GS B"),
    "1d4c": (4, "GS L"), "1d57": (4, "GS W"), "1b64": (3, "ESC d"), "1b70": (5, "ESC p"),
    "1b42": (4, "ESC B"),
    "1d68": (3, "GS h"), "1d77": (3, "GS w"), "1d48": (3, "GS H"), "1b21": (3, "ESC !"),
  ]

  let job: [UInt8]
  private var index = 0

  init(_ job: [UInt8]) { self.job = job }

  static func tokens(_ job: [UInt8]) throws -> [Token] {
    var tokenizer = Tokenizer(job)
    var tokens: [Token] = []
    while let token = try tokenizer.next() { tokens.append(token) }
    return tokens
  }

  private mutating func next() throws -> Token? {
    guard index < job.count else { return nil }
    let byte = job[index]
    switch byte {
    case 0x0A: return try take(1, "LF")
    case 0x07: return try take(1, "BEL")
    case 0x1B, 0x1C, 0x1D: return try command()
    case 0..<0x20, 0x7F: throw TokenFault(offset: index, message: "control byte \(byte) in text")
    default:
      let end = job[index...].firstIndex { $0 < 0x20 || $0 == 0x7F } ?? job.count
      return try take(end - index, "text", head: 0)
    }
  }

  private mutating func command() throws -> Token {
    guard index + 1 < job.count else { throw TokenFault(offset: index, message: "cut off") }
    let code = hex(job[index]) + hex(job[index + 1])
    if let (length, name) = Self.lengths[code] { return try take(length, name) }
    switch code {
    case "1d56":
      let mode = try parameter(2)
      guard [0, 1, 65, 66].contains(mode) else { break }
      return try take(mode < 65 ? 3 : 4, "GS V")
    case "1d6b":
      guard [67, 73].contains(try parameter(2)) else { break }
      return try take(4 + Int(try parameter(3)), "GS k", head: 4)
    case "1d28" where try parameter(2) == 0x6B:
      return try take(5 + Int(try parameter(3)) + Int(try parameter(4)) << 8, "GS ( k", head: 5)
    case "1b28" where try parameter(2) == 0x41:
      return try take(5 + Int(try parameter(3)) + Int(try parameter(4)) << 8, "ESC ( A", head: 5)
    case "1d76" where try parameter(2) == 0x30:
      let width = Int(try parameter(4)) + Int(try parameter(5)) << 8
      let rows = Int(try parameter(6)) + Int(try parameter(7)) << 8
      return try take(8 + width * rows, "GS v 0", head: 8)
    default: break
    }
    throw TokenFault(offset: index, message: "unknown command \(code)")
  }

  private func parameter(_ distance: Int) throws -> UInt8 {
    guard index + distance < job.count else { throw TokenFault(offset: index, message: "cut off") }
    return job[index + distance]
  }

  private mutating func take(_ length: Int, _ name: String, head: Int = 2) throws -> Token {
    guard index + length <= job.count else { throw TokenFault(offset: index, message: "\(name) is cut off") }
    let bytes = job[index..<index + length]
    defer { index += length }
    return Token(offset: index, bytes: bytes, name: name, payload: bytes.dropFirst(head))
  }
}

/// A byte as two hexadecimal digits.
func hex(_ byte: UInt8) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
}
