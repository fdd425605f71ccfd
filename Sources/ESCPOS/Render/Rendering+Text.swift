/// A part of a line: a range of cells in a width of its own.
struct LinePiece {
  var span: LineSpan
  /// Columns from the start of the line.
  var offset: Int
  /// The width to align it in.
  var columns: Int
  var align: Receipt.Alignment
}

extension Rendering {
  /// A paragraph, wrapped.
  mutating func text(_ text: Receipt.Text) throws(RenderError) {
    cells.removeAll(keepingCapacity: true)
    var losses = Losses()
    let traits = renderer.typesetter.typeset(text.text, into: &cells, losses: &losses)
    warn(of: losses)
    let style = printable(text.style, traits)
    let limit = columns(of: style)
    let keepsSpaces = style.invert || style.underline
    var start = 0
    repeat {
      let span = LineBreaker.line(
        of: cells, from: start, to: cells.count, limit: limit, keepsSpaces: keepsSpaces)
      pieces.removeAll(keepingCapacity: true)
      pieces.append(LinePiece(span: span, offset: 0, columns: span.columns, align: .left))
      try printLine(
        columns: span.columns, align: text.align, style: style, traits: traits)
      start = span.next
    } while start < cells.count
  }

  /// A line across the paper.
  ///
  /// Frame characters join into one line, so a few very wide ones draw it whole; the DOS code pages all have them.
  /// Where the printer has none of those, ASCII does at a size at which its gaps still look like a line.
  mutating func rule(_ rule: Receipt.Rule) {
    let columns = profile.fontA.columns
    let resizes = renderer.abilities.contains(.size)
    let frame: UInt32? =
      switch rule.style {
      case .single: 0x2500
      case .double: 0x2550
      case .dotted: nil
      }
    var style = Receipt.Style()
    cells.removeAll(keepingCapacity: true)
    if let frame, renderer.typesetter.repertoire.pageSet(frame) != 0 {
      if resizes { style.width = (1...8).last { columns % $0 == 0 } ?? 1 }
      for _ in 0..<columns / style.width { cells.append(LayoutCell(frame, width: 1)) }
    } else if rule.style == .dotted {
      for column in 0..<columns { cells.append(LayoutCell(column & 1 == 0 ? 0x2E : 0x20, width: 1)) }
      if cells.last?.scalar == 0x20 { cells.removeLast() }
    } else {
      if resizes, columns % 2 == 0 { style.width = 2 }
      let dash: UInt32 = rule.style == .double ? 0x3D : 0x2D
      for _ in 0..<columns / style.width { cells.append(LayoutCell(dash, width: 1)) }
    }
    alignLine(columns: cells.count, align: .left, style: style)
    stream.beginLine(style: style, kanji: false)
    stream.write(cells, in: 0..<cells.count)
    stream.endLine()
  }

  /// The columns of a line in `style`.
  func columns(of style: Receipt.Style) -> Int { font(style).columns / style.width }

  /// The font of `style`.
  func font(_ style: Receipt.Style) -> PrinterProfile.Font {
    style.font == .b ? profile.fontB ?? profile.fontA : profile.fontA
  }

  /// `style` as this printer can print text with `traits`.
  mutating func printable(_ style: Receipt.Style, _ traits: TextTraits) -> Receipt.Style {
    let abilities = renderer.abilities
    var style = style
    style.width = min(max(style.width, 1), 8)
    style.height = min(max(style.height, 1), 8)
    if style.font == .b {
      if profile.fontB == nil || !abilities.contains(.font) {
        style.font = .a
        warn("the printer has no font B; font A was used")
      } else if traits.contains(.kanji) {
        // A double-byte cell is two columns of font A and would overrun the columns of font B.
        style.font = .a
        warn("double-byte text has no font B; font A was used")
      }
    }
    let canUnderline =
      abilities.contains(.underline) && (!traits.contains(.kanji) || abilities.contains(.kanjiUnderline))
    let asked = style
    style.bold = style.bold && abilities.contains(.bold)
    style.underline = style.underline && canUnderline
    style.invert = style.invert && abilities.contains(.invert)
    if style != asked { warn("the printer lacks a style that was asked for") }
    if !abilities.contains(.size), style.width > 1 || style.height > 1 {
      (style.width, style.height) = (1, 1)
      warn("the printer has one size of text only")
    }
    // Two columns must fit, since a character can be that wide.
    let widest = max(1, font(style).columns / ColumnWidths.narrowest)
    if style.width > widest {
      style.width = widest
      warn("text was made \(widest) times wide, the most that the paper takes")
    }
    return style
  }

  /// Prints the line that ``pieces`` make up.
  ///
  /// - Parameters:
  ///   - columns: The width of the whole line.
  ///   - traits: What the whole block asks of the printer, though perhaps not this line.
  mutating func printLine(
    columns: Int, align: Receipt.Alignment, style: Receipt.Style, traits: TextTraits
  ) throws(RenderError) {
    if traits.contains(.foreign), pieces.contains(where: { hasForeign($0.span) }) {
      return try drawLine(columns: columns, align: align, style: style, traits: traits)
    }
    line.removeAll(keepingCapacity: true)
    var column = 0
    for piece in pieces where piece.span.end > piece.span.start {
      let room = piece.columns - piece.span.columns
      let inset = piece.align == .left ? 0 : piece.align == .right ? room : room / 2
      while column < piece.offset + inset {
        line.append(.blank)
        column += 1
      }
      line.append(contentsOf: cells[piece.span.start..<piece.span.end])
      column += piece.span.columns
    }
    if style.invert, pieces.count > 1 {
      while column < columns {
        line.append(.blank)
        column += 1
      }
    }
    guard !line.isEmpty else { return stream.feed(lines: 1) }
    alignLine(columns: column, align: align, style: style)
    stream.beginLine(style: style, kanji: traits.contains(.kanji))
    stream.write(line, in: 0..<line.count)
    stream.endLine()
  }

  /// Aligns a line of `columns`; one that fills the paper to the last dot needs no alignment.
  private mutating func alignLine(columns: Int, align: Receipt.Alignment, style: Receipt.Style) {
    let dots = columns * style.width * font(style).cell.width
    stream.flushFeed()
    if stream.align == nil || dots != profile.widthDots { stream.align(align) }
  }

  private func hasForeign(_ span: LineSpan) -> Bool {
    cells[span.start..<span.end].contains { $0.has(LayoutCell.foreign) }
  }
}
