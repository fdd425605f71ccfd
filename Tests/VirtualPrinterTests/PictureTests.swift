import ESCPOS
import Testing
import VirtualPrinter

@Suite struct PictureTests {
  /// GB18030 text between `FS &` and `FS .`.
  static func chinese(_ job: inout Job, _ bytes: [UInt8]) {
    job.add(0x1C, 0x26)
    job.bytes += bytes
    job.add(0x1C, 0x2E)
  }

  static func receipt() -> Job {
    var job = Job()
    job.initialize()
    job.align(1)
    job.size(2, 2)
    job.bold(true)
    job.line("CAFE AURORA")
    job.size(1, 1)
    job.bold(false)
    job.line("12 Harbour Street, Dublin")
    chinese(&job, [0xBB, 0xB6, 0xD3, 0xAD, 0xB9, 0xE2, 0xC1, 0xD9])  // 欢迎光临
    job.add(0x0A)
    job.align(0)
    job.line(String(repeating: "-", count: 48))
    job.line("2 x Flat White                            7.60")
    job.line("1 x Croissant                             3.20")
    job.add(0x1B, 0x2D, 1)
    job.line("1 x Orange juice                          4.10")
    job.add(0x1B, 0x2D, 0)
    job.line(String(repeating: "-", count: 48))
    job.size(2, 2)
    job.line("TOTAL              14.90")
    job.size(1, 1)
    job.add(0x1D, 0x42, 1)
    job.line(" PAID BY CARD ")
    job.add(0x1D, 0x42, 0)
    job.add(0x1B, 0x4D, 1)
    job.line("Font B: VAT 23% included 2.79, thank you for your visit today")
    job.add(0x1B, 0x4D, 0, 0x1B, 0x7B, 1)
    job.line("upside down")
    job.add(0x1B, 0x7B, 0, 0x1B, 0x56, 1)
    job.line("turned")
    job.add(0x1B, 0x56, 0)
    job.align(1)
    job.add(0x1D, 0x68, 80, 0x1D, 0x77, 3, 0x1D, 0x48, 2)
    job.barcode(67, "400638133393")
    job.add(0x0A)
    job.barcode(73, "{BA-0187{C\u{0C}\u{22}")
    job.add(0x0A)
    job.qr("https://example.org/r/20261130-000187", module: 6)
    job.raster(Job.frame(200, 40))
    job.add(0x1B, 0x70, 0, 50, 50, 0x1B, 0x42, 2, 2)
    job.cut()
    return job
  }

  @Test("the scanner reads what the receipt's bars and dots say, and a person reads its text")
  func receipt() throws {
    let printer = try Profiles.printer()
    printer.feed(Self.receipt().bytes)
    let sheets = printer.paper.sheets
    #expect(sheets.count == 1)
    let text = sheets.first?.text ?? ""
    #expect(text.contains("2 x Flat White                            7.60"))
    #expect(text.contains("欢迎光临"))
    #expect(text.split(separator: "\n").first == "             CAFE AURORA")
    #expect(text.contains("TOTAL"))
    #expect(text.contains("14.90"))
    #expect(sheets.first?.marks == [.drawer(pin: 2, milliseconds: 100), .beep(times: 2), .cut(.partial)])
    let path = try Show.save(printer, "receipt")
    let read = try Show.scan(path)
    #expect(read.contains("EAN-13:4006381333931"))
    #expect(read.contains("CODE-128:A-01871234"))
    #expect(read.contains("QR-Code:https://example.org/r/20261130-000187"))
  }
}
