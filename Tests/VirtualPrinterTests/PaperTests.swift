import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// What commands make of the paper.
@Suite struct PaperTests {
  static func dots(_ bytes: [UInt8], _ change: (inout Behaviour) -> Void = { _ in }) throws -> DotImage {
    let printer = try Profiles.printer(nil, change)
    printer.feed(bytes)
    let dots = try #require(printer.paper.current.dots)
    // The white between blade and head, where every sheet begins.
    var image = DotImage(width: dots.width, height: dots.height - 120)
    image.rows = Array(dots.rows[(120 * dots.stride)...])
    return image
  }

  static func text(_ bytes: [UInt8], _ change: (inout Behaviour) -> Void = { _ in }) throws -> String {
    let printer = try Profiles.printer(keeping: .text, change)
    printer.feed(bytes)
    return printer.paper.text
  }

  /// The rectangle that holds all black dots.
  static func bounds(_ image: DotImage) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
    var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
    for y in 0..<image.height {
      for x in 0..<image.width where image[x, y] {
        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
      }
    }
    return right < 0 ? nil : (left...right, top...bottom)
  }

  @Test("GS v 0, GS ( L, GS 8 L and ESC * put the same dots on the paper")
  func imageForms() throws {
    let image = Job.frame(96, 48)
    var raster = Job()
    raster.raster(image)
    let expected = try Self.dots(raster.bytes)
    #expect(expected.height == 48)
    for y in 0..<48 {
      let isSame = (0..<96).allSatisfy { expected[$0, y] == image[$0, y] }
      #expect(isSame, "row \(y)")
    }
    let size: [UInt8] = [48, 112, 48, 1, 1, 49, 96, 0, 48, 0]
    var graphics = Job()
    graphics.function("L", size + image.rows)
    graphics.function("L", [48, 50])
    #expect(try Self.dots(graphics.bytes) == expected)
    let count = size.count + image.rows.count
    let long = [0x1D, 0x38, 0x4C, UInt8(count & 255), UInt8(count >> 8), 0, 0] + size + image.rows
    #expect(try Self.dots(long + [0x1D, 0x28, 0x4C, 2, 0, 48, 50]) == expected)
    var columns = Job()
    columns.add(0x1B, 0x33, 24)
    for row in stride(from: 0, to: 48, by: 24) {
      columns.add(0x1B, 0x2A, 33, 96, 0)
      for x in 0..<96 {
        for byte in 0..<3 {
          var dots: UInt8 = 0
          for bit in 0..<8 { dots = dots << 1 | (image[x, row + byte * 8 + bit] ? 1 : 0) }
          columns.add(dots)
        }
      }
      columns.add(0x0A)
    }
    #expect(try Self.dots(columns.bytes) == expected)
  }

  @Test("raster modes double the width, the height and both", arguments: 0..<4)
  func rasterModes(mode: Int) throws {
    var job = Job()
    job.raster(Job.frame(32, 10), mode: UInt8(mode))
    let bounds = try #require(Self.bounds(try Self.dots(job.bytes)))
    #expect(bounds.x == 0...(mode & 1 == 0 ? 31 : 63))
    #expect(bounds.y == 0...(mode & 2 == 0 ? 9 : 19))
  }

  @Test("alignment, margin and width move a picture; what is wider is cut off")
  func placing() throws {
    func left(_ setup: [UInt8], width: Int = 80) throws -> ClosedRange<Int>? {
      var job = Job()
      job.bytes = setup
      job.raster(Job.frame(width, 4))
      return Self.bounds(try Self.dots(job.bytes))?.x
    }
    #expect(try left([]) == 0...79)
    #expect(try left([0x1B, 0x61, 1]) == 248...327)
    #expect(try left([0x1B, 0x61, 2]) == 496...575)
    #expect(try left([0x1D, 0x4C, 100, 0]) == 100...179)
    #expect(try left([0x1D, 0x4C, 100, 0, 0x1D, 0x57, 200, 0, 0x1B, 0x61, 2]) == 220...299)
    #expect(try left([], width: 800) == 0...575)
    // In the middle of a line ESC a is not carried out.
    #expect(try left([0x41, 0x1B, 0x61, 1, 0x0A]).map { $0.lowerBound < 20 } == true)
  }

  @Test("characters take their cell at every size", arguments: 1...8)
  func sizes(n: Int) throws {
    var job = Job()
    job.size(UInt8(n), UInt8(n))
    job.add(0x1D, 0x42, 1)
    job.text("  ")
    job.add(0x0A)
    let bounds = try #require(Self.bounds(try Self.dots(job.bytes)))
    #expect(bounds.x == 0...24 * n - 1)
    #expect(bounds.y == 0...24 * n - 1)
  }

  @Test("lines wrap where the printer's area ends, and no character is lost")
  func wrapping() throws {
    let text = String((0..<200).map { Character(Unicode.Scalar(UInt8(0x41 + $0 % 26))) })
    let lines = try Self.text(Array(text.utf8) + [0x0A]).split(separator: "\n")
    #expect(lines.map(\.count) == [48, 48, 48, 48, 8])
    #expect(lines.joined() == text)
    let fontB = try Self.text([0x1B, 0x4D, 1] + Array(text.utf8) + [0x0A]).split(separator: "\n")
    #expect(fontB.map(\.count) == [64, 64, 64, 8])
    let narrow = try Self.text([0x1D, 0x57, 120, 0] + Array(text.prefix(30).utf8) + [0x0A]).split(
      separator: "\n")
    #expect(narrow.map(\.count) == [10, 10, 10])
  }

  @Test("tabs and positions make columns in the text")
  func columns() throws {
    #expect(try Self.text(Array("a\tb\tc\n".utf8)) == "a       b       c")
    #expect(try Self.text([0x1B, 0x44, 4, 20, 0] + Array("a\tb\tc\n".utf8)) == "a   b               c")
    #expect(try Self.text(Array("ab".utf8) + [0x1B, 0x24, 120, 0] + Array("cd\n".utf8)) == "ab        cd")
    #expect(try Self.text(Array("ab".utf8) + [0x1B, 0x5C, 24, 0] + Array("cd\n".utf8)) == "ab  cd")
  }

  @Test("a wide line of a frame is as long in the text as on the paper, and the bands of a picture are one")
  func wideLines() throws {
    // 0xC4 is the single line of code page 437; GS ! 0x70 makes a character eight columns wide.
    #expect(
      try Self.text([0x1D, 0x21, 0x70] + [UInt8](repeating: 0xC4, count: 6) + [0x0A])
        == String(repeating: "─", count: 48))
    #expect(try Self.text([0x1D, 0x21, 0x10] + Array("ab\n".utf8)) == "ab")
    var job = Job()
    job.raster(Job.frame(80, 24))
    job.raster(Job.frame(40, 6))
    job.line("after")
    let printer = try Profiles.printer()
    printer.feed(job.bytes)
    #expect(printer.paper.text.hasPrefix("[image 80 × 30]\nafter"))
  }

  @Test(
    "double-byte text is read by the printer's encoding, singly-byte text by its code page",
    arguments: [
      (
        #"{"encoding": "GB18030", "maximumBytes": 4}"#, [0xD6, 0xD0, 0x81, 0x39, 0xEE, 0x39] as [UInt8], "中㐀"
      ),
      (#"{"encoding": "SHIFT_JIS", "maximumBytes": 2, "codeSystem": 1}"#, [0x93, 0xFA, 0x96, 0x7B], "日本"),
      (#"{"encoding": "BIG5", "maximumBytes": 2}"#, [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
      (#"{"encoding": "EUC-KR", "maximumBytes": 2}"#, [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
    ])
  func kanji(kanji: String, bytes: [UInt8], expected: String) throws {
    let printer = try Profiles.printer(Profiles.wide(kanji: kanji), keeping: .text)
    printer.feed([0x1C, 0x26] + bytes + [0x41, 0x0A, 0x1C, 0x2E, 0x1B, 0x74, 16, 0x80, 0xE9, 0x0A])
    #expect(printer.paper.text == "\(expected)A\n€é")
  }

  @Test("ESC R replaces the twelve national characters")
  func characterSets() throws {
    #expect(try Self.text([0x1B, 0x52, 2] + Array("[]{}@~\n".utf8)) == "ÄÜäü§ß")
    #expect(try Self.text([0x1B, 0x52, 8] + Array("\\\n".utf8)) == "¥")
  }

  @Test("page mode prints where it was told, turned as it was told")
  func pageMode() throws {
    let area: [UInt8] = [0x1B, 0x4C, 0x1B, 0x57, 100, 0, 50, 0, 200, 0, 100, 0]
    var job = Job()
    job.bytes = area
    job.raster(Job.frame(40, 8))
    job.add(0x0C)
    job.line("after")
    let printer = try Profiles.printer()
    printer.feed(job.bytes)
    #expect(printer.paper.text.split(separator: "\n") == ["[image 40 × 8]", "after"])
    let upright = try #require(Self.bounds(try Self.dots(Array(job.bytes.prefix(job.bytes.count - 6)))))
    #expect(upright.x == 100...139 && upright.y == 50...57)
    var turned = Job()
    turned.bytes = area + [0x1B, 0x54, 1]
    turned.raster(Job.frame(40, 8))
    turned.add(0x0C)
    let bounds = try #require(Self.bounds(try Self.dots(turned.bytes)))
    #expect(bounds.x == 100...107 && bounds.y == 110...149)
    #expect(
      try Self.text([0x1B, 0x4C] + Array("gone\n".utf8) + [0x1B, 0x53] + Array("here\n".utf8)) == "here")
  }

  @Test("a cut without feed leaves the last lines on the next sheet, a feeding cut does not")
  func cuts() throws {
    let printer = try Profiles.printer()
    printer.feed(
      Array("one\n\n\n\n\n\ntwo\n".utf8) + [0x1D, 0x56, 0] + Array("three\n".utf8) + [0x1D, 0x56, 66, 0])
    let sheets = printer.paper.sheets
    #expect(sheets.map(\.text) == ["one\n\n\n[full cut]", "two\nthree\n[partial cut]"])
    let length = sheets.reduce(0) { $0 + $1.height }
    #expect(length == 120 + 8 * 30)
    printer.feed(Array("x".utf8) + [0x1D, 0x56, 66, 0])
    #expect(printer.paper.sheetCount == 2)
  }

  @Test("paper that ends in mid-raster stops it there, and new paper goes on with the rest")
  func paperEnd() throws {
    var job = Job()
    job.raster(Job.frame(80, 200))
    job.line("after")
    let printer = try Profiles.printer { $0.paperLeft = 50 }
    printer.feed(job.bytes)
    #expect(printer.behaviour.paper == .end)
    #expect(printer.paper.current.height == 120 + 50)
    #expect(printer.bufferedBytes == 6)
    printer.set { $0.paper = .present }
    #expect(printer.paper.current.height == 120 + 200 + 30)
    #expect(printer.paper.text == "[image 80 × 200]\nafter")
    #expect(printer.bufferedBytes == 0)
  }

  @Test("a printer that does not draw still knows the text and the length of the paper")
  func textOnly() throws {
    let bytes = PictureTests.receipt().bytes
    let drawn = try Profiles.printer()
    let told = try Profiles.printer(keeping: .text)
    drawn.feed(bytes)
    told.feed(bytes)
    #expect(told.paper.text == drawn.paper.text)
    #expect(told.paper.sheets.map(\.height) == drawn.paper.sheets.map(\.height))
    #expect(told.paper.sheets.first?.dots == nil)
  }

  @Test("old sheets are dropped by the stated rule, and counted")
  func limits() throws {
    var limits = Paper.Limits()
    limits.sheets = 3
    limits.rows = 1000
    let printer = try Profiles.printer(limits: limits)
    for number in 0..<10 { printer.feed(Array("sheet \(number)\n".utf8) + [0x1D, 0x56, 66, 0]) }
    #expect(printer.paper.sheets.map(\.number) == [7, 8, 9])
    #expect(printer.paper.droppedSheets == 7)
    #expect(printer.takeSheets().last?.text == "sheet 9\n[partial cut]")
    printer.feed([0x1B, 0x64, 255])
    #expect(printer.paper.all.allSatisfy { $0.height <= 1000 })
    #expect(printer.paper.sheets.last?.cut == .continues)
  }

  @Test("PDF417 has its rows and modules at the sizes that were set")
  func pdf417() throws {
    var job = Job()
    job.function("k", [0x30, 65, 4])
    job.function("k", [0x30, 67, 2])
    job.function("k", [0x30, 68, 3])
    job.pdf417("PDF417 on paper")
    let bounds = try #require(PaperTests.bounds(try PaperTests.dots(job.bytes)))
    // Start, left, four columns, right, stop and the last bar: 17 × 7 + 18 modules, less white ones at no end.
    #expect(bounds.x.count == 2 * (17 * 7 + 18))
    #expect(bounds.y.count % 6 == 0)
    #expect(try PaperTests.text(job.bytes) == "[PDF417 PDF417 on paper]")
    var size = Job()
    size.pdf417("x")
    let printer = try Profiles.printer()
    size.function("k", [0x30, 82, 48])
    printer.feed(size.bytes)
    let reply = printer.takeReplies()
    #expect(reply.starts(with: [0x37, 0x2F]) && reply.last == 0)
  }

  @Test("stored, downloaded and user-defined pictures print as they were defined")
  func storedPictures() throws {
    let column: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 0x01]
    let download = [0x1D, 0x2A, 1, 1] + column + [0x1D, 0x2F, 0]
    let image = try PaperTests.dots(download)
    #expect(image.height == 8 && image[0, 0] && image[7, 7] && !image[7, 0])
    #expect(try PaperTests.dots([0x1C, 0x71, 1, 1, 0, 1, 0] + column + [0x1C, 0x70, 1, 0]) == image)
    let character: [UInt8] = [0x1B, 0x26, 3, 65, 65, 1, 0xFF, 0xFF, 0xFF, 0x1B, 0x25, 1, 0x41, 0x0A]
    #expect(PaperTests.bounds(try PaperTests.dots(character))?.y == 0...23)
    #expect(PaperTests.bounds(try PaperTests.dots(character))?.x == 0...0)
  }

  @Test("while the printer is deselected nothing is printed")
  func deselected() throws {
    #expect(
      try PaperTests.text(
        [0x1B, 0x3D, 2] + Array("display\n".utf8) + [0x1B, 0x3D, 1] + Array("paper\n".utf8)) == "paper")
  }

  @Test("control characters of code pages never come into the text")
  func controlCharacters() throws {
    let profile = try Profiles.wide(codePages: #"[{"slot": 0, "encoding": "ISO-8859-1"}]"#)
    let printer = try Profiles.printer(profile, keeping: .text)
    printer.feed((0x7F...0xFF).map { UInt8($0) } + [0x0A])
    #expect(
      printer.paper.text.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
      })
  }
}
