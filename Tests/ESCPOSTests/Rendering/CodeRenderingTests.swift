import Testing

@testable import ESCPOS

@Suite struct CodeRenderingTests {
  private func paper(
    _ block: Receipt.Block, on name: String = "generic-80", dots: BoxDots? = nil,
    change: (inout PrinterProfile) -> Void = { _ in }
  ) throws -> PrintedPaper {
    try Renderer(profile: .builtIn(name, change: change), dots: dots).paper(Receipt(blocks: [block]))
  }

  @Test(
    "the EAN-13 check digit is computed, and verified when given",
    arguments: ["400638133393", "4006381333931"])
  func ean13(data: String) throws {
    let paper = try paper(.barcode(.init(.ean13, data)))
    #expect(paper.faults == [])
    #expect(paper.barcodes == [Array("4006381333931".utf8)])
  }

  @Test(
    "wrong EAN-13 data is refused with the remedy",
    arguments: [
      ("4006381333930", "the EAN-13 check digit should be 1, or leave it out and it is computed"),
      ("400638133", "EAN-13 takes 12 digits, or 13 with the check digit; there are 9"),
      ("40063813339X", "EAN-13 takes digits only"), ("４００６３８１３３３９３", "EAN-13 takes digits only"),
    ])
  func wrongEAN13(data: String, message: String) throws {
    let error = #expect(throws: RenderError.self) { try paper(.barcode(.init(.ean13, data))) }
    #expect(error == RenderError(.barcode, path: "blocks[0]", message))
  }

  @Test(
    "CODE128 uses set C for digits where that is shorter",
    arguments: [
      ("LB2026004417", [0x7B, 0x42, 0x4C, 0x42, 0x7B, 0x43, 20, 26, 0, 44, 17]),
      ("123456", [0x7B, 0x43, 12, 34, 56]), ("AB12", [0x7B, 0x42, 0x41, 0x42, 0x31, 0x32]),
      ("a{b", [0x7B, 0x42, 0x61, 0x7B, 0x7B, 0x62]), ("A\u{9}B", [0x7B, 0x41, 0x41, 0x09, 0x42]),
      ("12345", [0x7B, 0x43, 12, 34, 0x7B, 0x42, 0x35]),
    ] as [(String, [UInt8])])
  func code128(data: String, payload: [UInt8]) throws {
    let code = try Code128(data)
    #expect(Self.decode(code.payload) == data)
    #expect(code.payload.count <= payload.count, "\(code.payload)")
    let paper = try paper(.barcode(.init(.code128, data)))
    #expect(paper.faults == [])
    #expect(paper.barcodes == [code.payload])
  }

  /// Reads a payload as a printer does.
  static func decode(_ payload: [UInt8]) -> String {
    var text = ""
    var set: UInt8 = 0
    var index = 0
    while index < payload.count {
      let byte = payload[index]
      if byte == 0x7B, index + 1 < payload.count, (0x41...0x43).contains(payload[index + 1]) {
        set = payload[index + 1]
        index += 2
        continue
      }
      if set == 0x43 {
        text += byte < 10 ? "0\(byte)" : "\(byte)"
      } else {
        if byte == 0x7B { index += 1 }
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
      index += 1
    }
    return text
  }

  @Test("CODE128 data comes back whole, whatever it is made of")
  func code128RoundTrip() throws {
    var random = SeededGenerator(seed: 128)
    for _ in 0..<300 {
      let kind = Int.random(in: 0..<3, using: &random)
      let data = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 1...60, using: &random)).map { _ in
            let range: ClosedRange<UInt8> =
              kind == 0
              ? 0x30...0x39 : kind == 1 ? (Bool.random(using: &random) ? 0x30...0x39 : 0x20...0x7F) : 0...0x7F
            return Unicode.Scalar(UInt8.random(in: range, using: &random))
          }))
      let code = try Code128(data)
      #expect(Self.decode(code.payload) == data)
    }
  }

  @Test("CODE128 digits that would be a real-time command in set C are sent in set B")
  func code128RealTime() throws {
    for data in ["160401", "1605", "00162008", "AB99160499"] {
      let paper = try paper(.barcode(.init(.code128, data)))
      #expect(paper.faults == [])
      #expect(Self.decode(paper.barcodes[0]) == data)
    }
  }

  @Test("a real-time command in the data itself is drawn, not sent")
  func realTimeData() throws {
    let dots = BoxDots()
    #expect(try paper(.barcode(.init(.code128, "A\u{10}\u{4}\u{1}")), dots: dots).faults == [])
    let paper = try paper(.qr(.init("x\u{10}\u{14}\u{1}\u{0}\u{8}")), dots: dots)
    #expect(paper.faults == [])
    #expect(dots.texts.count == 2)
    #expect(paper.qrCodes == [])
  }

  @Test("the length of CODE128 counts the doubled braces and may not pass 255")
  func code128Length() throws {
    let fits = String(repeating: "{", count: 126)
    let profile: (inout PrinterProfile) -> Void = { $0.widthDots = 4096 }
    #expect(try paper(.barcode(.init(.code128, fits)), change: profile).barcodes.first?.count == 254)
    #expect(throws: RenderError.self) { try paper(.barcode(.init(.code128, fits + "{{"))) }
    #expect(throws: RenderError.self) { try paper(.barcode(.init(.code128, "naïve"))) }
    #expect(throws: RenderError.self) { try paper(.barcode(.init(.code128, ""))) }
  }

  @Test("bars that are too wide get narrower modules, and are drawn when that is not enough")
  func wideBars() throws {
    let renderer = Renderer(profile: try .builtIn("generic-58"), dots: nil)
    let rendered = try renderer.render(
      Receipt(blocks: [.barcode(.init(.code128, "ABCDEFGH", moduleWidth: 4))]))
    let module = try Tokenizer.tokens(rendered.bytes).first { $0.name == "GS w" }?.byte(2)
    #expect(module == 2)
    #expect(rendered.warnings.count == 1)
    let dots = BoxDots()
    let paper = try paper(.barcode(.init(.code128, "ABCDEFGHIJKLMNOPQRST")), on: "generic-58", dots: dots)
    #expect(paper.faults == [])
    #expect(dots.texts == ["ABCDEFGHIJKLMNOPQRST"])
  }

  @Test("a QR code is stored with a 16-bit length in bytes and printed")
  func qr() throws {
    let data = String(repeating: "é", count: 400)
    let paper = try paper(.qr(.init(data)), on: "epson-tm-m30")
    #expect(paper.faults == [])
    #expect(paper.qrCodes == [Array(data.utf8)])
    let store = try #require(paper.tokens.first { $0.name == "GS ( k" && $0.payload.dropFirst().first == 80 })
    #expect(store.pair(3) == 803)
  }

  @Test("a QR code that the printer cannot store is drawn")
  func longQR() throws {
    let dots = BoxDots()
    let paper = try paper(.qr(.init(String(repeating: "a", count: 256))), dots: dots)
    #expect(paper.faults == [])
    #expect(dots.texts.count == 1)
    #expect(paper.qrCodes == [])
  }

  @Test("a QR code that is too wide gets smaller modules")
  func wideQR() throws {
    let paper = try paper(.qr(.init(String(repeating: "a", count: 200), moduleSize: 16)), on: "generic-58")
    let module = try #require(paper.tokens.first { $0.payload.dropFirst().first == 67 }?.byte(7))
    #expect(module * (61 + 8) <= 384)
    #expect(module >= 4)
  }

  @Test("QR data that no code holds is refused")
  func hugeQR() {
    #expect(throws: RenderError.self) {
      try paper(.qr(.init(String(repeating: "a", count: 3000), correction: .l)))
    }
    #expect(throws: RenderError.self) { try paper(.qr(.init(""))) }
  }

  @Test("a code that can be neither printed nor drawn is printed as text, with a warning")
  func codeAsText() throws {
    let profile = try PrinterProfile.builtIn("generic-58") {
      $0.qr = nil
      $0.barcodes = []
      $0.raster = nil
    }
    let rendered = try Renderer(profile: profile, dots: BoxDots()).render(
      Receipt(blocks: [.qr(.init("https://a.example")), .barcode(.init(.ean13, "400638133393"))]))
    #expect(try PrintedPaper(rendered.bytes, on: profile).text == "https://a.example\n400638133393")
    #expect(rendered.warnings.map(\.path) == ["blocks[0]", "blocks[1]"])
  }
}
