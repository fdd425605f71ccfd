/// Shares the columns of a line among the cells of a ``Receipt/Columns`` block.
///
/// Fixed widths are kept while they fit; the rest is shared evenly. When the fixed ones leave too little, the
/// widest give way column by column. Cells for which the line has no room at all go to a further row, so that
/// nothing is lost.
struct ColumnWidths: Equatable {
  /// The rows of cells, most often one: the range of cells and the width of each.
  private(set) var rows: [(cells: Range<Int>, widths: [Int])] = []

  static func == (left: ColumnWidths, right: ColumnWidths) -> Bool {
    left.rows.elementsEqual(right.rows) { $0.cells == $1.cells && $0.widths == $1.widths }
  }

  /// The narrowest cell: a character of two columns must fit.
  static let narrowest = 2

  /// - Parameters:
  ///   - fixed: The width of each cell in columns of the line, or nil for a flexible one.
  ///   - line: The columns of the line, at least 2.
  init(fixed: [Int?], line: Int) {
    let perRow = max(1, line / Self.narrowest)
    var start = 0
    while start < fixed.count {
      let end = min(start + perRow, fixed.count)
      rows.append((start..<end, Self.share(fixed[start..<end], line: line)))
      start = end
    }
  }

  private static func share(_ fixed: ArraySlice<Int?>, line: Int) -> [Int] {
    let flexible = fixed.count { $0 == nil }
    var widths = fixed.map { min(max($0 ?? 0, narrowest), line) }
    // A flexible cell is worth some room even where the fixed ones would take it all.
    let least = flexible == 0 ? 0 : max(narrowest, min(8, line / (2 * fixed.count)))
    var fixedTotal = zip(fixed, widths).reduce(0) { $0 + ($1.0 == nil ? 0 : $1.1) }
    while fixedTotal + least * flexible > line {
      var widest = -1
      for (index, cell) in fixed.enumerated() where cell != nil && widths[index] > narrowest {
        if widest < 0 || widths[index] > widths[widest] { widest = index }
      }
      guard widest >= 0 else { break }
      widths[widest] -= 1
      fixedTotal -= 1
    }
    guard flexible > 0 else { return widths }
    let rest = max(line - fixedTotal, narrowest * flexible)
    var left = flexible
    var given = 0
    for (index, cell) in fixed.enumerated() where cell == nil {
      widths[index] = (rest - given) / left + ((rest - given) % left > 0 ? 1 : 0)
      given += widths[index]
      left -= 1
    }
    return widths
  }
}
