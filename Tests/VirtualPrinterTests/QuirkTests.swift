import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// The deviations of clones, each against the good printer.
@Suite struct QuirkTests {
  private func height(_ bytes: [UInt8], _ quirks: Set<Behaviour.Quirk>) throws -> Int {
    try PaperTests.dots(bytes) { $0.quirks = quirks }.height
  }

  private func text(_ bytes: [UInt8], _ quirks: Set<Behaviour.Quirk>) throws -> String {
    try PaperTests.text(bytes) { $0.quirks = quirks }
  }

  @Test("ESC J ignored")
  func feedUnits() throws {
    #expect(try height([0x1B, 0x4A, 100], []) == 100)
    #expect(try height([0x1B, 0x4A, 100], [.ignoresFeedUnits]) == 0)
    #expect(try height([0x1B, 0x4A, 100], [.feedsHalfDots]) == 50)
  }

  @Test("GS V 66 ignored, GS V 65 feeds only")
  func feedingCut() throws {
    let printer = try Profiles.printer { $0.quirks = [.knowsNoFeedingCut] }
    printer.feed(Array("a\n".utf8) + [0x1D, 0x56, 66, 0])
    #expect(printer.paper.sheetCount == 0 && printer.paper.current.height == 150)
    printer.feed([0x1D, 0x56, 65, 10])
    #expect(printer.paper.sheetCount == 0 && printer.paper.current.height == 160)
    printer.feed([0x1D, 0x56, 0])
    #expect(printer.paper.sheetCount == 1)
  }

  @Test("ESC $ ignored in a line, ESC \\ ignored backwards")
  func positions() throws {
    let absolute = Array("ab".utf8) + [0x1B, 0x24, 120, 0] + Array("c\n".utf8)
    #expect(try text(absolute, [.ignoresPositionInLine]) == "abc")
    let backwards = Array("abc   ".utf8) + [0x1B, 0x5C, 0xDC, 0xFF] + Array("d\n".utf8)
    #expect(try text(backwards, []) == "abcd")
    #expect(try text(backwards, [.ignoresBackwardMove]) == "abc   d")
  }

  @Test("one LF after GS v 0 swallowed, and only one")
  func lineFeedAfterRaster() throws {
    var job = Job()
    job.raster(Job.frame(8, 10))
    job.add(0x0A, 0x0A)
    #expect(try height(job.bytes, []) == 70)
    #expect(try height(job.bytes, [.swallowsLineFeedAfterRaster]) == 40)
  }

  @Test("8-dot columns at 1 dot or 3")
  func columnImages() throws {
    let bytes: [UInt8] = [0x1B, 0x2A, 1, 2, 0, 0xFF, 0xFF, 0x0A]
    #expect(PaperTests.bounds(try PaperTests.dots(bytes))?.y == 0...23)
    let flat = try PaperTests.dots(bytes) { $0.quirks = [.printsColumnImagesFlat] }
    #expect(PaperTests.bounds(flat)?.y == 0...7)
  }

  @Test("barcode settings reset after the first form, and DataBar unknown")
  func barcodes() throws {
    var job = Job()
    job.add(0x1D, 0x68, 50)
    job.bytes += [0x1D, 0x6B, 3] + Array("9638507".utf8) + [0]
    job.barcode(68, "9638507")
    #expect(try height(job.bytes, []) == 100)
    #expect(try height(job.bytes, [.resetsBarcodeSettings]) == 50 + 162)
    var bar = Job()
    bar.barcode(75, "0123456789012")
    #expect(try height(bar.bytes, []) == 162)
    #expect(try height(bar.bytes, [.knowsNoDataBar]) == 0)
  }

  @Test("ESC @ that keeps margins and code page, ESC M that loses it")
  func initialising() throws {
    let margin: [UInt8] = [0x1D, 0x57, 24, 0, 0x1B, 0x40] + Array("abc\n".utf8)
    #expect(try text(margin, []) == "abc")
    #expect(try text(margin, [.keepsMarginsOnInitialize]) == "ab\nc")
    let page: [UInt8] = [0x1B, 0x74, 16, 0x1B, 0x40, 0x80, 0x0A]
    #expect(try text(page, []) == "Ç")
    #expect(try text(page, [.keepsCodePageOnInitialize]) == "€")
    let font: [UInt8] = [0x1B, 0x74, 16, 0x1B, 0x4D, 0, 0x80, 0x0A]
    #expect(try text(font, []) == "€")
    #expect(try text(font, [.losesCodePageOnFont]) == "Ç")
  }

  @Test("double-byte text on after ESC @, so that accents pair into Chinese")
  func kanjiAtStart() throws {
    let bytes: [UInt8] = [0x1B, 0x40, 0xD6, 0xD0, 0x0A]
    #expect(try text(bytes, []) == "╓╨")
    #expect(try text(bytes, [.startsInKanjiMode]) == "中")
    #expect(try text([0x1B, 0x40, 0x1C, 0x2E, 0xD6, 0xD0, 0x0A], [.startsInKanjiMode]) == "╓╨")
  }

  @Test("unknown GS ( k and GS ( H print their tail")
  func unknownFunctions() throws {
    var job = Job()
    job.qr("abc")
    job.add(0x0A)
    #expect(try text(job.bytes, []) == "[QR abc]")
    #expect(try text(job.bytes, [.knowsNo2DCodes]).contains("1P0abc"))
    var fence = Job()
    fence.function("H", [48, 48] + Array("A1b2".utf8))
    fence.add(0x0A)
    #expect(try text(fence.bytes, [.knowsNoProcessID]) == "00A1b2")
  }

  @Test("a line that is not empty stops pictures, barcodes and cuts, as on real printers")
  func linesInTheWay() throws {
    let printer = try Profiles.printer()
    var job = Job()
    job.text("x")
    job.raster(Job.frame(8, 8))
    job.barcode(68, "9638507")
    job.add(0x1D, 0x56, 0)
    printer.feed(job.bytes)
    #expect(printer.paper.current.entries.isEmpty && printer.paper.sheetCount == 0)
  }

  @Test("bars that do not fit are not printed, and the paper feeds")
  func tooWide() throws {
    var job = Job()
    job.add(0x1D, 0x77, 6, 0x1D, 0x68, 60)
    job.barcode(73, "{B" + String(repeating: "long", count: 10))
    let dots = try PaperTests.dots(job.bytes)
    #expect(dots.height == 60 && PaperTests.bounds(dots) == nil)
  }
}
