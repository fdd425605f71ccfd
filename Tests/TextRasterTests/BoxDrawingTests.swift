import ESCPOS
import Testing
import TextRaster

/// Lines and blocks that join from cell to cell.
@Suite("Box drawing") struct BoxDrawingTests {
  static let cells = [
    CellSize(width: 12, height: 24), CellSize(width: 9, height: 17), CellSize(width: 24, height: 24),
  ]
  let raster = PangoRaster()

  /// The dots along one edge of a glyph.
  func edge(_ character: Unicode.Scalar, _ cell: CellSize, _ side: String) -> [Bool] {
    let glyph = raster.glyph(character, cell: cell, bold: false)
    return switch side {
    case "LEFT": (0..<cell.height).map { glyph[0, $0] }
    case "RIGHT": (0..<cell.height).map { glyph[cell.width - 1, $0] }
    case "UP": (0..<cell.width).map { glyph[$0, 0] }
    default: (0..<cell.width).map { glyph[$0, cell.height - 1] }
    }
  }

  @Test("an arm meets the arm of the next cell dot for dot", arguments: cells)
  func joins(cell: CellSize) {
    for (left, right) in ["─┤", "═╣", "━┫", "├─", "╠═", "╭─", "─╮", "╒╕", "┍━", "╼━"].map({
      (Array($0.unicodeScalars)[0], Array($0.unicodeScalars)[1])
    }) {
      #expect(edge(left, cell, "RIGHT") == edge(right, cell, "LEFT"), "\(left)\(right)")
      #expect(edge(left, cell, "RIGHT").contains(true))
    }
    for (top, bottom) in ["│┴", "║╩", "┃┻", "┬│", "╦║", "╭│", "│╯", "╓╙", "╽┃"].map({
      (Array($0.unicodeScalars)[0], Array($0.unicodeScalars)[1])
    }) {
      #expect(edge(top, cell, "DOWN") == edge(bottom, cell, "UP"), "\(top)\(bottom)")
      #expect(edge(top, cell, "DOWN").contains(true))
    }
  }

  @Test("a character reaches just the edges that its name tells", arguments: cells)
  func names(cell: CellSize) throws {
    for value in UInt32(0x2500)...0x257F
    where !(0x2504...0x250B).contains(value) && !(0x254C...0x254F).contains(value) {
      let character = try #require(Unicode.Scalar(value))
      let words = (character.properties.name ?? "").split(separator: " ")
      guard !words.contains("DIAGONAL") else { continue }
      for side in ["LEFT", "RIGHT", "UP", "DOWN"] {
        let axis = side == "LEFT" || side == "RIGHT" ? "HORIZONTAL" : "VERTICAL"
        let isTold = words.contains { $0 == side || $0 == axis }
        #expect(edge(character, cell, side).contains(true) == isTold, "\(character) \(side)")
      }
    }
  }

  @Test("all lines and blocks differ", arguments: cells.prefix(1))
  func distinct(cell: CellSize) throws {
    var seen: Set<[UInt8]> = []
    for value in UInt32(0x2500)...0x259F {
      let character = try #require(Unicode.Scalar(value))
      let glyph = raster.glyph(character, cell: cell, bold: false)
      #expect(glyph.blackDots > 0 && seen.insert(glyph.rows).inserted, "\(character)")
    }
  }

  @Test("the inside of a double corner is open")
  func doubleCorner() {
    let corner = raster.glyph("╔", cell: CellSize(width: 12, height: 24), bold: false)
    // From the middle outwards: the outer line, the gap, the inner line, and nothing in the angle between them.
    let lines = (0..<24).filter { corner[11, $0] }
    let columns = (0..<12).filter { corner[$0, 23] }
    #expect(
      lines.count == 2 && columns.count == 2 && lines[1] - lines[0] == 2 && columns[1] - columns[0] == 2)
    #expect(corner[columns[0], lines[0]] && corner[columns[1], lines[1]])
    #expect(!corner[columns[0] + 1, lines[1]] && !corner[columns[1], lines[0] + 1])
    #expect(corner.blackDots == (12 - columns[0]) + (12 - columns[1]) + (23 - lines[0]) + (23 - lines[1]))
  }

  @Test("halves and quarters of a block make the whole")
  func blocks() {
    let cell = CellSize(width: 12, height: 24)
    func dots(_ character: Unicode.Scalar) -> Int {
      raster.glyph(character, cell: cell, bold: false).blackDots
    }
    #expect(dots("█") == 288)
    #expect(dots("▀") + dots("▄") == 288 && dots("▌") + dots("▐") == 288)
    #expect(dots("▘") + dots("▝") + dots("▖") + dots("▗") == 288)
    #expect(dots("▙") + dots("▝") == 288 && dots("▟") + dots("▘") == 288 && dots("▛") + dots("▗") == 288)
    #expect(dots("░") < dots("▒") && dots("▒") < dots("▓"))
    #expect(dots("▁") == 36 && dots("▏") < dots("▎"))
  }
}
