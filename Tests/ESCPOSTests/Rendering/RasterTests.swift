import Testing

@testable import ESCPOS

@Suite struct RasterTests {
  /// Lays bands on paper and returns the dots of the whole width.
  private func laid(_ bands: [UInt8], width: Int, align: Receipt.Alignment) throws -> [[Bool]] {
    var rows: [[Bool]] = []
    for token in try Tokenizer.tokens(bands) {
      let byteWidth = token.pair(4)
      let offset = align == .left ? 0 : align == .right ? width - byteWidth * 8 : (width - byteWidth * 8) / 2
      for row in 0..<token.pair(6) {
        var dots = [Bool](repeating: false, count: width)
        for x in 0..<byteWidth * 8 {
          let byte = token.payload[token.payload.startIndex + row * byteWidth + x / 8]
          dots[offset + x] = byte & (0x80 >> UInt8(x & 7)) != 0
        }
        rows.append(dots)
      }
    }
    return rows
  }

  private func image(_ width: Int, _ height: Int, seed: UInt64, density: Int) -> DotImage {
    var random = SeededGenerator(seed: seed)
    var image = DotImage(width: width, height: height)
    var y = 0
    while y < height {
      let run = min(Int.random(in: 1...40, using: &random), height - y)
      let left = Int.random(in: 0..<width, using: &random)
      let right = Int.random(in: left..<width, using: &random)
      if Bool.random(using: &random) {
        for row in y..<y + run {
          for x in left...right where Int.random(in: 0..<density, using: &random) == 0 {
            image[x, row] = true
          }
        }
      }
      y += run
    }
    return image
  }

  @Test(
    "bands put every dot where it belongs, but for those that keep real-time commands out",
    arguments: Receipt.Alignment.allCases)
  func bands(align: Receipt.Alignment) throws {
    for seed in 0..<12 as Range<UInt64> {
      let image = image(384, 300 + Int(seed), seed: seed, density: 1 + Int(seed % 3) * 5)
      let bands = RasterBands(image, align: align, maximumRows: 255)
      let rows = try laid(bands.bytes, width: 384, align: align)
      #expect(rows.count == image.height)
      var changed = 0
      for y in 0..<image.height {
        for x in 0..<384 where rows[y][x] != image[x, y] {
          changed += 1
          #expect(rows[y][x], "a dot was lost at \(x), \(y)")
        }
      }
      #expect(changed < 200)
      #expect(!RealTimeGuard.isHazardous(bands.bytes))
      #expect(bands.bytes.count <= 8 * ((image.height + 254) / 255) + 48 * image.height)
    }
  }

  @Test("no band has more rows than the printer takes, nor a height whose bytes start a real-time command")
  func bandHeights() throws {
    var image = DotImage(width: 576, height: 2600)
    image.blacken(rows: 2600)
    for limit in [1, 24, 255, 1040, 1296, 2303] {
      let tokens = try Tokenizer.tokens(RasterBands(image, align: .left, maximumRows: limit).bytes)
      #expect(tokens.map { $0.pair(6) }.reduce(0, +) == 2600)
      #expect(tokens.allSatisfy { $0.pair(6) <= limit && ![0x410, 0x510, 0x1410].contains($0.pair(6)) })
    }
  }

  @Test("white costs next to nothing, and the picture keeps its height")
  func white() throws {
    var image = DotImage(width: 384, height: 200)
    for x in 100..<200 { image[x, 100] = true }
    let bands = RasterBands(image, align: .center, maximumRows: 255)
    #expect(bands.bytes.count < 500)
    #expect(try laid(bands.bytes, width: 384, align: .center).count == 200)
  }

  @Test("images of more than 65,535 bytes are cut into bands whose lengths hold")
  func bigImage() throws {
    let levels = [UInt8](repeating: 100, count: 576 * 1200)
    let dots = BoxDots(picture: GrayImage(width: 576, height: 1200, levels: levels))
    for (name, most) in [("generic-80", 86_400 + 53), ("epson-tm-m30", 86_400 + 13)] {
      let receipt = Receipt(blocks: [.image(.init(.named("photo"), align: .left))])
      let job = try Renderer(profile: .builtIn(name), dots: dots).render(receipt).bytes
      let paper = try PrintedPaper(job, on: .builtIn(name))
      #expect(paper.faults == [])
      #expect(paper.rasters.map(\.rows).reduce(0, +) == 1200)
      #expect(job.count <= most)
    }
  }

  @Test("dithering keeps the tone of every grey", arguments: Array(stride(from: 0, through: 255, by: 15)))
  func tone(level: Int) {
    let gray = GrayImage(width: 64, height: 64, levels: [UInt8](repeating: UInt8(level), count: 4096))
    let dots = gray.dithered(.diffusion)
    let black = dots.rows.reduce(0) { $0 + $1.nonzeroBitCount }
    let printed = 255 - Double(black) * 255 / 4096
    #expect(abs(printed - Double(level)) < 2.5)
  }

  @Test("dithering keeps the tone of a slope in every block of it")
  func slope() {
    let width = 256
    let levels = (0..<width * 64).map { UInt8($0 % width) }
    let dots = GrayImage(width: width, height: 64, levels: levels).dithered(.diffusion)
    for block in 0..<16 {
      var black = 0
      for y in 0..<64 { for x in block * 16..<block * 16 + 16 where dots[x, y] { black += 1 } }
      #expect(abs(255 - Double(black) * 255 / 1024 - (Double(block) * 16 + 7.5)) < 4)
    }
  }

  @Test("the threshold is the middle")
  func threshold() {
    let dots = GrayImage(width: 4, height: 1, levels: [0, 127, 128, 255]).dithered(.threshold)
    #expect(dots.rows == [0b1100_0000])
  }

  @Test("a picture is decoded once per renderer")
  func cache() throws {
    let dots = BoxDots(picture: GrayImage(width: 80, height: 40, levels: [UInt8](repeating: 60, count: 3200)))
    let renderer = Renderer(profile: try .builtIn("generic-58"), dots: dots)
    let receipt = Receipt(blocks: [.image(.init(.named("logo")))])
    let first = try renderer.render(receipt)
    #expect(try renderer.render(receipt) == first)
    #expect(dots.decodings == 1)
    _ = try renderer.render(Receipt(blocks: [.image(.init(.named("logo"), dither: .threshold))]))
    #expect(dots.decodings == 2)
  }

  @Test("the cache holds what was used last and no more than its limit")
  func cacheLimit() {
    let cache = RasterCache(limit: 3000)
    var image = DotImage(width: 64, height: 100)
    image.blacken(rows: 100)
    let bands = RasterBands(image, align: .left, maximumRows: 255)
    func key(_ name: String) -> RasterCache.Key {
      .init(source: .named(name), width: nil, dither: .diffusion, align: .left)
    }
    for name in ["a", "b", "c"] { cache.keep(bands, for: key(name)) }
    #expect(cache.bands(for: key("a")) != nil)
    cache.keep(bands, for: key("d"))
    #expect(cache.byteCount <= 3000)
    #expect(cache.bands(for: key("b")) == nil)
    #expect(cache.bands(for: key("a")) == bands)
    #expect(cache.bands(for: key("d")) == bands)
  }

  @Test("a picture that cannot be read, or that the printer cannot print, is refused with its place")
  func refused() throws {
    let receipt = Receipt(blocks: [.text(.init("a")), .image(.init(.named("none")))])
    let missing = #expect(throws: RenderError.self) {
      try Renderer(profile: .builtIn("generic-58"), dots: BoxDots()).render(receipt)
    }
    #expect(missing?.code == .image)
    #expect(missing?.path == "blocks[1]")
    let unsupported = #expect(throws: RenderError.self) {
      try Renderer(profile: .builtIn("generic-58"), dots: nil).render(receipt)
    }
    #expect(unsupported?.code == .unsupported)
    let wide = BoxDots(picture: GrayImage(width: 400, height: 1, levels: [UInt8](repeating: 0, count: 400)))
    #expect(throws: RenderError.self) {
      try Renderer(profile: .builtIn("generic-58"), dots: wide).render(receipt)
    }
  }

  @Test("one dot is added where raster bytes would be a real-time command, across rows too")
  func defuse() {
    var bytes: [UInt8] = [0x10, 0x04, 0x10, 0x10, 0x14, 0xFF, 0x10]
    RealTimeGuard.defuse(&bytes, from: 0)
    #expect(bytes == [0x30, 0x04, 0x10, 0x30, 0x14, 0xFF, 0x10])
  }
}
