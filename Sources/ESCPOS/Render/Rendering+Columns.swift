extension Rendering {
  /// A line of cells, each wrapped in its own width.
  mutating func columns(_ block: Receipt.Columns) throws(RenderError) {
    cells.removeAll(keepingCapacity: true)
    var losses = Losses()
    var traits: TextTraits = []
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(block.cells.count)
    for cell in block.cells {
      let start = cells.count
      traits.formUnion(renderer.typesetter.typeset(cell.text, into: &cells, losses: &losses))
      ranges.append(start..<cells.count)
    }
    warn(of: losses)
    let style = printable(block.style, traits)
    let lineColumns = columns(of: style)
    let fixed = block.cells.map { cell in cell.width.map { min(max($0, 1), 4096) / style.width } }
    for row in ColumnWidths(fixed: fixed, line: lineColumns).rows {
      try printRow(block, row.cells, widths: row.widths, ranges: &ranges, style: style, traits: traits)
    }
  }

  private mutating func printRow(
    _ block: Receipt.Columns, _ row: Range<Int>, widths: [Int], ranges: inout [Range<Int>],
    style: Receipt.Style,
    traits: TextTraits
  ) throws(RenderError) {
    let total = widths.reduce(0, +)
    let keepsSpaces = style.underline || style.invert
    var isFirst = true
    while isFirst || row.contains(where: { !ranges[$0].isEmpty }) {
      isFirst = false
      pieces.removeAll(keepingCapacity: true)
      var offset = 0
      for (width, index) in zip(widths, row) {
        let gap = needsGap(block, index, row, widths, ranges) ? 1 : 0
        let span = LineBreaker.line(
          of: cells, from: ranges[index].lowerBound, to: ranges[index].upperBound, limit: width - gap,
          keepsSpaces: keepsSpaces)
        pieces.append(LinePiece(span: span, offset: offset, columns: width, align: block.cells[index].align))
        ranges[index] = min(span.next, ranges[index].upperBound)..<ranges[index].upperBound
        offset += width
      }
      try printLine(columns: total, align: .left, style: style, traits: traits)
    }
  }

  /// Whether a flexible cell must leave its last column blank, because the text of the next one begins right
  /// behind.
  private func needsGap(
    _ block: Receipt.Columns, _ index: Int, _ row: Range<Int>, _ widths: [Int], _ ranges: [Range<Int>]
  ) -> Bool {
    let next = index + 1
    guard next < row.upperBound, block.cells[index].width == nil, widths[index - row.lowerBound] > 4 else {
      return false
    }
    return block.cells[next].align == .left || ranges[next].count >= widths[next - row.lowerBound]
  }
}
