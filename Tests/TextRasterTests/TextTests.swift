import ESCPOS
import Testing
import TextRaster

/// Lines of text as dots: the promised size, every script in its own way, nothing cut.
@Suite("Text lines") struct TextTests {
  static let fontA = CellSize(width: 12, height: 24)
  let raster = PangoRaster()

  func line(
    _ text: String, columns: Int = 32, style: Receipt.Style = .init(), align: Receipt.Alignment = .left
  ) throws -> DotImage {
    let cell = style.font == .a ? Self.fontA : CellSize(width: 9, height: 17)
    return try raster.dots(text: text, columns: columns, cell: cell, style: style, align: align)
  }

  @Test("a line has the size promised at every size and in every font", arguments: 1...8, 1...8)
  func size(width: Int, height: Int) throws {
    for font in Receipt.Font.allCases {
      let style = Receipt.Style(bold: width % 2 == 0, width: width, height: height, font: font)
      let dots = try line("Ag中", columns: 4, style: style)
      #expect(
        dots.width == 4 * width * (font == .a ? 12 : 9) && dots.height == height * (font == .a ? 24 : 17))
      let box = try #require(dots.inkBox)
      // The letters use what they were given: drawn at the size, not in a corner.
      #expect(box.height * 5 >= dots.height * 3 && box.width * 5 >= dots.width * 3)
    }
  }

  @Test("a larger size is drawn, not doubled dot by dot")
  func notDoubled() throws {
    let single = try line("S", columns: 1)
    let double = try line("S", columns: 1, style: .init(width: 2, height: 2))
    var doubled = DotImage(width: 24, height: 48)
    for y in 0..<48 { for x in 0..<24 { doubled[x, y] = single[x / 2, y / 2] } }
    #expect(double != doubled && double.blackDots > single.blackDots * 2)
  }

  @Test("Latin letters stand in the printer's columns")
  func columns() throws {
    let dots = try line("i i i i i i i i i i")
    let first = (0..<12).map { x in (0..<24).map { dots[x, $0] } }
    for column in stride(from: 0, to: 19, by: 2) {
      #expect((0..<12).map { x in (0..<24).map { dots[column * 12 + x, $0] } } == first, "column \(column)")
    }
    // The digit after four wide characters stands in the ninth column.
    let mixed = try line("中中中中1")
    let box = try #require(mixed.cropped(x: 96, width: 288).inkBox)
    #expect(box.x < 12 && box.width <= 12)
  }

  @Test("text stands left, in the middle or right")
  func alignment() throws {
    let boxes = try Receipt.Alignment.allCases.map { try #require(try line("HH", align: $0).inkBox) }
    #expect(boxes[0].x < 6 && abs(boxes[1].x + boxes[1].width / 2 - 192) <= 2)
    #expect(boxes[2].x + boxes[2].width > 378)
  }

  @Test("Arabic letters are joined")
  func arabic() throws {
    let joined = try line("بببب", columns: 4)
    let apart = try line("ب\u{200C}ب\u{200C}ب\u{200C}ب", columns: 4)
    #expect(joined != apart)
    // One stroke from end to end: no empty column inside the word.
    let box = try #require(joined.inkBox)
    #expect((box.x..<box.x + box.width).allSatisfy { x in (0..<24).contains { joined[x, $0] } })
    let gaps = try #require(apart.inkBox)
    #expect(!(gaps.x..<gaps.x + gaps.width).allSatisfy { x in (0..<24).contains { apart[x, $0] } })
  }

  @Test("Hebrew and Arabic run from right to left, numbers in them from left to right")
  func rightToLeft() throws {
    // The same letters, put down by hand from left to right.
    #expect(try line("שלום") == line("\u{202D}םולש\u{202C}"))
    #expect(try line("שלום") != line("םולש"))
    #expect(try line("ש 12.50") == line("\u{202D}12.50 ש\u{202C}"))
    // A word alone stands at the side that is asked for, whatever its direction.
    #expect(try #require(try line("שלום").inkBox).x < 6)
    #expect(try line("مرحبا", align: .right).cropped(x: 0, width: 300).blackDots == 0)
  }

  @Test("Thai marks stand above and below their consonant", arguments: [("ที่", "ท"), ("กู้", "ก"), ("น้ำ", "นำ")])
  func thai(stacked: String, base: String) throws {
    let marked = try #require(try line(stacked, columns: 4).inkBox)
    let plain = try #require(try line(base, columns: 4).inkBox)
    #expect(marked.height > plain.height)
    #expect(marked.width <= plain.width + 4)
  }

  @Test("a combining mark goes onto its letter")
  func combining() throws {
    #expect(try line("e\u{301}") == line("\u{E9}"))
    #expect(try line("e\u{301}") != line("e"))
    let many = try line("Z" + String(repeating: "\u{301}\u{300}", count: 40))
    #expect(many.height == 24 && many.blackDots > 0)
  }

  @Test(
    "every script draws something of its own",
    arguments: [
      "Ελλάδα", "Україна", "Հայ", "ქართ", "नमस्ते", "ภาษา", "한국어", "日本語", "ខ្មែរ", "☕", "😀",
    ])
  func scripts(text: String) throws {
    let dots = try line(text)
    #expect(dots.blackDots > 30)
    #expect(dots != (try line("????")))
  }

  @Test("what is too wide is squeezed, and both ends stay", arguments: [1, 2, 8, 31])
  func squeezed(columns: Int) throws {
    let text = "[" + String(repeating: "wide words ", count: 4) + "]"
    let dots = try line(text, columns: columns)
    #expect(dots.width == columns * 12)
    let box = try #require(dots.inkBox)
    #expect(box.x + box.width <= dots.width)
    if columns > 8 {
      // The brackets are the tallest strokes, the first and the last.
      #expect(box.width > dots.width * 8 / 10)
      for x in [box.x...box.x + 6, box.x + box.width - 7...box.x + box.width - 1] {
        #expect(x.map { x in (0..<24).count { dots[x, $0] } }.max() ?? 0 >= 16)
      }
    }
  }

  @Test("underline and invert cover the text and no more")
  func decoration() throws {
    let underlined = try line("ABC", style: .init(underline: true))
    #expect((0..<36).allSatisfy { underlined[$0, 23] } && !(36..<384).contains { underlined[$0, 23] })
    let inverted = try line("ABC", style: .init(invert: true))
    let plain = try line("ABC")
    for y in 0..<24 { for x in 0..<384 { #expect(inverted[x, y] == (x < 36 ? !plain[x, y] : false)) } }
  }

  @Test("bold is blacker") func bold() throws {
    #expect(try line("Summe 中", style: .init(bold: true)).blackDots > line("Summe 中").blackDots)
  }

  @Test("control characters are spaces, and an empty text is a white line")
  func controls() throws {
    #expect(try line("A\u{1B}p\u{0}\u{7F}\u{9B}\nB") == line("A p    B"))
    #expect(try line("").blackDots == 0)
    #expect(try line(" \t ").blackDots == 0)
  }

  @Test("a character in no font is an error that names it")
  func missing() {
    let error = #expect(throws: RenderError.self) { try line("Price \u{F8FE}") }
    #expect(error == RenderError(.text, "no installed font has U+F8FE"))
  }

  @Test("sizes that no printer has are errors")
  func sizes() {
    #expect(throws: RenderError.self) { try line("A", columns: 0) }
    #expect(throws: RenderError.self) { try line("A", columns: 100_000) }
    #expect(throws: RenderError.self) { try line("A", style: .init(width: 9)) }
    #expect(throws: RenderError.self) { try line("A", style: .init(height: 0)) }
  }

  @Test(
    "hostile text draws or is refused",
    arguments: [
      String(repeating: "\u{202E}\u{2066}", count: 500) + "A", String(repeating: "W", count: 20_000),
      String(repeating: "ﷺ", count: 300), String(repeating: "\u{FEFF}\u{200D}", count: 1000),
      "A" + String(repeating: "\u{1AB0}", count: 2000), "\u{FFFE}\u{FFFF}\u{10FFFF}",
    ])
  func hostile(text: String) {
    if let dots = try? line(text) { #expect(dots.width == 384 && dots.height == 24) }
  }
}

extension DotImage {
  /// The smallest rectangle with all black dots, or nil when there are none.
  var inkBox: (x: Int, y: Int, width: Int, height: Int)? {
    let columns = (0..<width).filter { x in (0..<height).contains { self[x, $0] } }
    let lines = (0..<height).filter { y in (0..<width).contains { self[$0, y] } }
    guard let left = columns.first, let right = columns.last, let top = lines.first, let bottom = lines.last
    else {
      return nil
    }
    return (left, top, right - left + 1, bottom - top + 1)
  }

  /// Some of the columns.
  func cropped(x left: Int, width: Int) -> DotImage {
    var part = DotImage(width: width, height: height)
    for y in 0..<height { for x in 0..<width { part[x, y] = self[left + x, y] } }
    return part
  }
}
