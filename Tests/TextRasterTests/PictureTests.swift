import ESCPOS
import PrintTestKit
import Testing
import TextRaster

/// Pictures from outside: exact where they are right, refused where they are not.
@Suite("Pictures") struct PictureTests {
  let raster = PangoRaster()

  static func fixture(_ name: String) throws -> Receipt.Image.Source {
    .data(try Fixtures.bytes("raster/\(name)"))
  }

  @Test(
    "colour becomes luminance, on white where it is transparent",
    arguments: [
      ("colours.png", 4, [76, 150, 29, 128, 255, 127, 255, 18]), ("palette.png", 2, [255, 124]),
      ("grey16.png", 3, [0, 128, 255]),
    ] as [(String, Int, [UInt8])])
  func luminance(name: String, width: Int, levels: [UInt8]) throws {
    let gray = try raster.gray(image: Self.fixture(name), width: nil, maximumWidth: 576)
    #expect(gray == GrayImage(width: width, height: levels.count / width, levels: levels))
  }

  @Test("a JPEG is turned upright as its camera says")
  func orientation() throws {
    let gray = try raster.gray(image: Self.fixture("turned.jpg"), width: nil, maximumWidth: 576)
    #expect(gray.width == 16 && gray.height == 32)
    #expect(gray.levels[3 * 16 + 8] < 10 && gray.levels[28 * 16 + 8] > 245)
  }

  @Test("our own paper comes back dot by dot")
  func roundTrip() throws {
    var dots = DotImage(width: 19, height: 5)
    for (x, y) in [(0, 0), (7, 1), (8, 2), (18, 4), (3, 3)] { dots[x, y] = true }
    let gray = try PaperPicture.gray(of: PaperPicture.png(of: dots, scale: 2))
    #expect(gray.width == 38 && gray.height == 10)
    for y in 0..<10 {
      for x in 0..<38 { #expect(gray.levels[y * 38 + x] == (dots[x / 2, y / 2] ? 0 : 255)) }
    }
  }

  @Test("scaling keeps the shape and takes exact means")
  func scaling() throws {
    let half = try raster.gray(image: Self.fixture("colours.png"), width: 2, maximumWidth: 576)
    #expect(half == GrayImage(width: 2, height: 1, levels: [152, 108]))
    let narrow = try raster.gray(image: Self.fixture("colours.png"), width: 100, maximumWidth: 1)
    #expect(narrow.width == 1 && narrow.height == 1 && narrow.levels == [130])
    let wide = try raster.gray(image: Self.fixture("grey16.png"), width: 6, maximumWidth: 576)
    #expect(wide.width == 6 && wide.height == 2 && wide.levels.prefix(6) == [0, 0, 128, 128, 255, 255])
  }

  @Test("a name is looked up where the shop keeps its pictures")
  func named() throws {
    let bytes = try Fixtures.bytes("raster/grey16.png")
    let shop = PangoRaster(images: { $0 == "logo.png" ? bytes : nil })
    #expect(try shop.gray(image: .named("logo.png"), width: nil, maximumWidth: 576).width == 3)
    #expect(throws: RenderError.self) {
      try shop.gray(image: .named("other.png"), width: nil, maximumWidth: 576)
    }
  }

  @Test(
    "a name that leaves the folder is never looked up",
    arguments: ["", "../logo.png", "a/b.png", "..", "a\0.png"])
  func escapingNames(name: String) {
    let shop = PangoRaster(images: { name in
      Issue.record("asked for \(name)")
      return nil
    })
    #expect(throws: RenderError.self) { try shop.gray(image: .named(name), width: nil, maximumWidth: 576) }
  }

  @Test("a picture cut off anywhere is refused", arguments: ["colours.png", "palette.png", "turned.jpg"])
  func truncated(name: String) throws {
    let whole = try Fixtures.bytes("raster/\(name)")
    for length in 0..<whole.count - 1 {
      #expect(throws: RenderError.self, "\(length) of \(whole.count) bytes") {
        try PaperPicture.gray(of: Array(whole.prefix(length)))
      }
    }
  }

  @Test(
    "a picture with any byte changed is decoded or refused, nothing worse",
    arguments: ["colours.png", "turned.jpg"])
  func corrupted(name: String) throws {
    let whole = try Fixtures.bytes("raster/\(name)")
    var decoded = 0
    for index in whole.indices {
      for flip: UInt8 in [0x01, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] ^= flip
        if (try? PaperPicture.gray(of: bytes)) != nil { decoded += 1 }
      }
    }
    #expect(decoded < whole.count * 3)
  }

  @Test(
    "a header that promises a giant is refused before it gets memory",
    arguments: [(60_000, 60_000), (1_000, 20_001), (900_000, 900_000)])
  func bomb(width: Int, height: Int) throws {
    var png = try Fixtures.bytes("raster/colours.png")
    func put(_ value: Int, at offset: Int) {
      for index in 0..<4 { png[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }
    put(width, at: 16)
    put(height, at: 20)
    put(Int(crc32(png[12..<29])), at: 29)
    let error = #expect(throws: RenderError.self) { try PaperPicture.gray(of: png) }
    #expect(error?.message == "a picture has at most 20 million pixels; make it smaller")
  }

  @Test(
    "what is no picture is refused",
    arguments: ["", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{7F}PNG"])
  func foreign(text: String) {
    #expect(throws: RenderError.self) { try PaperPicture.gray(of: Array(text.utf8)) }
  }

  @Test("a file over the limit is refused unread")
  func tooManyBytes() throws {
    let bytes = try Fixtures.bytes("raster/colours.png") + [UInt8](repeating: 0, count: 9 << 20)
    #expect(throws: RenderError.self) { try PaperPicture.gray(of: bytes) }
  }

  @Test("paper without dots, or too big for a PNG, is an error")
  func impossiblePaper() {
    #expect(throws: RenderError.self) { try PaperPicture.png(of: DotImage(width: 0, height: 5)) }
    #expect(throws: RenderError.self) { try PaperPicture.png(of: DotImage(width: 8, height: 40_000)) }
  }

  /// The checksum of PNG chunks (ISO 3309).
  private func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
