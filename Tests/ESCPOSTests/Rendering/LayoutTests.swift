import Testing

@testable import ESCPOS

@Suite struct LayoutTests {
  private func wrap(_ text: String, _ limit: Int, on name: String = "generic-80") throws -> [String] {
    let typesetter = Typesetter(repertoire: Repertoire(try .builtIn(name)), draws: true)
    var cells: [LayoutCell] = []
    var losses = Losses()
    _ = typesetter.typeset(text, into: &cells, losses: &losses)
    var lines: [String] = []
    var start = 0
    repeat {
      let span = LineBreaker.line(of: cells, from: start, to: cells.count, limit: limit, keepsSpaces: false)
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: cells[span.start..<span.end].compactMap { Unicode.Scalar($0.scalar) })
      #expect(span.columns <= limit)
      lines.append(String(scalars))
      start = span.next
    } while start < cells.count
    return lines
  }

  @Test("text is wrapped at words and spaces at the break are dropped")
  func words() throws {
    #expect(try wrap("one two  three", 7) == ["one two", "three"])
    #expect(try wrap("one two   ", 7) == ["one two"])
    #expect(try wrap("  indented line here", 10) == ["  indented", "line here"])
    #expect(try wrap("a    b", 10) == ["a    b"])
  }

  @Test("a word that is longer than the line is broken inside, and nothing of it is lost")
  func longWord() throws {
    #expect(try wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"])
    #expect(try wrap("ab cdefghij", 4) == ["ab", "cdef", "ghij"])
  }

  @Test("line breaks in text are kept, in every spelling")
  func newlines() throws {
    #expect(try wrap("a\nb\r\nc\rd\u{2028}e\u{85}f", 9) == ["a", "b", "c", "d", "e", "f"])
    #expect(try wrap("a\n\nb\n", 9) == ["a", "", "b"])
    #expect(try wrap("abcd \nef", 4) == ["abcd", "ef"])
    #expect(try wrap("", 4) == [""])
  }

  @Test("a word with a hyphen may be broken behind it, a date may not")
  func hyphens() throws {
    #expect(try wrap("Müller-Thurgau", 10) == ["Müller-", "Thurgau"])
    #expect(try wrap("on 2026-11-30", 9) == ["on", "2026-11-3", "0"])
  }

  @Test("Chinese is wrapped by characters, two columns each, and no line begins with closing punctuation")
  func ideographs() throws {
    #expect(try wrap("宫保鸡丁饭", 4) == ["宫保", "鸡丁", "饭"])
    #expect(try wrap("宫保鸡丁，好", 8) == ["宫保鸡", "丁，好"])
    #expect(try wrap("宫保（鸡丁）", 6) == ["宫保", "（鸡", "丁）"])
    #expect(try wrap("abc宫保", 5) == ["abc宫", "保"])
    #expect(try wrap("共￥462", 6) == ["共", "￥462"])
  }

  @Test("grapheme clusters stay together")
  func clusters() throws {
    let family = "👨‍👩‍👧"
    #expect(try wrap("ab\(family)c", 3) == ["ab", "\(family)c"])
    #expect(try wrap("กำกำ", 2).joined() == "กำกำ")
    #expect(try wrap("🇩🇪🇫🇷", 2) == ["🇩🇪", "🇫🇷"])
  }

  @Test("no-break spaces do not break")
  func noBreakSpaces() throws {
    #expect(try wrap("12\u{A0}50 kg", 6) == ["12 50", "kg"])
    #expect(try wrap("aaa 12\u{202F}5", 5) == ["aaa", "12 5"])
  }

  @Test(
    "widths follow East Asian Width",
    arguments: [
      ("a", 1), ("é", 1), ("宫", 2), ("ｱ", 1), ("ア", 2), ("가", 2), ("￥", 2), ("\u{301}", 0), ("\u{200D}", 0),
      ("😀", 2),
      ("𠮷", 2), ("\u{E0101}", 0), ("ก", 1), ("א", 1),
    ])
  func widths(character: String, width: Int) throws {
    let scalar = try #require(character.unicodeScalars.first)
    #expect(Int(CellWidth(scalar.value).rawValue) == width)
  }

  @Test("a symbol of ambiguous width is narrow in Latin text and wide in Chinese")
  func ambiguous() throws {
    let paper = try Renderer(profile: .builtIn("generic-80"), dots: nil).paper(.lines("3 × 2", "炒饭×2"))
    #expect(paper.lines.map(\.text) == ["3 × 2", "炒饭×2"])
    #expect(paper.lines.map(\.dots) == [5 * 12, 7 * 12])
    #expect(paper.lines.map(\.encodings) == [["CP850"], ["GB18030"]])
  }

  @Test(
    "columns share a line",
    arguments: [
      ([nil, 12], 48, [36, 12]), ([nil, 4, 8], 32, [20, 4, 8]), ([nil, nil, nil], 32, [11, 11, 10]),
      ([10, 10], 32, [10, 10]), ([40, 40], 32, [16, 16]), ([nil, 48], 48, [8, 40]), ([1, nil], 32, [2, 30]),
      ([Int.max, 8], 32, [24, 8]),
    ] as [([Int?], Int, [Int])])
  func columns(fixed: [Int?], line: Int, widths: [Int]) {
    #expect(ColumnWidths(fixed: fixed, line: line).rows.map(\.widths) == [widths])
  }

  @Test("more cells than the line has room for go to further rows, each with room for a character")
  func manyCells() {
    let rows = ColumnWidths(fixed: [Int?](repeating: nil, count: 70), line: 32).rows
    #expect(rows.map(\.cells) == [0..<16, 16..<32, 32..<48, 48..<64, 64..<70])
    #expect(rows.allSatisfy { $0.widths.allSatisfy { $0 >= 2 } && $0.widths.reduce(0, +) <= 32 })
  }
}
