import FoundationEssentials
import PrintTestKit
import Testing
import TextRaster
import VirtualPrinter

@testable import ESCPOS

/// Jobs that are cut into parts with a question behind each.
@Suite("Questions in mid-job on paper")
struct MidJobQuestionTests {
  private func paper(_ bytes: [UInt8], _ profile: PrinterProfile) throws -> (dots: [DotImage?], answers: Int)
  {
    let printer = try Profiles.printer(profile)
    printer.feed(bytes)
    let answers = printer.takeReplies().count
    printer.finish()
    return (printer.takeSheets().map(\.dots) + [printer.paper.current.dots], answers)
  }

  @Test(
    "leave every dot where it was, and are all answered",
    arguments: ["generic-58", "generic-80", "epson-tm-m30"])
  func paper(name: String) throws {
    let raster = PangoRaster { name in
      // Those of tests without a decoder have no file.
      (try? Fixtures.bytes("receipts/\(name)")) ?? (try? Fixtures.bytes("receipts/logo.png"))
    }
    let catalogue = try JSONDecoder().decode(ProfileCatalogue.self, from: Data(PrinterProfile.builtInJSON))
    let profile = try catalogue.profile(named: name)
    let renderer = Renderer(profile: profile, dots: raster)
    for fixture in try Fixtures.names(in: "receipts", suffix: ".json") {
      let receipt = try JSONDecoder().decode(Receipt.self, from: Data(try Fixtures.bytes(fixture)))
      let job = try renderer.render(receipt)
      let whole = try paper(job.bytes, profile)
      for length in [1, 300, 1_012] {
        let parts = JobParts(job.bytes, seams: job.seams, length: length, window: 0).parts
        let asked = try paper(parts.flatMap { $0.bytes + [0x1D, 0x72, 0x01] }, profile)
        #expect(asked.dots == whole.dots, "\(fixture), parts of \(length)")
        #expect(asked.answers == parts.count, "\(fixture), parts of \(length)")
      }
    }
  }
}
