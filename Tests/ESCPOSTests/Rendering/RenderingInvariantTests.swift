import Testing

@testable import ESCPOS

/// What holds for every receipt on every printer, tried on thousands of random ones.
@Suite struct RenderingInvariantTests {
  private func profiles() throws -> [PrinterProfile] {
    let builtIn = try PrinterProfile.builtInNames.map { try PrinterProfile.builtIn($0) }
    let odd = [
      try PrinterProfile.builtIn("generic-58") {
        $0.name = "narrow"
        $0.widthDots = 200
        $0.fontA.columns = 16
        $0.fontB = nil
        $0.kanji = nil
        $0.cutter = nil
        $0.raster?.maximumRows = 24
      },
      try PrinterProfile.builtIn("generic-80") {
        $0.name = "odd width"
        $0.widthDots = 420
        $0.fontA.columns = 35
        $0.fontB?.columns = 46
        $0.kanji?.encoding = .shiftJIS
        $0.kanji?.codeSystem = 1
        $0.codePages = [.init(slot: 0, encoding: "CP437")]
      },
      try PrinterProfile.builtIn("generic-80") {
        $0.name = "bare"
        $0.withoutCommands = Abilities.mnemonics.map(\.name).filter { $0 != "FS ." }
        $0.qr = nil
        $0.barcodes = []
      },
    ]
    return builtIn + odd
  }

  @Test(
    "no rule is broken: line widths, empty lines before blocks, control bytes, real-time commands, bands, profile"
  )
  func rules() throws {
    for profile in try profiles() {
      let renderer = Renderer(profile: profile, dots: BoxDots())
      for seed in 0..<150 as Range<UInt64> {
        var random = RandomReceipt(seed: seed)
        let receipt = random.receipt()
        let job = try renderer.render(
          receipt, originals: Int(seed % 3), mark: seed % 5 == 0 ? CopyMark(text: "补打 2") : nil)
        let paper = try PrintedPaper(job.bytes, on: profile)
        #expect(paper.faults == [], "\(profile.name), seed \(seed)")
      }
    }
  }

  @Test("no character is lost: each is printed or drawn, once")
  func nothingLost() throws {
    for profile in try profiles() {
      for seed in 1000..<1120 as Range<UInt64> {
        let dots = BoxDots()
        var random = RandomReceipt(seed: seed)
        var receipt = random.receipt()
        receipt.blocks.removeAll {
          if case .rule = $0 { return true }
          if case .barcode = $0 { return true }
          if case .qr = $0 { return true }
          return false
        }
        let paper = try Renderer(profile: profile, dots: dots).paper(receipt)
        let printed = (paper.text.visibleScalars + dots.texts.flatMap(\.visibleScalars)).sorted()
        let differences = printed.difference(from: receipt.visibleScalars).map { "\($0)" }
        #expect(differences == [], "\(profile.name), seed \(seed)")
      }
    }
  }

  @Test("without a dot source every character still leaves a trace")
  func marks() throws {
    for profile in try profiles() {
      let renderer = Renderer(profile: profile, dots: nil)
      for seed in 2000..<2100 as Range<UInt64> {
        var random = RandomReceipt(seed: seed)
        let text = random.text(upTo: 40)
        let rendered = try renderer.render(.lines(text))
        let paper = try PrintedPaper(rendered.bytes, on: profile)
        #expect(paper.faults == [], "\(profile.name), seed \(seed)")
        let clusters = text.filter { !String($0).visibleScalars.isEmpty }.count
        #expect(paper.text.visibleScalars.count >= clusters, "\(profile.name), seed \(seed)")
      }
    }
  }

  @Test("the same receipt gives the same bytes, also from many threads at once")
  func same() async throws {
    let renderer = Renderer(profile: try .builtIn("generic-80"), dots: BoxDots())
    var random = RandomReceipt(seed: 7)
    let receipt = random.receipt()
    let first = try renderer.render(receipt)
    await withTaskGroup(of: RenderedReceipt?.self) { group in
      for _ in 0..<16 { group.addTask { try? renderer.render(receipt) } }
      for await rendered in group { #expect(rendered == first) }
    }
  }

  @Test("two thousand items and a text of 64 KiB are printed whole")
  func long() throws {
    let items = (0..<2000).map {
      Receipt.Block.columns(.init([.init("Item \($0)"), .init("1.00", align: .right, width: 8)]))
    }
    let renderer = Renderer(profile: try .builtIn("generic-58"), dots: nil)
    let paper = try renderer.paper(Receipt(blocks: items))
    #expect(paper.lines.count == 2000)
    #expect(paper.faults == [])
    #expect(try renderer.paper(.lines(String(repeating: "word ", count: 13_000))).lines.count == 2167)
    #expect(try renderer.paper(.lines(String(repeating: "x", count: 65_536))).lines.count == 2048)
  }
}
