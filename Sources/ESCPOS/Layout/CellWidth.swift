/// How many cells of a printer's line a scalar takes, by Unicode's East Asian Width (UAX #11).
enum CellWidth: UInt8 {
  /// No cell of its own: combining marks, joiners, controls.
  case none = 0
  /// One cell.
  case one = 1
  /// Two cells: ideographs, kana, Hangul, full-width forms, emoji.
  case two = 2
  /// One cell; two when the text beside it is ideographic and the printer has it as a double-byte symbol.
  ///
  /// These are the symbols and punctuation of ambiguous width. Letters of ambiguous width are ``one``.
  case symbol = 3

  /// The class of any scalar.
  init(_ scalar: UInt32) {
    if scalar < 0x10000 {
      self = CellWidth(rawValue: Self.basicPlane[Int(scalar)]) ?? .one
      return
    }
    var low = 0
    var high = Self.runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Self.runs[middle] >> 2 <= scalar { low = middle } else { high = middle }
    }
    self = CellWidth(rawValue: UInt8(truncatingIfNeeded: Self.runs[low] & 3)) ?? .one
  }

  /// The classes below U+10000, one byte each.
  private static let basicPlane: [UInt8] = {
    var classes = [UInt8](repeating: 1, count: 0x10000)
    for (index, run) in runs.enumerated() {
      let start = Int(run >> 2)
      guard start < classes.count else { break }
      let end = index + 1 < runs.count ? min(Int(runs[index + 1] >> 2), classes.count) : classes.count
      for scalar in start..<end { classes[scalar] = UInt8(run & 3) }
    }
    return classes
  }()
}
