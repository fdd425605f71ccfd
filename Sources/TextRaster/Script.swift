/// What a character's script asks of the typesetter.
enum Script {
  /// Scripts whose letters join, stack or have widths of their own, so that columns would tear them.
  private static let flowing: [ClosedRange<UInt32>] = [
    0x0600...0x08FF, 0x0900...0x109F, 0x1200...0x139F, 0x1700...0x18AF, 0x1900...0x1CFF, 0xA800...0xA82F,
    0xA840...0xA95F, 0xA980...0xABFF, 0xFB50...0xFDFF, 0xFE70...0xFEFF, 0x10A00...0x11FFF, 0x1E900...0x1EEFF,
  ]

  /// Characters that take two columns: East Asian wide and full-width ones, and pictures (UAX #11, coarsely).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
    0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]

  private static let arabic: [ClosedRange<UInt32>] = [
    0x0600...0x06FF, 0x0750...0x077F, 0x08A0...0x08FF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
  ]

  /// Whether it takes two columns.
  static func isWide(_ scalar: Unicode.Scalar) -> Bool { wide.contains { $0.contains(scalar.value) } }

  /// Whether it belongs to the Arabic script.
  static func isArabic(_ scalar: Unicode.Scalar) -> Bool { arabic.contains { $0.contains(scalar.value) } }

  /// Whether it may come from a colour font.
  static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0xFF && (scalar.properties.isEmoji || scalar.value == 0xFE0F)
  }

  /// Whether the character that starts at `offset` of `text` is of a script that stands in columns.
  static func standsInColumns(_ text: [UInt8], at offset: Int) -> Bool {
    guard offset < text.count,
      let scalar = String(decoding: text[offset..<min(offset + 4, text.count)], as: UTF8.self).unicodeScalars
        .first
    else { return false }
    return !flowing.contains { $0.contains(scalar.value) }
  }
}
