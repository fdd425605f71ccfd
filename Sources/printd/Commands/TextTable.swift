import ESCPOS

/// A table of text, its columns as wide as what is in them on a terminal.
struct TextTable {
  private enum Row {
    case cells([String])
    case line(String)
  }

  private let head: [String]
  private var rows: [Row] = []

  /// Creates a table with a head.
  init(_ head: [String]) {
    self.head = head
  }

  /// Adds a row; control characters in it are not passed to the terminal.
  mutating func add(_ cells: [String]) {
    rows.append(.cells(cells.map(\.printable)))
  }

  /// Adds a line across all columns.
  mutating func addLine(_ text: String) {
    rows.append(.line(text.printable))
  }

  /// The table, without an end of line behind it.
  var text: String {
    var widths = head.map(\.columnCount)
    for case .cells(let cells) in rows {
      for (index, cell) in cells.enumerated() { widths[index] = max(widths[index], cell.columnCount) }
    }
    func line(_ cells: [String]) -> String {
      var line = ""
      for (index, cell) in cells.enumerated() {
        line += cell + String(repeating: " ", count: max(0, widths[index] - cell.columnCount) + 2)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    var lines = [line(head)]
    for row in rows {
      switch row {
      case .cells(let cells): lines.append(line(cells))
      case .line(let text): lines.append(text)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  /// The text without what would move a terminal's cursor or turn its direction.
  var printable: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
