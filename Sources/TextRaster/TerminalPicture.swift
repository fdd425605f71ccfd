public import ESCPOS

/// Paper in a terminal: two rows of pixels in a line of text, with the half blocks ▀ ▄ █.
public struct TerminalPicture: Sendable, CustomStringConvertible {
  /// The lines from top to bottom, without spaces at their ends.
  public let lines: [String]

  /// Draws the dots at most `columns` characters wide: a dot to a character where the paper is that narrow, else each
  /// pixel stands for a square of dots, and is black when a third of it is, so that thin strokes stay.
  ///
  /// - Parameter columns: The terminal's width; text of a receipt is read from half the dots of the paper on.
  public init(_ dots: DotImage, columns: Int) {
    let width = max(1, min(columns, dots.width))
    // Pixels keep the shape of dots; counted so that the last one is not empty.
    let height = max(1, (dots.height * width + max(1, dots.width) - 1) / max(1, dots.width))
    func isBlack(_ x: Int, _ y: Int) -> Bool {
      guard y < height else { return false }
      let columns = x * dots.width / width..<max(x * dots.width / width + 1, (x + 1) * dots.width / width)
      let top = y * dots.height / height
      let rows = top..<max(top + 1, (y + 1) * dots.height / height)
      var black = 0
      for row in rows { for column in columns where dots[column, row] { black += 1 } }
      return black * 3 >= columns.count * rows.count && black > 0
    }
    lines = (0..<(height + 1) / 2).map { line in
      var text = ""
      for x in 0..<width {
        switch (isBlack(x, 2 * line), isBlack(x, 2 * line + 1)) {
        case (true, true): text.append("█")
        case (true, false): text.append("▀")
        case (false, true): text.append("▄")
        case (false, false): text.append(" ")
        }
      }
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// The lines, each with its line break.
  public var description: String { lines.map { $0 + "\n" }.joined() }
}
