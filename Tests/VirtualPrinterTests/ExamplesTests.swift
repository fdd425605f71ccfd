import ESCPOS
import FoundationEssentials
import PrintTestKit
import Testing
import TextRaster
import VirtualPrinter

@Suite("The examples of the receipt document are what the page says")
struct ExamplesTests {
  private static let folder = "../Examples/receipts"

  private func profiles() throws -> [PrinterProfile] {
    try JSONDecoder().decode(ProfileCatalogue.self, from: Data(PrinterProfile.builtInJSON)).profiles
  }

  @Test("every example prints on every built-in printer, and leaves something on the paper")
  func examples() throws {
    let raster = PangoRaster { name in try? Fixtures.bytes("\(Self.folder)/\(name)") }
    for name in try Fixtures.names(in: Self.folder, suffix: ".json") {
      let receipt = try JSONDecoder().decode(Receipt.self, from: Data(try Fixtures.bytes(name)))
      for profile in try profiles() {
        let rendered = try Renderer(profile: profile, dots: raster).render(receipt)
        let printer = VirtualPrinter(profile: profile, glyphs: raster, symbols: raster)
        printer.feed(rendered.bytes)
        printer.finish()
        #expect(!printer.paper.text.isEmpty, "\(name) on \(profile.name)")
        var tokenizer = CommandTokenizer()
        let faults = (tokenizer.tokens(of: rendered.bytes) + tokenizer.finish()).compactMap(\.fault)
        #expect(faults.isEmpty, "\(name) on \(profile.name): \(faults)")
      }
    }
  }

  @Test("every type of block has an example and a section")
  func blocks() throws {
    let page = try Fixtures.text(ofFile: "\(Fixtures.project)/Docs/receipt.md")
    var examples = ""
    for name in try Fixtures.names(in: Self.folder, suffix: ".json") {
      examples += String(decoding: try Fixtures.bytes(name), as: UTF8.self)
    }
    for type in ["text", "columns", "rule", "barcode", "qr", "image", "feed", "cut", "drawer", "beep"] {
      #expect(examples.contains(#"{"type": "\#(type)""#), "no example of \(type)")
      #expect(page.contains(#"{"type": "\#(type)""#), "\(type) is not on the page")
    }
  }

  @Test("every block on the page is read as it stands there")
  func snippets() throws {
    let page = try Fixtures.text(ofFile: "\(Fixtures.project)/Docs/receipt.md")
    let lines = page.split(separator: "\n").map(String.init)
    // Blocks in code fences stand on a line of their own, those of the last table between back ticks.
    let blocks =
      lines.filter { $0.hasPrefix(#"{"type""#) }
      + lines.filter { $0.hasPrefix(#"| `{"type""#) }.map { String($0.split(separator: "`")[1]) }
    #expect(blocks.count == 10)
    for block in blocks {
      #expect(throws: Never.self, "\(block)") {
        try JSONDecoder().decode(Receipt.self, from: Data(#"{"blocks": [\#(block)]}"#.utf8))
      }
    }
  }

  @Test("every file that a page links to is there")
  func links() throws {
    let pages =
      ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map { ($0, "") }
      + ["backend", "benchmarks", "configuration", "operations", "printers", "receipt"].map {
        ("Docs/\($0).md", "Docs/")
      }
    var checked = 0
    for (page, folder) in pages {
      let text = try Fixtures.text(ofFile: "\(Fixtures.project)/\(page)")
      for part in text.split(separator: "](").dropFirst() {
        let target = part.prefix { $0 != ")" && $0 != "#" }
        guard !target.isEmpty, !target.hasPrefix("http") else { continue }
        let isFile = (try? Fixtures.bytes("../\(folder)\(target)"))?.isEmpty == false
        let isFolder =
          target.hasSuffix("/") && (try? Fixtures.names(in: "../\(folder)\(target)", suffix: "")) != nil
        #expect(isFile || isFolder, "\(page) links to \(target)")
        checked += 1
      }
    }
    #expect(checked > 15)
  }
}
