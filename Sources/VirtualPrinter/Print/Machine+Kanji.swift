import ESCPOS

extension Machine {
  enum Decoded {
    case more
    case character(Unicode.Scalar)
    /// The first byte stands for itself.
    case none
  }

  /// Reads a double-byte character, by the encoding of the profile.
  mutating func decodeKanji(_ bytes: [UInt8]) -> Decoded {
    guard let kanji = profile.kanji, let length = length(of: bytes, kanji) else { return .none }
    guard bytes.count >= length else { return .more }
    let code = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if let known = kanjiCache[code] { return .character(known) }
    let isJIS = kanji.encoding == .shiftJIS && bytes[0] < 0x80
    let converted =
      isJIS ? jisConverter?.scalar(bytes.map { $0 | 0x80 }) : kanjiConverter?.scalar(bytes)
    let character = converted ?? CodePageTable.undefined
    if kanjiCache.count >= 30_000 { kanjiCache.removeAll() }
    kanjiCache[code] = character
    return .character(character)
  }

  /// How long the character is that begins with these bytes, as far as they tell; nil for a single byte.
  private func length(of bytes: [UInt8], _ kanji: PrinterProfile.Kanji) -> Int? {
    let first = bytes[0]
    let second = bytes.count > 1 ? bytes[1] : nil
    switch kanji.encoding {
    case .gb18030:
      guard (0x81...0xFE).contains(first) else { return nil }
      guard let second else { return 2 }
      if (0x30...0x39).contains(second), kanji.maximumBytes >= 4 {
        if bytes.count > 2, !(0x81...0xFE).contains(bytes[2]) { return nil }
        if bytes.count > 3, !(0x30...0x39).contains(bytes[3]) { return nil }
        return 4
      }
      return (0x40...0xFE).contains(second) && second != 0x7F ? 2 : nil
    case .shiftJIS:
      if modes.codeSystem == 0, kanji.codeSystem != 1, (0x21...0x7E).contains(first) {
        return second.map { (0x21...0x7E).contains($0) } ?? true ? 2 : nil
      }
      guard (0x81...0x9F).contains(first) || (0xE0...0xFC).contains(first) else { return nil }
      return second.map { (0x40...0xFC).contains($0) && $0 != 0x7F } ?? true ? 2 : nil
    case .big5:
      guard (0x81...0xFE).contains(first) else { return nil }
      return second.map { (0x40...0x7E).contains($0) || (0xA1...0xFE).contains($0) } ?? true ? 2 : nil
    case .eucKR:
      guard (0xA1...0xFE).contains(first) else { return nil }
      return second.map { (0xA1...0xFE).contains($0) } ?? true ? 2 : nil
    }
  }
}
