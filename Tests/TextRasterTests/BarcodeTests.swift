import ESCPOS
import Testing
import TextRaster

/// Barcodes and QR codes ready for the paper.
@Suite("Barcodes on paper") struct BarcodeTests {
  let raster = PangoRaster()

  func read(_ dots: DotImage) throws -> String { String(decoding: try Scanner.read(dots), as: UTF8.self) }

  @Test("a scanner reads EAN-13 with every caption", arguments: Receipt.Barcode.Caption.allCases, [2, 3, 6])
  func ean(caption: Receipt.Barcode.Caption, module: Int) throws {
    let barcode = Receipt.Barcode(.ean13, "400638133393", moduleWidth: module, caption: caption)
    let dots = try raster.dots(barcode: barcode, maximumWidth: 576)
    #expect(dots.width <= 576)
    #expect(try read(dots) == "EAN-13:4006381333931")
    #expect((dots.height > 64) == (caption != .none))
  }

  @Test(
    "a scanner reads CODE128 of any ASCII",
    arguments: ["A", "Order-20261130-000187", "{a}{A {{", "0123456789012"])
  func code128(data: String) throws {
    let dots = try raster.dots(barcode: .init(.code128, data), maximumWidth: 576)
    #expect(try read(dots) == "CODE-128:\(data)")
  }

  @Test("bars and codes are made narrower until they fit")
  func shrunk() throws {
    let bars = try raster.dots(barcode: .init(.ean13, "400638133393", moduleWidth: 6), maximumWidth: 384)
    #expect(bars.width == 113 * 3)
    let qr = try raster.dots(qr: .init("https://example.com/", moduleSize: 16), maximumWidth: 200)
    #expect(qr.width == 33 * 6 && qr.height == qr.width)
    #expect(try read(qr) == "QR-Code:https://example.com/")
  }

  @Test("quiet zones are white")
  func quietZones() throws {
    let bars = try raster.dots(
      barcode: .init(.ean13, "400638133393", moduleWidth: 2, caption: .none), maximumWidth: 576)
    #expect(bars.inkBox?.x == 22 && bars.inkBox?.width == 190 && bars.width == 226)
    let qr = try raster.dots(qr: .init("A", moduleSize: 3), maximumWidth: 576)
    #expect(qr.inkBox?.x == 12 && qr.inkBox?.y == 12 && qr.inkBox?.width == qr.width - 24)
  }

  @Test("a QR code reads at every level of correction", arguments: Receipt.QRCode.Correction.allCases)
  func correction(level: Receipt.QRCode.Correction) throws {
    let text = "weixin://wxpay/bizpayurl?pr=実收12.50元"
    #expect(try read(raster.dots(qr: .init(text, correction: level), maximumWidth: 576)) == "QR-Code:\(text)")
  }

  @Test("the largest QR code is drawn off the main thread, one more byte is an error")
  func largest() async throws {
    let raster = raster
    let dots = try await Task.detached {
      try raster.dots(qr: .init(String(repeating: "x", count: 2953), correction: .l), maximumWidth: 576)
    }.value
    #expect(dots.width == 185 * 3)
    #expect(throws: RenderError.self) {
      try raster.dots(qr: .init(String(repeating: "x", count: 2954), correction: .l), maximumWidth: 576)
    }
  }

  @Test(
    "wrong data are errors that say what would be right",
    arguments: [
      Receipt.Barcode(.ean13, "4006381333932"), .init(.ean13, "40063813339"), .init(.ean13, "40063813339x"),
      .init(.ean13, ""), .init(.code128, ""), .init(.code128, "12,50 €"),
      .init(.code128, String(repeating: "x", count: 60)), .init(.ean13, "400638133393", height: 0),
    ])
  func wrong(barcode: Receipt.Barcode) {
    let error = #expect(throws: RenderError.self) { try raster.dots(barcode: barcode, maximumWidth: 576) }
    #expect(error?.code == .barcode && error?.message.isEmpty == false)
  }

  @Test("what cannot fit is an error, not a cut")
  func tooNarrow() {
    #expect(throws: RenderError.self) {
      try raster.dots(barcode: .init(.ean13, "400638133393"), maximumWidth: 112)
    }
    #expect(throws: RenderError.self) { try raster.dots(qr: .init("https://example.com/"), maximumWidth: 32) }
    #expect(throws: RenderError.self) { try raster.dots(qr: .init(""), maximumWidth: 384) }
  }
}
