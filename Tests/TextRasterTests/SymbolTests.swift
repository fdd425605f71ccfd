import ESCPOS
import Testing
import TextRaster

/// Barcodes and two-dimensional codes, proven by a scanner that is not ours.
@Suite("Symbols") struct SymbolTests {
  let raster = PangoRaster()

  struct Sample: Sendable, CustomTestStringConvertible {
    var kind: SymbolKind
    var data: String
    var read: String
    var testDescription: String { "\(kind) \(data)" }

    init(_ kind: SymbolKind, _ data: String, _ read: String) {
      self.kind = kind
      self.data = data
      self.read = read
    }
  }

  static let samples = [
    Sample(.ean13, "400638133393", "EAN-13:4006381333931"),
    Sample(.ean13, "4006381333931", "EAN-13:4006381333931"),
    Sample(.ean8, "9638507", "EAN-8:96385074"),
    Sample(.ean8, "96385074", "EAN-8:96385074"),
    Sample(.upcA, "03600029145", "UPC-A:036000291452"),
    Sample(.upcE, "425261", "UPC-E:04252614"),
    Sample(.upcE, "04252614", "UPC-E:04252614"),
    Sample(.upcE, "04210000526", "UPC-E:04252614"),
    Sample(.code39, "RECEIPT-39 $/+%.", "CODE-39:RECEIPT-39 $/+%."),
    Sample(.code39, "*A1*", "CODE-39:A1"),
    Sample(.itf, "00123456789012", "I2/5:00123456789012"),
    Sample(.codabar, "A40156B", "Codabar:A40156B"),
    Sample(.codabar, "b40-15$:/.+6d", "Codabar:B40-15$:/.+6D"),
    Sample(.code93, "CODE 93 lower", "CODE-93:CODE 93 lower"),
    Sample(.code128, "{BOrder 42{{x", "CODE-128:Order 42{x"),
    Sample(.code128, "{AABC{B abc{A XYZ", "CODE-128:ABC abc XYZ"),
    Sample(.code128, "{BAB{C\u{0C}\u{22}\u{38}{BZ", "CODE-128:AB123456Z"),
    Sample(.code128, "{AAB{SaC", "CODE-128:ABaC"),
    Sample(.code128Auto, "Order-1234567890-x", "CODE-128:Order-1234567890-x"),
    Sample(
      .gs1128, "(01)0401234567890*(17)261130(10)AB-1{1(21)7",
      "CODE-128:01040123456789011726113010AB-1\u{1D}217"),
    Sample(.dataBarOmnidirectional, "0950110153001", "DataBar:0109501101530010"),
    Sample(.dataBarTruncated, "0950110153001", "DataBar:0109501101530010"),
    Sample(.dataBarExpanded, "(01)90012345678908(3103)001750", "DataBar-Exp:01900123456789083103001750"),
    Sample(.dataBarExpanded, "01900123456789083103001750", "DataBar-Exp:01900123456789083103001750"),
    Sample(
      .qr(.model2, .m), "https://example.com/o/20261130-000187",
      "QR-Code:https://example.com/o/20261130-000187"),
    Sample(.qr(.model2, .h), "实收12.50元 – merci", "QR-Code:实收12.50元 – merci"),
  ]

  @Test("a scanner reads what was asked for", arguments: samples)
  func scanned(sample: Sample) throws {
    let modules = try raster.symbol(sample.kind, data: Array(sample.data.utf8))
    let text = String(decoding: try Scanner.read(Scanner.paper(modules)), as: UTF8.self)
    #expect(text == sample.read)
  }

  @Test("a scanner reads every value of CODE128, in every code set")
  func code128Values() throws {
    let upper = (0x20...0x5F).map { UInt8($0) }.filter { $0 != UInt8(ascii: "{") }
    let lower = (0x60...0x7E).map { UInt8($0) }
    func escaped(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == UInt8(ascii: "{") ? [$0, $0] : [$0] } }
    for (set, bytes) in [("A", upper), ("B", upper), ("B", lower)] {
      let modules = try raster.symbol(.code128, data: Array("{\(set)".utf8) + escaped(bytes))
      #expect(try Scanner.read(Scanner.paper(modules)) == Array("CODE-128:".utf8) + bytes)
    }
    let controls = (1...0x1F).map { UInt8($0) }.filter { $0 != 0x0A && $0 != 0x0D }
    let modules = try raster.symbol(.code128, data: Array("{A".utf8) + controls)
    #expect(try Scanner.read(Scanner.paper(modules)) == Array("CODE-128:".utf8) + controls)
    for start in [0, 50] {
      let pairs = (start..<start + 50).map { UInt8($0) }
      let text = pairs.map { ($0 < 10 ? "0" : "") + "\($0)" }.joined()
      let modules = try raster.symbol(.code128, data: Array("{C".utf8) + pairs)
      #expect(String(decoding: try Scanner.read(Scanner.paper(modules)), as: UTF8.self) == "CODE-128:" + text)
    }
  }

  @Test(
    "the shortest code sets are chosen",
    arguments: [
      ("1234567890", 5), ("12345", 4), ("A1234B", 6), ("AB123456", 6), ("\u{1}a", 3), ("AAAA", 4), ("12", 1),
    ])
  func code128Length(data: String, symbols: Int) throws {
    // Start and check are two more; `11 × symbols + 13` modules with the stop.
    #expect(try raster.symbol(.code128Auto, data: Array(data.utf8)).width == 11 * (symbols + 2) + 13)
  }

  @Test("PDF417 has the columns and rows asked for, start and stop in every row")
  func pdf417() throws {
    let start = "11111111010101000"
    let stop = "111111101000101001"
    for (columns, rows) in [(3, 0), (5, 12), (0, 0), (0, 20)] {
      let modules = try raster.symbol(
        .pdf417(columns: columns, rows: rows, .level(2), isTruncated: false),
        data: Array("Order 20261130-000187".utf8))
      if columns > 0 { #expect(modules.width == 17 * columns + 69) }
      if rows > 0 { #expect(modules.height == rows) }
      #expect(modules.height >= 3 && (modules.width - 69) % 17 == 0)
      for y in 0..<modules.height {
        let row = (0..<modules.width).map { modules[$0, y] ? "1" : "0" }.joined()
        #expect(row.hasPrefix(start) && row.hasSuffix(stop))
      }
    }
    let whole = SymbolKind.pdf417(columns: 4, rows: 0, .level(1), isTruncated: false)
    let truncated = SymbolKind.pdf417(columns: 4, rows: 0, .level(1), isTruncated: true)
    #expect(try raster.symbol(truncated, data: [65]).width == raster.symbol(whole, data: [65]).width - 34)
    let little = SymbolKind.pdf417(columns: 4, rows: 0, .tenths(1), isTruncated: false)
    let much = SymbolKind.pdf417(columns: 4, rows: 0, .tenths(40), isTruncated: false)
    let data = [UInt8](repeating: 65, count: 60)
    #expect(try raster.symbol(much, data: data).height > raster.symbol(little, data: data).height)
  }

  @Test("a QR code takes any bytes, and grows with its correction")
  func qr() throws {
    #expect(try raster.symbol(.qr(.model2, .l), data: (0...255).map { UInt8($0) }).width >= 53)
    let data = Array("0123456789abcdef0123456789".utf8)
    #expect(
      try raster.symbol(.qr(.model2, .h), data: data).width
        > raster.symbol(.qr(.model2, .l), data: data).width)
    #expect(try raster.symbol(.qr(.micro, .l), data: Array("123".utf8)).width < 21)
  }

  @Test("DataBar Limited is as wide as the standard says")
  func dataBarLimited() throws {
    #expect(try raster.symbol(.dataBarLimited, data: Array("1501234567890".utf8)).width == 79)
  }

  @Test(
    "UPC-E stands for the same number whether short or long",
    arguments: [
      ("01200000345", "0123450"), ("01230000045", "0123453"), ("01234000005", "0123454"),
      ("01234500006", "0123456"),
      ("11210000526", "1125261"),
    ])
  func upcE(long: String, short: String) throws {
    let bars = try raster.symbol(.upcE, data: Array(long.utf8))
    #expect(try raster.symbol(.upcE, data: Array(short.utf8)) == bars)
    #expect(bars.width == 51)
  }

  static let faults: [(SymbolKind, String)] = [
    (.upcA, "036000291453"), (.upcA, "1"), (.ean8, "963850712"), (.ean13, "400638133393X"),
    (.upcE, "21234565"),
    (.upcE, "04252615"), (.upcE, "12345678901"), (.code39, "lower"), (.code39, "**"), (.itf, "123"),
    (.itf, "12a4"),
    (.codabar, "123"), (.codabar, "A"), (.codabar, "A1X2B"), (.code93, "\u{E9}"), (.code93, ""),
    (.code128, ""),
    (.code128, "ABC"), (.code128, "{A"), (.code128, "{Aabc"), (.code128, "{B{X"), (.code128, "{C\u{64}"),
    (.code128, "{BA{"),
    (.code128, "{C{2"), (.code128Auto, ""), (.gs1128, ""), (.gs1128, "(01"), (.gs1128, "((01))"),
    (.gs1128, "(1)2"),
    (.gs1128, "*"), (.gs1128, "{"), (.gs1128, "\u{7}"), (.dataBarOmnidirectional, "123"),
    (.dataBarLimited, "2501234567890"),
    (.dataBarExpanded, "(01)90012345678900"), (.dataBarExpanded, "(10)"), (.dataBarExpanded, "AB"),
    (.qr(.model2, .l), ""),
    (.qr(.micro, .l), "much too long for the smallest of all the codes"),
    (.pdf417(columns: 31, rows: 0, .level(0), isTruncated: false), "A"),
    (.pdf417(columns: 0, rows: 2, .level(0), isTruncated: false), "A"),
    (.pdf417(columns: 0, rows: 0, .level(9), isTruncated: false), "A"),
    (.pdf417(columns: 0, rows: 0, .tenths(0), isTruncated: false), "A"),
    (.pdf417(columns: 1, rows: 3, .level(8), isTruncated: false), "AAAAAAAAAAAAAAAAAAAAA"),
  ]

  @Test("data that break the rules are errors in words", arguments: faults)
  func faulty(kind: SymbolKind, data: String) {
    let error = #expect(throws: RenderError.self) { try raster.symbol(kind, data: Array(data.utf8)) }
    #expect(error?.code == .barcode && error?.message.isEmpty == false)
  }

  @Test("QR model 1 is said not to be there")
  func model1() {
    let error = #expect(throws: RenderError.self) { try raster.symbol(.qr(.model1, .l), data: [65]) }
    #expect(error?.code == .unsupported)
  }

  @Test("no bytes at all crash any kind")
  func noise() {
    var generator = SystemRandomNumberGenerator()
    let kinds: [SymbolKind] = [
      .upcA, .upcE, .ean13, .ean8, .code39, .itf, .codabar, .code93, .code128, .code128Auto, .gs1128,
      .dataBarOmnidirectional, .dataBarTruncated, .dataBarLimited, .dataBarExpanded, .qr(.model2, .l),
      .qr(.micro, .l),
      .pdf417(columns: 0, rows: 0, .tenths(3), isTruncated: true),
    ]
    let alphabets: [[UInt8]] = [
      Array("0123456789".utf8), Array("(){}*0123ABC{{".utf8), (0...255).map { UInt8($0) },
    ]
    for kind in kinds {
      for round in 0..<150 {
        let alphabet = alphabets[round % alphabets.count]
        let data = (0..<Int.random(in: 0...260, using: &generator)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        }
        if let modules = try? raster.symbol(kind, data: data) {
          #expect(modules.width > 0 && modules.height > 0)
        }
      }
    }
  }
}
