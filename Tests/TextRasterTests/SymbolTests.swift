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
      .gs1128, "(01)0401234567890*(17)261130(10)AB-1{1(21)7", "CODE-128:01040123456789011726113010AB-1217"),
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
}
