/// What characters and a few of the control sequences of ECMA-48 make of a screen; a character is a column wide.
struct Screen {
  private let columns: Int
  private let rows: Int
  private var cells: [[Character]]
  private var row = 0
  private var column = 0
  /// What has come of a control sequence.
  private var sequence: String?

  init(_ columns: Int, _ rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: [], count: rows)
  }

  /// The lines without blanks at their ends, down to the last one that is not empty.
  var lines: [String] {
    let lines = cells.map { line in
      String(line[..<(line.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0)])
    }
    return Array(lines[..<(lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)])
  }

  mutating func take(_ character: Character) {
    if let begun = sequence {
      sequence = begun + String(character)
      if begun == "[" || begun.isEmpty, character == "[" { return }
      if character.isLetter { obey(begun + String(character)) }
      return
    }
    switch character {
    case "\u{1B}": sequence = ""
    case "\r": column = 0
    case "\n": feed()
    case "\r\n":
      column = 0
      feed()
    default: put(character)
    }
  }

  private mutating func put(_ character: Character) {
    if column == columns {
      column = 0
      feed()
    }
    while cells[row].count <= column { cells[row].append(" ") }
    cells[row][column] = character
    column += 1
  }

  private mutating func feed() {
    if row + 1 < rows {
      row += 1
    } else {
      cells.removeFirst()
      cells.append([])
    }
  }

  private mutating func obey(_ text: String) {
    sequence = nil
    let number = Int(text.dropFirst().dropLast())
    switch text.last {
    case "A": row = max(0, row - (number ?? 1))
    case "K": cells[row] = Array(cells[row].prefix(column))
    case "J":
      cells[row] = Array(cells[row].prefix(column))
      for below in (row + 1)..<max(rows, row + 1) { cells[below] = [] }
    default: break
    }
  }
}
