public import ESCPOS

extension PangoRaster {
  /// The dots of one character; see ``GlyphSource``.
  public func glyph(_ character: Unicode.Scalar, cell: CellSize, bold: Bool) -> DotImage {
    guard (1...512).contains(cell.width), (1...512).contains(cell.height) else {
      return DotImage(width: max(0, min(cell.width, 512)), height: max(0, min(cell.height, 512)))
    }
    if let drawn = boxDrawing(character, cell: cell) { return drawn }
    // In a code page the soft hyphen is a character like any other, and printers print it.
    if character == "\u{AD}" { return glyph("-", cell: cell, bold: bold) }
    switch character.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .format:
      return DotImage(width: cell.width, height: cell.height)
    case .control, .unassigned, .surrogate:
      return Self.missing(cell)
    default: break
    }
    let key = GlyphCache.Key(character: character, cell: cell, bold: bold)
    do {
      return try typeset { typesetter, fonts throws(RenderError) in
        if let glyph = fonts.glyphs.glyph(key) { return glyph }
        let glyph = draw(key, typesetter, &fonts)
        fonts.glyphs.keep(glyph, for: key)
        return glyph
      }
    } catch {
      return Self.missing(cell)
    }
  }

  private func draw(_ key: GlyphCache.Key, _ typesetter: Typesetter, _ fonts: inout Fonts) -> DotImage {
    let cell = key.cell
    let font = cellFont(cell, bold: key.bold, typesetter, &fonts)
    let square = cell.width * 4 >= cell.height * 3
    var setting = Typesetter.Setting(
      families: square ? families.wide : families.text, size: square ? font.squareSize : font.size,
      bold: key.bold)
    var line = typesetter.line(String(key.character), setting)
    if line.lacksGlyphs { return Self.missing(cell) }
    // Too big for the cell, as glyphs of other fonts may be: smaller, and narrower, until it fits.
    let height = line.ink.bottom - line.ink.top
    let width = line.ink.right - line.ink.left
    if height > Double(cell.height) || width > Double(cell.width) {
      let scale = min(1, Double(cell.height) / height)
      setting.size *= scale
      setting.stretch = min(1, Double(cell.width) / (width * scale))
      line = typesetter.line(String(key.character), setting)
    }
    let place = Self.place(
      line, cell: cell, baseline: square ? (Double(cell.height) * 0.86).rounded() : font.baseline)
    return dots(of: line, text: String(key.character), width: cell.width, height: cell.height, place)
  }

  /// Where the pen starts so that the advance stands in the middle and no dot falls outside the cell.
  private static func place(
    _ line: TypesetLine, cell: CellSize, baseline: Double
  ) -> (x: Double, baseline: Double) {
    func inside(_ start: Double, low: Double, high: Double, limit: Double) -> Double {
      if start + low < 0 { return -low }
      if start + high > limit { return limit - high }
      return start
    }
    let middle = ((Double(cell.width) - line.advance) / 2).rounded(.down)
    return (
      inside(middle, low: line.ink.left, high: line.ink.right, limit: Double(cell.width)).rounded(),
      inside(baseline, low: line.ink.top, high: line.ink.bottom, limit: Double(cell.height)).rounded()
    )
  }

  /// A line as dots: plain glyphs black or white, those of colour fonts in a pattern.
  func dots(
    of line: TypesetLine, text: String, width: Int, height: Int, _ place: (x: Double, baseline: Double)
  ) -> DotImage {
    let all = line.draw(width: width, height: height, x: place.x, baseline: place.baseline, text: true)
    var dots = DotImage(darkerThanMiddle: all)
    if text.unicodeScalars.contains(where: Script.isPicture) {
      dots.lay(line.draw(width: width, height: height, x: place.x, baseline: place.baseline, text: false))
    }
    return dots
  }

  /// The size and baseline for a cell, measured once.
  func cellFont(_ cell: CellSize, bold: Bool, _ typesetter: Typesetter, _ fonts: inout Fonts) -> CellFont {
    let key = CellFont.Key(cell: cell, bold: bold)
    if let font = fonts.cellFonts[key] { return font }
    if fonts.cellFonts.count >= 256 { fonts.cellFonts = [:] }
    let font = CellFont(cell: cell, bold: bold, families: families, typesetter: typesetter)
    fonts.cellFonts[key] = font
    return font
  }

  /// The mark of a character that no font has: a hollow box.
  static func missing(_ cell: CellSize) -> DotImage {
    var box = DotImage(width: cell.width, height: cell.height)
    let inset = cell.width > 4 ? 1 : 0
    let (left, right) = (inset, cell.width - 1 - inset)
    let (top, bottom) = (cell.height / 8, cell.height - 1 - cell.height / 8)
    for x in left...max(left, right) {
      box[x, top] = true
      box[x, bottom] = true
    }
    for y in top...max(top, bottom) {
      box[left, y] = true
      box[right, y] = true
    }
    return box
  }
}
