/// One line of a text: a range of its cells.
struct LineSpan: Equatable {
  /// The first cell.
  var start: Int
  /// The cell after the last one printed.
  var end: Int
  /// Where the next line begins; the cells between are spaces and a line break.
  var next: Int
  /// The columns of the cells printed.
  var columns: Int
}

/// Breaks text into lines: at spaces, between ideographs, after hyphens in words, and inside a word only
/// when the
/// word alone is wider than the line. Nothing but spaces at a break is left out.
enum LineBreaker {
  /// The line that begins at `start`.
  ///
  /// - Parameters:
  ///   - limit: The columns of the line, at least 2, so that every cluster fits.
  ///   - keepsSpaces: Keeps spaces at the end of the line, which show when they are underlined or inverted.
  static func line(
    of cells: borrowing [LayoutCell], from start: Int, to end: Int, limit: Int, keepsSpaces: Bool
  ) -> LineSpan {
    var columns = 0
    var ink = (end: start, columns: 0)
    var opportunity: LineSpan?
    var index = start
    while index < end {
      let cell = cells[index]
      if cell.has(LayoutCell.newline) {
        return span(from: start, to: index, columns, ink, next: index + 1, keepsSpaces)
      }
      if cell.has(LayoutCell.breakBefore), ink.end > start {
        opportunity = span(from: start, to: index, columns, ink, next: index, keepsSpaces)
      }
      let isSpace = cell.has(LayoutCell.space)
      if columns + cell.width > limit {
        if isSpace {
          return span(
            from: start, to: index, columns, ink, next: afterSpaces(cells, index, end), keepsSpaces)
        }
        if let opportunity { return opportunity }
        // Blanks that fill a line alone are left out.
        if ink.end == start, index > start, !keepsSpaces {
          return line(of: cells, from: index, to: end, limit: limit, keepsSpaces: false)
        }
        if index > start {
          return span(from: start, to: index, columns, ink, next: index, keepsSpaces)
        }
      }
      columns += cell.width
      index += 1
      if !isSpace { ink = (index, columns) }
    }
    return span(from: start, to: end, columns, ink, next: end, keepsSpaces)
  }

  private static func span(
    from start: Int, to end: Int, _ columns: Int, _ ink: (end: Int, columns: Int), next: Int,
    _ keepsSpaces: Bool
  ) -> LineSpan {
    keepsSpaces
      ? LineSpan(start: start, end: end, next: next, columns: columns)
      : LineSpan(start: start, end: ink.end, next: next, columns: ink.columns)
  }

  /// Where text goes on after spaces that fell off a line; a line break right behind them has been made
  /// already.
  private static func afterSpaces(_ cells: borrowing [LayoutCell], _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, cells[index].has(LayoutCell.space) { index += 1 }
    return index < end && cells[index].has(LayoutCell.newline) ? index + 1 : index
  }
}
