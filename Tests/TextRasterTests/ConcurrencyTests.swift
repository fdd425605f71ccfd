import ESCPOS
import PrintTestKit
import Testing
import TextRaster
import Threads

/// One source of dots for many tasks.
@Suite("Concurrency") struct ConcurrencyTests {
  @Test("many tasks draw at once, and each gets what it would have got alone")
  func manyTasks() async throws {
    let raster = PangoRaster()
    let cell = CellSize(width: 12, height: 24)
    let png = try Fixtures.bytes("raster/colours.png")
    @Sendable func work(_ index: Int) throws -> [DotImage] {
      let scalar = Unicode.Scalar(UInt8(33 + index % 90))
      let gray = try raster.gray(image: .data(png), width: 1 + index % 40, maximumWidth: 576)
      var edge = DotImage(width: gray.width, height: gray.height)
      edge[0, 0] = gray.levels[0] < 128
      return [
        raster.glyph(scalar, cell: cell, bold: index % 2 == 0),
        try raster.dots(
          text: "№ \(index % 50) مرحبا 中文", columns: 8 + index % 20, cell: cell,
          style: .init(height: 1 + index % 3),
          align: .right),
        try raster.dots(barcode: .init(.code128, "A-\(index % 50)"), maximumWidth: 576),
        try raster.symbol(.qr(.model2, .m), data: Array("\(index % 50)".utf8)), edge,
      ]
    }
    let alone = try (0..<200).map(work)
    let together = try await withThrowingTaskGroup(of: (Int, [DotImage]).self) { group in
      for index in 0..<200 { group.addTask { (index, try work(index)) } }
      return try await group.reduce(into: [Int: [DotImage]]()) { $0[$1.0] = $1.1 }
    }
    for index in 0..<200 { #expect(together[index] == alone[index]) }
  }

  @Test("letting go of the fonts changes no dot")
  func release() {
    let raster = PangoRaster()
    let cell = CellSize(width: 12, height: 24)
    raster.releaseFonts()
    let before = raster.glyph("Ä", cell: cell, bold: false)
    raster.releaseFonts()
    #expect(raster.glyph("Ä", cell: cell, bold: false) == before)
  }

  @Test(
    "sources with fonts of their own draw at once, of more fonts than Cairo keeps open, and characters of none"
  )
  func manyFonts() async throws {
    let texts = [
      "№ 1", "مرحبا", "中文", "ไทย", "שלום", "हिन्दी", "ひらがな", "한국어", "😀", "Ω", "\u{E123}", "\u{10FF00}",
    ]
    @Sendable func work() -> [DotImage?] {
      ["zh-CN", "zh-TW", "ja", "ko", "en"].flatMap { language in
        let raster = PangoRaster(language: language)
        return texts.flatMap { text in
          [false, true].map { bold in
            try? raster.dots(
              text: text, columns: 8, cell: CellSize(width: 12, height: 24), style: .init(bold: bold),
              align: .left)
          }
        }
      }
    }
    let alone = work()
    // More than the machine has processors, so that each is stopped anywhere for the others.
    let threads = WorkThreads()
    await withTaskGroup(of: [DotImage?].self) { group in
      for _ in 0..<24 { group.addTask { await threads.run(work) } }
      for await together in group { #expect(together == alone) }
    }
  }

  @Test("several sources draw at once")
  func manySources() async throws {
    let cell = CellSize(width: 24, height: 24)
    let glyphs = await withTaskGroup(of: DotImage.self) { group in
      for _ in 0..<8 { group.addTask { PangoRaster().glyph("中", cell: cell, bold: false) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(glyphs.count == 8 && Set(glyphs.map(\.rows)).count == 1)
  }
}
