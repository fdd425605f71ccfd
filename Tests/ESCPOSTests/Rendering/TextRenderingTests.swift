import Testing

@testable import ESCPOS

/// One test for each complaint about text that users of other programs have.
@Suite struct TextRenderingTests {
  private func generic80(_ dots: BoxDots? = nil) throws -> Renderer {
    Renderer(profile: try .builtIn("generic-80"), dots: dots)
  }

  @Test("the euro sign and accents come from a page that the printer has")
  func euro() throws {
    for name in PrinterProfile.builtInNames {
      let paper = try Renderer(profile: .builtIn(name), dots: nil).paper(
        .lines("Crème brûlée 7,50 €", "Żurek 6,90 €"))
      #expect(paper.faults == [])
      #expect(paper.text == "Crème brûlée 7,50 €\nŻurek 6,90 €")
    }
  }

  @Test("a page is chosen for the longest way ahead, and kept while it serves")
  func pageChoice() throws {
    let paper = try generic80().paper(.lines("é € é", "œuf à 3 €", "ü ö ä"))
    #expect(paper.lines.map(\.encodings) == [["CP858"], ["CP1252"], ["CP1252"]])
    #expect(paper.commands.filter { $0 == "ESC t" }.count == 2)
  }

  @Test("the first character beyond ASCII has its page chosen, whatever page the last job left")
  func firstPage() throws {
    let job = try generic80().render(.lines("é")).bytes
    let tokens = try Tokenizer.tokens(job).map(\.name)
    let page = try #require(tokens.firstIndex(of: "ESC t"))
    let text = try #require(tokens.firstIndex(of: "text"))
    #expect(page < text)
  }

  @Test("the code page is sent anew after a change of font")
  func pageAfterFont() throws {
    let receipt = Receipt(blocks: [
      .text(.init("é")), .text(.init("é", style: .init(font: .b))), .text(.init("é", style: .init(font: .b))),
    ])
    let paper = try generic80().paper(receipt)
    #expect(paper.faults == [])
    #expect(paper.commands.filter { $0 == "ESC t" }.count == 2)
  }

  @Test("the character set is American, so that $ is a dollar")
  func dollar() throws {
    let job = try generic80().render(.lines("$ # { } ~")).bytes
    #expect(try Tokenizer.tokens(job).contains { Array($0.bytes) == [0x1B, 0x52, 0] })
  }

  @Test("¥ is never four bytes of GB18030: it comes from a code page, in Chinese text too")
  func yen() throws {
    let paper = try generic80().paper(.lines("实收：¥442.00 ￥1"))
    #expect(paper.faults == [])
    #expect(paper.text == "实收：¥442.00 ￥1")
    #expect(paper.lines[0].encodings == ["GB18030", "CP437", "GB18030"])
  }

  @Test("¥ without any code page is drawn, not lost")
  func yenDrawn() throws {
    let dots = BoxDots()
    let profile = try PrinterProfile.builtIn("generic-80") { $0.codePages = [] }
    let paper = try Renderer(profile: profile, dots: dots).paper(.lines("实收：¥442.00"))
    #expect(paper.faults == [])
    #expect(dots.texts == ["实收：¥442.00"])
  }

  @Test("double-byte mode is switched on once and stays over ASCII")
  func kanjiMode() throws {
    let paper = try generic80().paper(.lines("宫保鸡丁 1", "plain", "麻婆豆腐 2"))
    #expect(paper.faults == [])
    #expect(paper.commands.filter { $0 == "FS &" }.count == 1)
    #expect(paper.commands.filter { $0 == "FS ." }.isEmpty)
  }

  @Test("double-byte mode is switched off before accents, which would pair into Chinese")
  func accentsOnChinesePrinter() throws {
    for texts in [["é"], ["宫é宫"], ["abc", "ü"]] {
      let receipt = Receipt(blocks: texts.map { .text(.init($0)) })
      let paper = try generic80().paper(receipt)
      #expect(paper.faults == [])
      #expect(paper.text == texts.joined(separator: "\n"))
    }
  }

  @Test("double-byte text is underlined by its own command")
  func kanjiUnderline() throws {
    let receipt = Receipt(blocks: [
      .text(.init("合计 A", style: .init(underline: true))), .text(.init("合计 B")),
    ])
    let paper = try generic80().paper(receipt)
    #expect(paper.faults == [])
    #expect(paper.lines.map(\.underline) == [true, false])
    #expect(paper.commands.filter { $0 == "FS -" }.count == 2)
  }

  @Test("the size of double-byte text is set by GS !, since clones do not apply ESC ! to it")
  func kanjiSize() throws {
    let receipt = Receipt(blocks: [
      .text(.init("BIG", style: .init(bold: true, width: 2, height: 2))),
      .text(.init("大", style: .init(bold: true, width: 2, height: 2))),
    ])
    let names = try Tokenizer.tokens(generic80().render(receipt).bytes).map(\.name)
    let latin = try #require(names.firstIndex(of: "text"))
    #expect(names[..<latin].contains("ESC !"))
    #expect(names[latin...].contains("GS !"))
    #expect(names[latin...].contains("ESC E"))
  }

  @Test(
    "every double-byte encoding prints its own script",
    arguments: [
      (PrinterProfile.Kanji.Encoding.gb18030, "宫保鸡丁、结账单"), (.shiftJIS, "領収書テスト　カナ"), (.big5, "統一發票、臺北"),
      (.eucKR, "영수증 합계"),
    ])
  func encodings(encoding: PrinterProfile.Kanji.Encoding, text: String) throws {
    let profile = try PrinterProfile.builtIn("generic-80") {
      $0.kanji?.encoding = encoding
      $0.kanji?.codeSystem = encoding == .shiftJIS ? 1 : nil
    }
    let paper = try Renderer(profile: profile, dots: nil).paper(.lines(text))
    #expect(paper.faults == [])
    #expect(paper.text == text.split(separator: "　").joined(separator: "  "))
    #expect(paper.commands.contains("FS C") == (encoding == .shiftJIS))
  }

  @Test("four-byte GB18030 is used only where the firmware knows it")
  func fourBytes() throws {
    let four = try PrinterProfile.builtIn("generic-80") { $0.kanji?.maximumBytes = 4 }
    let text = "㐂𠮷䶮龻"
    let paper = try Renderer(profile: four, dots: nil).paper(.lines(text))
    #expect(paper.faults == [])
    #expect(paper.text == text)
    let dots = BoxDots()
    _ = try generic80(dots).paper(.lines(text))
    #expect(dots.texts == [text])
  }

  @Test("katakana of half width come from the Katakana page")
  func halfWidthKatakana() throws {
    let paper = try Renderer(profile: .builtIn("epson-tm-m30"), dots: nil).paper(.lines("ﾚｼｰﾄ"))
    #expect(paper.faults == [])
    #expect(paper.text == "ﾚｼｰﾄ")
  }

  @Test("letters with combining marks are printed as the single characters they are")
  func composition() throws {
    let paper = try generic80().paper(.lines("Cafe\u{301} Mu\u{308}ller"))
    #expect(paper.text.unicodeScalars.elementsEqual("Café Müller".unicodeScalars))
  }

  @Test(
    "text in scripts that the printer lacks is drawn, line by line",
    arguments: ["مرحبا بالعالم", "שלום", "สวัสดี", "नमस्ते", "Smile 😀", "日本語テスト", "ខ្មែរ"])
  func drawnScripts(text: String) throws {
    let dots = BoxDots()
    let profile = try PrinterProfile.builtIn("epson-tm-m30")
    let paper = try Renderer(profile: profile, dots: dots).paper(.lines("plain", text, "plain"))
    #expect(paper.faults == [])
    #expect(dots.texts == [text])
    #expect(paper.lines.map(\.text) == ["plain", "plain"])
    #expect(!paper.rasters.isEmpty)
  }

  @Test("without a dot source a mark stands for what the printer lacks, and a warning names it")
  func marks() throws {
    let rendered = try Renderer(profile: .builtIn("epson-tm-m30"), dots: nil).render(.lines("ab 😀 宫 c"))
    let paper = try PrintedPaper(rendered.bytes, on: .builtIn("epson-tm-m30"))
    #expect(paper.text == "ab ?? ?? c")
    #expect(
      rendered.warnings.map(\.description) == [
        "blocks[0]: characters that the printer lacks, printed as ?: U+1F600, U+5BAB"
      ])
  }

  @Test("when drawing fails, the rest of the line is printed with marks")
  func drawingFails() throws {
    let renderer = Renderer(profile: try .builtIn("epson-tm-m30"), dots: BoxDots(textFails: true))
    let rendered = try renderer.render(.lines("tea 茶 3.00"))
    #expect(try PrintedPaper(rendered.bytes, on: renderer.profile).text == "tea ?? 3.00")
    #expect(rendered.warnings.count == 2)
  }

  @Test("control characters never reach the printer: an item named ESC p 0 opens no drawer")
  func controls() throws {
    let name = "\u{1B}p0\u{19}\u{FA}Tea\u{7F}\u{9B}\u{0}\u{10}\u{4}\u{1}\u{1D}V0\u{202E}x\u{2066}y"
    let rendered = try generic80().render(.lines(name))
    let paper = try PrintedPaper(rendered.bytes, on: generic80().profile)
    #expect(paper.faults == [])
    #expect(paper.kicks == 0)
    #expect(paper.cuts == 0)
    #expect(paper.text == "p0úTeaV0xy")
    #expect(rendered.warnings.first?.message.hasPrefix("control characters removed: U+001B, U+0019") == true)
  }

  @Test("a tab is a space, and characters without a look are left out")
  func invisible() throws {
    let paper = try generic80().paper(.lines("a\tb\u{FEFF}c\u{AD}d\u{200B}e\u{2060}f"))
    #expect(paper.text == "a bcdef")
  }

  @Test("typographic quotes and dashes that the printer lacks have look-alikes")
  func lookAlikes() throws {
    let profile = try PrinterProfile.builtIn("epson-tm-m30") {
      $0.codePages.removeAll { $0.encoding != "CP437" }
    }
    let paper = try Renderer(profile: profile, dots: nil).paper(.lines("“It’s” – 5 − 3"))
    #expect(paper.text == "\"It's\" - 5 - 3")
  }

  @Test("double width counts twice, so long names wrap instead of overflowing")
  func doubleWidth() throws {
    let renderer = Renderer(profile: try .builtIn("generic-58"), dots: nil)
    let paper = try renderer.paper(.lines("THE NORTHGATE MARKET", style: .init(width: 2)))
    #expect(paper.faults == [])
    #expect(paper.lines.map(\.text) == ["THE NORTHGATE", "MARKET"])
  }

  @Test("font B has the columns of font B")
  func fontB() throws {
    let text = String(repeating: "x", count: 64)
    #expect(try generic80().paper(.lines(text, style: .init(font: .b))).lines.count == 1)
    #expect(try generic80().paper(.lines(text)).lines.count == 2)
  }

  @Test("double-byte text in font B is set in font A, since its cell would overrun the columns")
  func kanjiInFontB() throws {
    let rendered = try generic80().render(.lines(String(repeating: "宫", count: 40), style: .init(font: .b)))
    let paper = try PrintedPaper(rendered.bytes, on: generic80().profile)
    #expect(paper.faults == [])
    #expect(paper.lines.map(\.text.count) == [24, 16])
    #expect(rendered.warnings.count == 1)
  }

  @Test("a style ends with its block")
  func styleEnds() throws {
    let receipt = Receipt(blocks: [
      .text(
        .init("a", style: .init(bold: true, underline: true, invert: true, width: 3, height: 8, font: .b))),
      .text(.init("b")),
    ])
    let paper = try generic80().paper(receipt)
    let plain = try #require(paper.lines.last)
    #expect(!plain.bold && !plain.underline && !plain.invert && plain.size == 0 && plain.font == 0)
    #expect(paper.lines[0].size == 0x27 && paper.lines[0].font == 1 && paper.lines[0].bold)
  }

  @Test("text in cells that are too narrow for it goes on below, column by column")
  func cells() throws {
    let receipt = Receipt(blocks: [
      .columns(
        .init([
          .init("Cheddar mature 400 g in a box"), .init("12", align: .right, width: 4),
          .init("5.49", align: .right, width: 8),
        ])),
      .columns(.init([.init("宫", width: 1), .init("保", width: 1), .init("x")])),
    ])
    let paper = try Renderer(profile: .builtIn("generic-58"), dots: nil).paper(receipt)
    #expect(paper.faults == [])
    #expect(paper.lines.map(\.text) == ["Cheddar mature 400 g  12    5.49", "in a box", "宫保x"])
  }

  @Test("a flexible cell does not run into the next one")
  func gap() throws {
    let receipt = Receipt(blocks: [
      .columns(.init([.init("abcdefghijklmnopqrstuvwxyz"), .init("right side text")]))
    ])
    let paper = try Renderer(profile: .builtIn("generic-58"), dots: nil).paper(receipt)
    #expect(paper.lines.map(\.text) == ["abcdefghijklmno right side text", "pqrstuvwxyz"])
  }

  @Test("a row with a cell to draw is drawn whole, each cell in its place")
  func drawnRow() throws {
    let dots = BoxDots()
    let receipt = Receipt(blocks: [
      .columns(
        .init([.init("ชาเย็น"), .init("2", align: .right, width: 4), .init("60.00", align: .right, width: 8)]))
    ])
    let paper = try Renderer(profile: .builtIn("generic-58"), dots: dots).paper(receipt)
    #expect(paper.faults == [])
    #expect(dots.texts == ["ชาเย็น", "2", "60.00"])
    #expect(paper.rasters.allSatisfy { $0.byteWidth <= 48 })
  }

  @Test("a full line needs no alignment, a short one does")
  func alignment() throws {
    let receipt = Receipt(blocks: [
      .text(.init("centred", align: .center)), .rule(.init()), .text(.init("centred too", align: .center)),
      .rule(.init(.dotted)), .text(.init("right", align: .right)), .rule(.init(.double)),
    ])
    let paper = try generic80().paper(receipt)
    #expect(paper.faults == [])
    #expect(paper.commands.filter { $0 == "ESC a" }.count == 3)
    #expect(paper.lines.filter { $0.dots < 576 }.map(\.align) == [1, 1, 0, 2])
  }
}
