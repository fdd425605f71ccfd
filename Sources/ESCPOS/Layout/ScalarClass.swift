/// Which scalars stand alone, vanish, or may not begin or end a line.
enum ScalarClass {
  /// Whether a scalar is a grapheme cluster of its own beside any other that stands alone.
  ///
  /// Text of such scalars alone needs no segmentation; it is most text in Latin, Greek, Cyrillic and East
  /// Asian script.
  static func standsAlone(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x300, 0x370...0x482, 0x48A...0x52F, 0x1E00...0x200B, 0x200E...0x20CF, 0x2100...0x2BFF,
      0x2E80...0x3029, 0x3030...0x3098, 0x309B...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF01...0xFF9F, 0xFFA1...0xFFEF, 0x20000...0x323AF:
      true
    default: false
    }
  }

  /// Controls that are taken out of text and told: C0, DEL, C1, and the embeddings, overrides and isolates
  /// that
  /// turn the order of other text around.
  static func isControl(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Scalars without a look of their own, left out where text is printed natively.
  static func isIgnorable(_ scalar: UInt32) -> Bool {
    guard scalar == 0xAD || scalar > 0x300, CellWidth(scalar) == .none else { return false }
    return Unicode.Scalar(scalar)?.properties.isDefaultIgnorableCodePoint == true
      || (0xFFF9...0xFFFB).contains(scalar)
  }

  /// The columns of a grapheme cluster: two for emoji sequences and flags, else what its letters take, at
  /// most two.
  static func clusterWidth(_ scalars: [UInt32]) -> Int {
    let isEmoji = scalars.contains(0xFE0F) || scalars.contains { (0x1F1E6...0x1F1FF).contains($0) }
    if isEmoji { return 2 }
    let sum = scalars.reduce(0) { sum, scalar in
      switch CellWidth(scalar) {
      case .none: sum
      case .one, .symbol: sum + 1
      case .two: sum + 2
      }
    }
    return min(max(sum, 1), 2)
  }

  /// Whether a line may end between `last` (with `before` in front of it) and `scalar`.
  static func mayBreak(before scalar: UInt32, after last: UInt32, and before: UInt32) -> Bool {
    if last == 0x20 { return scalar != 0x20 }
    if last == 0xA0 || scalar == 0xA0 { return false }
    if last == 0x2D, scalar >= 0x41, before >= 0x41 { return true }
    guard isIdeographic(scalar) || isIdeographic(last) else { return false }
    return !closes(scalar) && !opens(last)
  }

  private static func isIdeographic(_ scalar: UInt32) -> Bool {
    scalar >= 0x2E80 && CellWidth(scalar) == .two
  }

  /// Punctuation that must not begin a line, small kana and the like.
  private static func closes(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x3400...0x9FFF: false
    case 0x21, 0x25, 0x29, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x5D, 0x7D, 0x2019, 0x201D, 0x2025, 0x2026, 0x2103,
      0x3001, 0x3002, 0x3005, 0x3009, 0x300B, 0x300D, 0x300F, 0x3011, 0x3015, 0x3017, 0x3019, 0x301B,
      0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x308E, 0x309B...0x309E,
      0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5, 0x30E7, 0x30EE, 0x30F5, 0x30F6,
      0x30FB...0x30FE, 0xFF01, 0xFF05, 0xFF09, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF3D, 0xFF5D,
      0xFF5E, 0xFF60:
      true
    default: false
    }
  }

  /// Punctuation and currency signs that must not end a line.
  private static func opens(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x24, 0x28, 0x5B, 0x7B, 0xA3, 0xA5, 0x2018, 0x201C, 0x20AC, 0x3008, 0x300A, 0x300C, 0x300E, 0x3010,
      0x3014, 0x3016, 0x3018, 0x301A, 0xFF04, 0xFF08, 0xFF3B, 0xFF5B, 0xFFE1, 0xFFE5:
      true
    default: false
    }
  }
}
