public import ESCPOS
import Glibc

extension PangoRaster {
  /// Draws one line of text; see ``DotSource``.
  ///
  /// Latin, Greek, Cyrillic, Hebrew and East Asian characters stand in the printer's columns; scripts that join or stack
  /// keep their own widths. Control characters are drawn as spaces. Underline and invert cover the text, not the
  /// rest of the line; inverted text is not underlined, as on a printer.
  public func dots(
    text: String, columns: Int, cell: CellSize, style: Receipt.Style, align: Receipt.Alignment
  ) throws(RenderError) -> DotImage {
    guard (1...512).contains(columns), (4...64).contains(cell.width), (4...64).contains(cell.height),
      (1...8).contains(style.width), (1...8).contains(style.height)
    else { throw RenderError(.text, "text is drawn in 1 to 512 columns of 4 to 64 dots, at sizes 1 to 8") }
    return try draw(
      text, width: columns * cell.width * style.width, cell: cell, style: style, align: align)
  }

  /// Draws one line of text in a width of its own, which need not be whole columns.
  func draw(
    _ text: String, width: Int, cell: CellSize, style: Receipt.Style, align: Receipt.Alignment
  ) throws(RenderError) -> DotImage {
    let text = Self.withoutControls(text)
    let height = cell.height * style.height
    guard width <= 16_384 else { throw RenderError(.text, "a line of \(width) dots is wider than any paper") }
    return try typeset { typesetter, fonts throws(RenderError) in
      let size = CellSize(width: cell.width * style.height, height: height)
      let font = cellFont(size, bold: style.bold, typesetter, &fonts)
      var setting = Typesetter.Setting(
        families: families.text, size: font.size, bold: style.bold,
        stretch: Double(style.width) / Double(style.height), column: Double(size.width))
      setting.spans = spans(text, font)
      let line = try fitted(text, setting, width: width, height: height, typesetter)
      let extent = Extent(line, width: width, align: align)
      let room = Double(height)
      var baseline = font.baseline
      if baseline + line.ink.top < 0 { baseline = -line.ink.top.rounded(.down) }
      if baseline + line.ink.bottom > room { baseline = room - line.ink.bottom.rounded(.up) }
      var image = dots(of: line, text: text, width: width, height: height, (extent.pen, baseline))
      if style.invert {
        image.invert(columns: extent.covered)
      } else if style.underline {
        for y in height - style.height..<height { for x in extent.covered { image[x, y] = true } }
      }
      return image
    }
  }

  /// Where a line starts, and the columns it covers.
  private struct Extent {
    var pen: Double
    var covered: Range<Int>

    init(_ line: TypesetLine, width: Int, align: Receipt.Alignment) {
      let (left, right) = (min(0, line.ink.left), max(line.advance, line.ink.right))
      let start =
        switch align {
        case .left: 0.0
        case .center: ((Double(width) - (right - left)) / 2).rounded(.down)
        case .right: (Double(width) - (right - left)).rounded(.down)
        }
      pen = (start - left).rounded()
      let from = max(0, min(width, Int(start)))
      covered = from..<max(from, min(width, Int((start + right - left).rounded(.up))))
    }
  }

  /// Shapes the text, and makes it narrower and lower until it fits.
  private func fitted(
    _ text: String, _ wanted: Typesetter.Setting, width: Int, height: Int, _ typesetter: Typesetter
  ) throws(RenderError) -> TypesetLine {
    var setting = wanted
    var line = typesetter.line(text, setting)
    if line.lacksGlyphs { throw missing(text, setting, typesetter) }
    for _ in 0..<24 {
      let tall = Double(height) / (line.ink.bottom - line.ink.top)
      // One dot to spare: narrowed outlines are rounded to dots again when they are drawn.
      let broad =
        Double(width - (setting.stretch == wanted.stretch ? 0 : 1))
        / (max(line.advance, line.ink.right) - min(0, line.ink.left))
      if tall >= 1, broad >= 1 { break }
      if tall < 1 {
        let step = Self.step(below: tall)
        setting.size *= step
        for index in setting.spans.indices { setting.spans[index].size *= step }
      } else {
        setting.stretch *= Self.step(below: broad)
      }
      line = typesetter.line(text, setting)
    }
    return line
  }

  /// The greatest of a few fixed ratios, a sixteenth of an octave apart, that is not over `ratio`: with a ratio for
  /// every width, fonts of ever new sizes would fill the caches.
  private static func step(below ratio: Double) -> Double {
    exp2((log2(max(ratio, 1e-6)) * 16 - 0.01).rounded(.down) / 16)
  }

  private func missing(
    _ text: String, _ setting: Typesetter.Setting, _ typesetter: Typesetter
  ) -> RenderError {
    let scalar = text.unicodeScalars.first { typesetter.line(String($0), setting).lacksGlyphs }
    let name = scalar.map { "U+" + String($0.value, radix: 16, uppercase: true) } ?? "a character of the text"
    return RenderError(.text, "no installed font has \(name)")
  }

  /// The parts of the text that are set larger, or in another family, than Latin letters.
  private func spans(_ text: String, _ font: CellFont) -> [Typesetter.Setting.Span] {
    var spans: [Typesetter.Setting.Span] = []
    var offset = 0
    for scalar in text.unicodeScalars {
      let end = offset + UTF8.width(scalar)
      defer { offset = end }
      let (families, size): (String, Double)
      if Script.isWide(scalar) {
        (families, size) = (self.families.wide, font.squareSize)
      } else if Script.isArabic(scalar) {
        (families, size) = (self.families.arabic, font.size)
      } else {
        continue
      }
      if let last = spans.indices.last, spans[last].range.upperBound == offset,
        spans[last].families == families
      {
        spans[last].range = spans[last].range.lowerBound..<end
      } else {
        spans.append(.init(range: offset..<end, families: families, size: size))
      }
    }
    return spans
  }

  private static func withoutControls(_ text: String) -> String {
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: clean.append(" ")
      default: clean.append(scalar)
      }
    }
    return String(clean)
  }
}

extension DotImage {
  /// Turns black to white and white to black in some columns.
  fileprivate mutating func invert(columns: Range<Int>) {
    for y in 0..<height { for x in columns { self[x, y].toggle() } }
  }
}
