import ESCPOS
import Testing
import TextRaster

/// Paper in a terminal.
@Suite("Terminal picture") struct TerminalPictureTests {
  @Test("two rows of dots share a line of text")
  func halves() {
    var dots = DotImage(width: 4, height: 3)
    for (x, y) in [(0, 0), (1, 1), (2, 0), (2, 1), (0, 2)] { dots[x, y] = true }
    #expect(TerminalPicture(dots, columns: 80).description == "▀▄█\n▀\n")
  }

  @Test("wide paper is made as narrow as the terminal, and keeps its shape", arguments: [1, 7, 80, 191, 384])
  func narrow(columns: Int) {
    var dots = DotImage(width: 384, height: 200)
    for y in 0..<200 { for x in 0..<384 { dots[x, y] = true } }
    let picture = TerminalPicture(dots, columns: columns)
    #expect(picture.lines.allSatisfy { $0.count == columns })
    #expect(abs(picture.lines.count - (200 * columns + 767) / 768) <= 1)
  }

  @Test("a stroke as thin as a pixel's half stays")
  func thinStroke() {
    var dots = DotImage(width: 40, height: 40)
    for y in 0..<40 { dots[20, y] = true }
    #expect(TerminalPicture(dots, columns: 20).lines.allSatisfy { $0 == "          █" })
  }

  @Test("no columns, no dots: nothing breaks")
  func degenerate() {
    #expect(TerminalPicture(DotImage(width: 0, height: 0), columns: 0).lines.count <= 1)
    #expect(TerminalPicture(DotImage(width: 100, height: 1), columns: -3).lines == [""])
  }
}
