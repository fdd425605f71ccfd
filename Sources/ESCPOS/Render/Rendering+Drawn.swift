extension Rendering {
  /// Prints the line that ``pieces`` make up as dots, since some of its characters are not in the printer.
  ///
  /// When they cannot be drawn either, marks stand for them and the rest is printed as text.
  mutating func drawLine(columns: Int, align: Receipt.Alignment, style: Receipt.Style, traits: TextTraits)
    throws(RenderError)
  {
    guard let dots = renderer.dots, let raster = profile.raster else { return }
    let image: DotImage
    do {
      image = try drawing(columns: columns, style: style, dots: dots)
    } catch {
      guard error.code == .text else { throw error }
      return try printMarks(
        columns: columns, align: align, style: style, traits: traits, reason: error.message)
    }
    stream.raster(RasterBands(image, align: align, maximumRows: raster.maximumRows), align: align)
  }

  private func drawing(
    columns: Int, style: Receipt.Style, dots: any DotSource
  ) throws(RenderError) -> DotImage {
    let cell = font(style).cell
    let height = cell.height * style.height
    // The printer leaves the same space between lines of text.
    let spacing = max(0, Self.lineSpacing - height)
    var canvas = DotImage(
      width: min(columns * cell.width * style.width, profile.widthDots), height: height + spacing)
    if style.invert { canvas.blacken(rows: height) }
    for piece in pieces where piece.span.end > piece.span.start {
      let image = try dots.dots(
        text: string(piece.span), columns: piece.columns, cell: cell, style: style, align: piece.align)
      let x = piece.offset * cell.width * style.width
      guard x + image.width <= canvas.width, image.height <= canvas.height else {
        throw RenderError(.text, "the drawn text is larger than its place")
      }
      canvas.paste(image, x: x, y: 0)
    }
    return canvas
  }

  /// Default line spacing in dots at 203 dpi.
  static let lineSpacing = 30

  private func string(_ span: LineSpan) -> String {
    var scalars = String.UnicodeScalarView()
    for cell in cells[span.start..<span.end] {
      if let scalar = Unicode.Scalar(cell.scalar) { scalars.append(scalar) }
    }
    return String(scalars)
  }

  /// Prints the line with a mark in every column of what could not be drawn.
  private mutating func printMarks(
    columns: Int, align: Receipt.Alignment, style: Receipt.Style, traits: TextTraits,
    reason: String
  ) throws(RenderError) {
    var losses = Losses()
    let start = cells.count
    for index in pieces.indices {
      let span = pieces[index].span
      let first = cells.count
      for cell in cells[span.start..<span.end] {
        guard cell.has(LayoutCell.foreign) else {
          cells.append(cell)
          continue
        }
        losses.replace(cell.scalar)
        for _ in 0..<cell.width { cells.append(LayoutCell(Typesetter.mark, width: 1)) }
      }
      pieces[index].span.start = first
      pieces[index].span.end = cells.count
    }
    warn("text could not be drawn: \(reason)")
    warn(of: losses)
    try printLine(columns: columns, align: align, style: style, traits: traits.subtracting(.foreign))
    cells.removeLast(cells.count - start)
  }
}
