import ESCPOS

/// The size and baseline at which the text font fills a cell.
struct CellFont {
  /// What it depends on.
  struct Key: Hashable {
    var cell: CellSize
    var bold: Bool
  }

  /// Dots to the em for Latin letters, whose advance is then the cell's width.
  let size: Double
  /// Dots to the em for characters that fill a square.
  let squareSize: Double
  /// Rows above the baseline.
  let baseline: Double

  /// Measures the text font for `cell`; the cell is meant at its final size.
  init(cell: CellSize, bold: Bool, families: FontFamilies, typesetter: Typesetter) {
    let measured = 256.0
    let zero = typesetter.line("0", .init(families: families.text, size: measured, bold: bold))
    let width = max(zero.advance, 1) / measured
    let height = max(zero.ascent + zero.descent, 1) / measured
    // A cell may be 3 % lower than the font: only accents on capitals reach that high, and they are shifted.
    let fitting = min(Double(cell.width) / width, Double(cell.height) * 1.03 / height)
    size = fitting < 8 ? fitting : fitting.rounded()
    squareSize = min(Double(cell.height), Double(cell.width) * 2)
    let above = (Double(cell.height) - height * size) / 2
    baseline = (above + zero.ascent / measured * size).rounded()
  }
}
