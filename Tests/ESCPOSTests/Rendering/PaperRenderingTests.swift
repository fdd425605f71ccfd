import Testing

@testable import ESCPOS

@Suite struct PaperRenderingTests {
  private func job(
    _ blocks: [Receipt.Block], on name: String = "generic-80", originals: Int = 1, mark: CopyMark? = nil,
    change: (inout PrinterProfile) -> Void = { _ in }
  ) throws -> PrintedPaper {
    let paper = try Renderer(profile: .builtIn(name, change: change), dots: BoxDots())
      .paper(Receipt(blocks: blocks), originals: originals, mark: mark)
    #expect(paper.faults == [])
    return paper
  }

  @Test("the last line passes the blade before the cut, together with the blank lines asked for")
  func feedBeforeCut() throws {
    let paper = try job([.text(.init("last")), .feed(.init(lines: 2)), .cut(.init(.partial))])
    #expect(paper.tokens.suffix(2).map { Array($0.bytes) } == [[0x1B, 0x64, 6], [0x1D, 0x56, 1]])
  }

  @Test("GS V 66 is four bytes long, so it eats nothing of what follows")
  func cutHasItsParameter() throws {
    let paper = try job([.text(.init("a")), .cut(.init()), .drawer(.init())], on: "epson-tm-m30")
    #expect(
      paper.tokens.suffix(2).map { Array($0.bytes) } == [[0x1D, 0x56, 0x42, 0], [0x1B, 0x70, 0, 50, 250]])
  }

  @Test("a printer without a cutter is fed past its tear bar")
  func noCutter() throws {
    let paper = try job([.text(.init("a")), .cut(.init())], change: { $0.cutter = nil })
    #expect(paper.cuts == 0)
    #expect(paper.tokens.last.map { Array($0.bytes) } == [0x1B, 0x64, 3])
  }

  @Test(
    "the drawer pulse is five bytes with both times",
    arguments: [
      (2, 100, [0x1B, 0x70, 0, 50, 250]), (5, 510, [0x1B, 0x70, 1, 255, 255]),
      (2, 1, [0x1B, 0x70, 0, 1, 250]),
    ]
      as [(Int, Int, [UInt8])])
  func drawer(pin: Int, milliseconds: Int, bytes: [UInt8]) throws {
    let paper = try job([.drawer(.init(pin: pin, milliseconds: milliseconds))])
    #expect(paper.tokens.last.map { Array($0.bytes) } == bytes)
  }

  @Test(
    "the beep is the printer's own",
    arguments: [
      (PrinterProfile.Beep.escB, [0x1B, 0x42, 3, 2]), (.escParenA, [0x1B, 0x28, 0x41, 4, 0, 0x61, 1, 3, 10]),
      (.bel, [7, 7, 7]),
    ] as [(PrinterProfile.Beep, [UInt8])])
  func beep(beep: PrinterProfile.Beep, bytes: [UInt8]) throws {
    let paper = try job([.beep(.init(times: 3))], change: { $0.beep = beep })
    #expect(Array(paper.tokens.flatMap(\.bytes).suffix(bytes.count)) == bytes)
  }

  @Test("what the printer lacks is told, not sent")
  func lacking() throws {
    let profile = try PrinterProfile.builtIn("generic-80") {
      $0.drawer = false
      $0.beep = nil
    }
    let rendered = try Renderer(profile: profile, dots: nil).render(
      Receipt(blocks: [.drawer(.init()), .beep(.init())]))
    #expect(rendered.warnings.map(\.path) == ["blocks[0]", "blocks[1]"])
    #expect(try PrintedPaper(rendered.bytes, on: profile).kicks == 0)
  }

  @Test("commands that the profile lacks are never sent")
  func withoutCommands() throws {
    let all = Abilities.mnemonics.map(\.name)
    for lacking in all.map({ [$0] }) + [all] {
      let paper = try job(
        [
          .text(
            .init(
              "é", align: .center, style: .init(bold: true, underline: true, invert: true, width: 2, font: .b)
            )),
          .text(.init("宫", style: .init(underline: true))), .feed(.init(lines: 5)), .text(.init("x")),
        ],
        change: {
          $0.withoutCommands = lacking
          if lacking.contains("FS .") { $0.kanji = nil }
        })
      #expect(Set(paper.commands).isDisjoint(with: lacking))
    }
  }

  @Test("ESC @ comes once, at the start, and nothing comes behind the last cut")
  func initialize() throws {
    let job = try job([.text(.init("a")), .cut(.init())], originals: 3)
    #expect(job.commands.filter { $0 == "ESC @" }.count == 1)
    #expect(job.tokens.last?.name == "GS V")
  }

  @Test("originals are printed one behind the other with a cut between; the drawer opens once")
  func originals() throws {
    let paper = try job([.text(.init("body")), .drawer(.init())], originals: 3)
    #expect(paper.lines.map(\.text) == ["body", "body", "body"])
    #expect(paper.cuts == 2)
    #expect(paper.kicks == 1)
    #expect(try job([.text(.init("body")), .cut(.init())], originals: 2).cuts == 2)
  }

  @Test("a copy is marked at the top and the bottom, before the cut, and opens no drawer")
  func mark() throws {
    let blocks: [Receipt.Block] = [
      .text(.init("body")), .feed(.init(lines: 2)), .cut(.init()), .drawer(.init()),
    ]
    for name in ["generic-58", "generic-80"] {
      let paper = try job(blocks, on: name, mark: CopyMark(text: "COPY 2 / 补打 2"))
      #expect(paper.lines.map(\.text) == ["COPY 2 / 补打 2", "body", "COPY 2 / 补打 2"])
      let marks = [paper.lines[0], paper.lines[2]]
      #expect(marks.allSatisfy { $0.bold && $0.invert && $0.size == 0x11 && $0.align == 1 })
      #expect(paper.kicks == 0)
      #expect(paper.tokens.last?.name == "GS V")
    }
  }

  @Test("the mark is drawn where the printer has no Chinese")
  func drawnMark() throws {
    let paper = try job([.text(.init("body"))], on: "epson-tm-m30", mark: CopyMark(text: "补打 2"))
    #expect(paper.rasters.count >= 2)
    #expect(paper.lines.map(\.text) == ["body"])
  }

  @Test("margins are set where ESC @ leaves them, and not where it resets them")
  func margins() throws {
    #expect(try job([.text(.init("a"))]).commands.prefix(4) == ["ESC =", "ESC @", "GS L", "GS W"])
    #expect(try !job([.text(.init("a"))], on: "epson-tm-m30").commands.contains("GS L"))
  }

  @Test("a blank line behind an image is fed by ESC d, since a clone swallows the LF there")
  func lineBehindImage() throws {
    let dots = BoxDots(picture: GrayImage(width: 8, height: 8, levels: [UInt8](repeating: 0, count: 64)))
    let paper = try Renderer(profile: .builtIn("generic-58"), dots: dots).paper(
      Receipt(blocks: [.image(.init(.named("a"))), .feed(.init()), .text(.init("x"))]))
    let names = paper.tokens.map(\.name)
    let raster = try #require(names.firstIndex(of: "GS v 0"))
    #expect(names[raster + 1] == "ESC d")
  }

  @Test("blank lines of a text are kept")
  func blankLines() throws {
    let names = try job([.text(.init("a\n\nb"))]).tokens.map(\.name)
    #expect(names.suffix(5) == ["text", "LF", "LF", "text", "LF"])
  }
}
