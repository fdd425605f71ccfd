import Documents
import ESCPOS
import PrintTestKit
import TextRaster
import Testing
import VirtualPrinter

@Suite("A job prints the same whatever state the last one left the printer in", .timeLimit(.minutes(2)))
struct PriorStateTests {
  /// What another program may have left behind: each is sent alone, and many together.
  private static let leftovers: [(name: String, bytes: [UInt8])] = [
    ("page 19", [0x1B, 0x74, 19]), ("page 17", [0x1B, 0x74, 17]), ("double-byte on", [0x1C, 0x26]),
    ("double-byte off", [0x1C, 0x2E]), ("size 8 × 8", [0x1D, 0x21, 0x77]), ("font B", [0x1B, 0x4D, 1]),
    ("all of ESC !", [0x1B, 0x21, 0xB9]), ("all of FS !", [0x1C, 0x21, 0x8C]), ("bold", [0x1B, 0x45, 1]),
    ("underline", [0x1B, 0x2D, 2]), ("double-byte underline", [0x1C, 0x2D, 2]), ("invert", [0x1D, 0x42, 1]),
    ("upside-down", [0x1B, 0x7B, 1]), ("rotated", [0x1B, 0x56, 1]), ("right", [0x1B, 0x61, 2]),
    ("spacing 5", [0x1B, 0x33, 5]), ("right-side space", [0x1B, 0x20, 9]), ("Swedish", [0x1B, 0x52, 5]),
    ("left margin", [0x1D, 0x4C, 100, 0]), ("print width", [0x1D, 0x57, 60, 0]),
    ("barcode settings", [0x1D, 0x68, 9, 0x1D, 0x77, 6, 0x1D, 0x48, 1, 0x1D, 0x66, 1]),
    ("tabs", [0x1B, 0x44, 3, 0]), ("half a line", Array("half a line".utf8)),
    ("display selected", [0x1B, 0x3D, 2]), ("page mode", [0x1B, 0x4C] + Array("in page mode".utf8)),
  ]

  private static let quirks: [Set<Behaviour.Quirk>] = [
    [],
    [.keepsMarginsOnInitialize, .keepsCodePageOnInitialize, .losesCodePageOnFont, .startsInKanjiMode],
  ]

  private static let raster = PangoRaster { name in try? Fixtures.bytes("receipts/\(name)") }

  private func printer(_ profile: PrinterProfile, _ quirks: Set<Behaviour.Quirk>) -> VirtualPrinter {
    var behaviour = Behaviour()
    behaviour.quirks = quirks
    return VirtualPrinter(
      profile: profile, glyphs: Self.raster, symbols: Self.raster, behaviour: behaviour)
  }

  /// The dots that a job makes on a printer in some state, sheet by sheet; what was on the paper before is left out.
  private func dots(_ job: [UInt8], after prior: [UInt8], _ printer: VirtualPrinter) -> [[UInt8]] {
    printer.feed(prior)
    let before = printer.paper.current
    printer.feed(job)
    printer.finish()
    return printer.paper.all.filter { $0.number >= before.number }.map { sheet in
      let rows = sheet.dots?.rows ?? []
      let stride = (sheet.width + 7) / 8
      return Array(rows.dropFirst(sheet.number == before.number ? before.height * stride : 0))
    }
  }

  @Test(
    "each thing left behind, and all of them in a random order, change not one dot",
    arguments: ["generic-58", "generic-80", "epson-tm-m30"],
    ["retail-en", "restaurant-zh", "euro-accents", "logo-heavy"])
  func identical(profileName: String, receiptName: String) throws {
    let catalogue = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    let profile = try catalogue.profile(named: profileName)
    let receipt = try DocumentReader.read(
      Receipt.self, from: try Fixtures.bytes("receipts/\(receiptName).json"))
    let job = try Renderer(profile: profile, dots: Self.raster).render(receipt).bytes
    for quirks in Self.quirks where quirks.isEmpty || profileName.hasPrefix("generic") {
      let expected = dots(job, after: [], printer(profile, quirks))
      #expect(expected.contains { $0.contains { $0 != 0 } }, "nothing was printed at all")
      var mixtures = Self.leftovers.map { [$0] }
      for _ in 0..<3 { mixtures.append(Self.leftovers.shuffled()) }
      let wrong = mixtures.filter { mixture in
        dots(job, after: mixture.flatMap(\.bytes), printer(profile, quirks)) != expected
      }
      #expect(wrong.map { $0.map(\.name) } == [], "quirks: \(quirks.map(\.rawValue).sorted())")
    }
  }
}
