import ESCPOS

extension JSONSyntax {
  /// Passes over white space, and over comments in JSON5.
  mutating func skipSpace() throws(DocumentFault) {
    while let byte = next {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: place += 1
      case 0x0B,
        0x0C where json5:
        place += 1
      case UInt8(ascii: "/") where json5: try comment()
      default: return
      }
    }
  }

  private mutating func comment() throws(DocumentFault) {
    let start = place
    place += 1
    if take("/") {
      while let byte = next, byte != 0x0A, byte != 0x0D { place += 1 }
    } else if take("*") {
      while true {
        guard next != nil else { throw fault("the comment has no end", at: start) }
        if take("*") {
          if take("/") { return }
        } else {
          place += 1
        }
      }
    } else {
      throw fault("expected a value", at: start)
    }
  }

  /// Passes over a string with its quotes.
  mutating func string() throws(DocumentFault) {
    let start = place
    let quote = bytes[place]
    place += 1
    while let byte = next {
      switch byte {
      case quote:
        place += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case 0x0A, 0x0D: throw fault("the string has no end on its line", at: start)
      case 0..<0x20:
        throw fault("a control character in a string is written as \\u00\(hexadecimal(byte))")
      default: place += 1
      }
    }
    throw fault("the string has no end", at: start)
  }

  private mutating func escape() throws(DocumentFault) {
    let start = place
    place += 1
    guard let letter = next else { return }
    place += 1
    switch letter {
    case UInt8(ascii: "u"):
      guard let unit = codeUnit() else {
        throw fault("expected four hexadecimal digits after \\u", at: start)
      }
      switch unit {
      case 0xD800...0xDBFF:
        guard take("\\"), take("u"), let low = codeUnit(), (0xDC00...0xDFFF).contains(low) else {
          throw fault("half of a surrogate pair", at: start)
        }
      case 0xDC00...0xDFFF: throw fault("half of a surrogate pair", at: start)
      default: break
      }
    case _ where "\"\\/bfnrt".utf8.contains(letter): break
    case UInt8(ascii: "x") where json5:
      guard hexDigits(2) != nil else { throw fault("expected two hexadecimal digits after \\x", at: start) }
    case 0x0D where json5: _ = take("\n")
    case _ where json5 && !(0x31...0x39).contains(letter): break
    default: throw fault("unknown escape in a string", at: start)
    }
  }

  private mutating func codeUnit() -> Int? { hexDigits(4) }

  private mutating func hexDigits(_ count: Int) -> Int? {
    var unit = 0
    for _ in 0..<count {
      guard let byte = next, let digit = hexDigit(byte) else { return nil }
      unit = unit << 4 | digit
      place += 1
    }
    return unit
  }

  func hexDigit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte - 0x30)
    case 0x41...0x46: Int(byte - 0x41 + 10)
    case 0x61...0x66: Int(byte - 0x61 + 10)
    default: nil
    }
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// The offset of the first byte that breaks UTF-8, or nil.
  var firstByteThatIsNotUTF8: Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var place = 0
    while place < bytes.count {
      let length =
        switch bytes[place] {
        case 0..<0x80: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        default: 4
        }
      let end = min(place + length, bytes.count)
      if String(validating: bytes[place..<end], as: UTF8.self) == nil { return place }
      place = end
    }
    return 0
  }

  /// A fault at a place, with its line and its column counted in characters.
  func fault(_ message: String, at offset: Int? = nil) -> DocumentFault {
    let offset = min(offset ?? place, bytes.count)
    let before = bytes[..<offset]
    let line = before.count { $0 == 0x0A } + 1
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1
    let end = offset == bytes.count ? " (the document ends here)" : ""
    return DocumentFault(path: "", message: "line \(line), column \(column): \(message)\(end)")
  }
}
