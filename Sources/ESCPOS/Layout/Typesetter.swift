/// Turns text from outside into cells: cleaned of controls, kept together in grapheme clusters, each with
/// its width
/// on this printer and the way it is printed.
struct Typesetter: Sendable {
  /// The characters that the printer has.
  let repertoire: Repertoire
  /// Whether what it has not can be drawn as dots; else a visible mark stands for it.
  let draws: Bool

  /// What stands for a character that can neither be printed nor drawn.
  static let mark: UInt32 = 0x3F

  /// Appends the cells of `text` to `cells`.
  ///
  /// Control characters never come through: tabs become spaces, line and paragraph separators line ends, all
  /// others
  /// are taken out and named in `losses`.
  func typeset(_ text: String, into cells: inout [LayoutCell], losses: inout Losses) -> TextTraits {
    if let plain = text.utf8.withContiguousStorageIfAvailable({ Self.appendPlain($0, to: &cells) }), plain {
      return []
    }
    var setting = TextSetting(typesetter: self, cells: cells, losses: losses)
    cells.removeAll()
    setting.append(text)
    swap(&cells, &setting.cells)
    losses = setting.losses
    return setting.traits
  }

  /// Appends printable ASCII; false, with nothing appended, when there is anything else.
  private static func appendPlain(_ text: UnsafeBufferPointer<UInt8>, to cells: inout [LayoutCell]) -> Bool {
    let count = cells.count
    var before: UInt8 = 0
    var last: UInt8 = 0
    for byte in text {
      guard byte >= 0x20, byte < 0x7F else {
        cells.removeLast(cells.count - count)
        return false
      }
      if byte == 0x20 {
        cells.append(.blank)
      } else {
        let breaks = last == 0x20 || (last == 0x2D && isLetter(before) && isLetter(byte))
        cells.append(LayoutCell(UInt32(byte), width: 1, flags: breaks ? LayoutCell.breakBefore : 0))
      }
      before = last
      last = byte
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// The cell of a scalar that the printer has itself, or nil.
  ///
  /// - Parameter ideographic: Whether the text is, so that symbols which are both narrow and wide are wide.
  func native(_ scalar: UInt32, ideographic: Bool) -> LayoutCell? {
    if scalar < 0x80 { return LayoutCell(scalar, width: 1) }
    let width = CellWidth(scalar)
    if width == .none { return nil }
    if width == .two || (width == .symbol && ideographic) {
      if repertoire.kanjiCode(scalar) != 0 { return LayoutCell(scalar, width: 2, flags: LayoutCell.kanji) }
      if width == .two { return nil }
    }
    if repertoire.pageSet(scalar) != 0 { return LayoutCell(scalar, width: 1) }
    // The printer's only glyph is the double-byte one, and that takes two columns.
    if repertoire.kanjiCode(scalar) != 0 { return LayoutCell(scalar, width: 2, flags: LayoutCell.kanji) }
    return nil
  }

  /// The character that looks the same or nearly so, for those that printers rarely have.
  static func lookAlike(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2BC: 0x27
    case 0x201C, 0x201D, 0x201E, 0x201F, 0x2033: 0x22
    case 0x2010...0x2015, 0x2212, 0x2043: 0x2D
    case 0x2044, 0x2215: 0x2F
    case 0x2022, 0x2219, 0x22C5: 0xB7
    case 0x2126: 0x3A9
    case 0x212A: 0x4B
    case 0x212B: 0xC5
    case 0xB5: 0x3BC
    case 0x3BC: 0xB5
    default: nil
    }
  }
}

/// What was taken out of a block's text or replaced in it, to be told once per block.
struct Losses {
  /// Control characters that were taken out.
  private(set) var removed: [UInt32] = []
  /// Characters for which a mark was printed.
  private(set) var replaced: [UInt32] = []

  mutating func remove(_ scalar: UInt32) {
    if removed.count < 8, !removed.contains(scalar) { removed.append(scalar) }
  }

  mutating func replace(_ scalar: UInt32) {
    if replaced.count < 8, !replaced.contains(scalar) { replaced.append(scalar) }
  }
}
