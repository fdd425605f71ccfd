public import ESCPOS

/// The character generator of a printer that does not exist: one glyph in one cell.
///
/// `VirtualPrinter` draws the paper with it.
public protocol GlyphSource: Sendable {
  /// The dots of `character` in a cell of exactly `cell`, at size 1, upright; a visible box when no font has it.
  func glyph(_ character: Unicode.Scalar, cell: CellSize, bold: Bool) -> DotImage
}
