import ESCPOS
import Testing
import TextRaster

/// The character generator: exact cells, crisp and distinct glyphs, nothing left blank in silence.
@Suite("Glyphs") struct GlyphTests {
  static let cells = [
    CellSize(width: 12, height: 24), CellSize(width: 9, height: 17), CellSize(width: 24, height: 24),
  ]
  let raster = PangoRaster()

  @Test("every glyph fills exactly its cell", arguments: cells, [false, true])
  func size(cell: CellSize, bold: Bool) {
    let sample = "实收金额円様あア한글飯☃😀\u{301}\u{E000}\u{0}\u{FFFF}"
    let scalars = (0...0xFF).compactMap(Unicode.Scalar.init) + Array(sample.unicodeScalars)
    for scalar in scalars {
      let glyph = raster.glyph(scalar, cell: cell, bold: bold)
      #expect(
        glyph.width == cell.width && glyph.height == cell.height, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test("no two printable ASCII characters look alike", arguments: cells, [false, true])
  func distinct(cell: CellSize, bold: Bool) {
    var seen: [[UInt8]: Unicode.Scalar] = [:]
    for scalar in (0x20...0x7E).compactMap(Unicode.Scalar.init) {
      let rows = raster.glyph(scalar, cell: cell, bold: bold).rows
      #expect(seen.updateValue(scalar, forKey: rows) == nil, "\(scalar)")
    }
  }

  @Test("a space is white, a character in no font is a box, and so is a control")
  func blankAndMissing() {
    let cell = CellSize(width: 12, height: 24)
    #expect(raster.glyph(" ", cell: cell, bold: false).blackDots == 0)
    #expect(raster.glyph("\u{AD}", cell: cell, bold: false) == raster.glyph("-", cell: cell, bold: false))
    let missing = raster.glyph("\u{E000}", cell: cell, bold: false)
    #expect(missing.blackDots > 20)
    #expect(raster.glyph("\u{1B}", cell: cell, bold: false) == missing)
    #expect(raster.glyph("A", cell: cell, bold: false) != missing)
  }
}

extension DotImage {
  /// How many dots are black.
  var blackDots: Int { rows.reduce(0) { $0 + $1.nonzeroBitCount } }
}
