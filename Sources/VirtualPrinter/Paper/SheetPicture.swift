public import ESCPOS
public import TextRaster

/// Sheets as they would lie on a table: the paper with its edges, and beside it the marks in the margin.
public struct SheetPicture: Sendable {
  private let glyphs: any GlyphSource
  private let cell = CellSize(width: 9, height: 17)
  /// Dots between the edge of the paper and the dots that the head can reach: 4 mm.
  private let bezel = 32
  /// Dots of table around the paper.
  private let table = 20

  /// Creates a picture maker; `glyphs` draws the words of the marks.
  public init(glyphs: any GlyphSource) { self.glyphs = glyphs }

  /// The sheets below each other as a PNG, black on white.
  ///
  /// - Parameters:
  ///   - sheets: What to show; sheets without dots are left out.
  ///   - scale: Pixels a dot, 1 through 16.
  /// - Throws: ``RenderError`` when there is nothing to show or the picture is too big.
  public func png(_ sheets: [Sheet], scale: Int = 1) throws(RenderError) -> [UInt8] {
    try PaperPicture.png(of: image(sheets), scale: scale)
  }

  /// The sheets below each other.
  ///
  /// - Throws: ``RenderError`` when none of them has dots.
  public func image(_ sheets: [Sheet]) throws(RenderError) -> DotImage {
    let drawn = sheets.compactMap { sheet in sheet.dots.map { (sheet, $0) } }
    guard let first = drawn.first else {
      throw RenderError(.image, "there is no drawn paper; the printer keeps text only or has printed nothing")
    }
    let width = drawn.map { $0.0.width }.max() ?? first.0.width
    let paper = width + 2 * bezel
    let margin = marginWidth(drawn.map(\.0))
    let height = drawn.reduce(0) { $0 + $1.0.height + 2 * edge } + table * (drawn.count + 1)
    var image = DotImage(width: table + paper + margin, height: height)
    shade(&image)
    var y = table
    for (sheet, dots) in drawn {
      lay(sheet, dots, on: &image, paper: paper, y: y)
      y += sheet.height + 2 * edge + table
    }
    return image
  }

  /// Dots of paper beyond the cut that carry its teeth.
  private var edge: Int { 8 }

  private func marginWidth(_ sheets: [Sheet]) -> Int {
    let longest = sheets.flatMap(\.marks).map { $0.words.unicodeScalars.count }.max() ?? 0
    return max(table, longest == 0 ? 0 : (longest + 6) * cell.width)
  }

  /// A table of scattered dots, so that white paper stands out.
  private func shade(_ image: inout DotImage) {
    for y in stride(from: 0, to: image.height, by: 4) {
      for x in stride(from: y % 8 == 0 ? 0 : 4, to: image.width, by: 8) { image[x, y] = true }
    }
  }

  private func lay(_ sheet: Sheet, _ dots: DotImage, on image: inout DotImage, paper: Int, y: Int) {
    let height = sheet.height + 2 * edge
    let left = table
    let isToothed = (top: true, bottom: sheet.cut != .cut(.full))
    for row in 0..<height {
      // The teeth of the tear bar; a full cut leaves a straight edge.
      let distance = min(row, height - 1 - row)
      let hasTeeth = distance < edge && (row < edge ? isToothed.top : isToothed.bottom)
      for x in 0..<paper {
        let tooth = hasTeeth ? abs(x % (2 * edge) - edge) : 0
        guard distance >= tooth else { continue }
        let isOutline = distance < tooth + 2 && distance < edge || x == 0 || x == paper - 1
        image[left + x, y + row] = isOutline
      }
    }
    image.draw(dots, x: left + bezel, y: y + edge)
    for entry in sheet.entries {
      guard case .mark(let mark) = entry.content else { continue }
      draw(mark, on: &image, x: left + paper, y: y + edge + entry.y, offset: offset(of: entry, in: sheet))
    }
  }

  /// Marks at the same place stand below each other.
  private func offset(of entry: Sheet.Entry, in sheet: Sheet) -> Int {
    let same = sheet.entries.filter { $0.isMark && $0.y == entry.y }
    let index = same.firstIndex { $0.content == entry.content } ?? 0
    return (index - same.count + 1) * (cell.height + 2)
  }

  /// A dash at the paper's edge and the words on a white ground.
  private func draw(_ mark: Sheet.Mark, on image: inout DotImage, x: Int, y: Int, offset: Int) {
    let top = max(0, y - cell.height / 2 + offset)
    let words = "◂ \(mark.words)"
    let width = words.unicodeScalars.count * cell.width
    for row in top - 1..<top + cell.height + 1 {
      for column in x + 2..<x + 8 + width { image[column, row] = false }
    }
    var place = x + 5
    for character in words.unicodeScalars {
      image.draw(glyphs.glyph(character, cell: cell, bold: false), x: place, y: top)
      place += cell.width
    }
  }
}
