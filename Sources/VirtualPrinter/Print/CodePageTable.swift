import Glibc
import Synchronization

/// What the bytes 80–FF mean in a code page, and what double-byte codes mean; from iconv.
enum CodePageTable {
  /// What stands for a byte that its code page does not define.
  static let undefined: Unicode.Scalar = "\u{FFFD}"

  private static let tables = Mutex<[String: [Unicode.Scalar]]>([:])

  /// The 128 upper characters of an encoding; nil when iconv does not know it.
  static func upperHalf(of encoding: String) -> [Unicode.Scalar]? {
    if let table = tables.withLock({ $0[encoding] }) { return table }
    guard let table = build(encoding) else { return nil }
    tables.withLock { $0[encoding] = table }
    return table
  }

  private static func build(_ encoding: String) -> [Unicode.Scalar]? {
    guard encoding != "KATAKANA" else {
      // JIS X 0201: A1–DF are half-width katakana, the rest of the half is not defined.
      return (UInt32(0x80)...0xFF).map { byte in
        (0xA1...0xDF).contains(byte) ? Unicode.Scalar(0xFF61 + byte - 0xA1) ?? undefined : undefined
      }
    }
    guard let converter = Converter(encoding) else { return nil }
    return (0x80...0xFF).map { byte in
      // The control characters that ISO 8859 has at 80–9F are nothing that can be printed.
      converter.scalar([UInt8(byte)]).flatMap { $0.value < 0xA0 ? nil : $0 } ?? undefined
    }
  }

  /// One open conversion to UTF-32.
  final class Converter {
    private let handle: iconv_t

    init?(_ encoding: String) {
      handle = iconv_open("UTF-32LE", encoding)
      guard Int(bitPattern: handle) != -1 else { return nil }
    }

    deinit { iconv_close(handle) }

    /// The one character that `code` stands for, or nil.
    func scalar(_ code: [UInt8]) -> Unicode.Scalar? {
      var input = code.map { CChar(bitPattern: $0) }
      var output = [CChar](repeating: 0, count: 16)
      let written = input.withUnsafeMutableBufferPointer { from -> Int? in
        output.withUnsafeMutableBufferPointer { to -> Int? in
          var (read, write) = (from.baseAddress, to.baseAddress)
          var (left, room) = (from.count, to.count)
          let failed = iconv(handle, &read, &left, &write, &room) == -1
          // The second call writes what iconv holds back for a combining mark, and starts afresh.
          _ = iconv(handle, nil, nil, &write, &room)
          return failed || left > 0 ? nil : to.count - room
        }
      }
      guard written == 4 else { return nil }
      let bytes = output.map { UInt8(bitPattern: $0) }
      let value = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
      return Unicode.Scalar(value)
    }
  }
}
