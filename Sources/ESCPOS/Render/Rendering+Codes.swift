extension Rendering {
  /// A barcode: by the printer when it has the symbology and the bars fit, else drawn, else its data as text.
  mutating func barcode(_ barcode: Receipt.Barcode) throws(RenderError) {
    let (payload, modules) = try encoded(barcode)
    var barcode = barcode
    barcode.height = min(max(barcode.height, 1), 255)
    barcode.moduleWidth = min(max(barcode.moduleWidth, 1), 6)
    if profile.barcodes.contains(barcode.symbology), !RealTimeGuard.isHazardous(payload) {
      // Bars wider than the paper are not printed at all, so modules shrink, but not below what a scanner
      // reads.
      let fitting = min(max(barcode.moduleWidth, 2), profile.widthDots / modules)
      if fitting >= 2 {
        if fitting < barcode.moduleWidth {
          warn("bars were made \(fitting) dots a module wide to fit the paper")
        }
        stream.flushFeed()
        stream.align(barcode.align)
        stream.block(Command.barcodeHeight(barcode.height))
        stream.block(Command.barcodeModule(fitting))
        stream.block(Command.barcodeCaption(barcode.caption))
        stream.block(Command.barcode(barcode.symbology, payload))
        stream.seam()
        return
      }
    }
    guard let dots = renderer.dots else { return try codeAsText(barcode.data, barcode.align, "barcode") }
    if barcode.symbology == .ean13 { barcode.data = String(decoding: payload, as: UTF8.self) }
    let image = try dots.dots(barcode: barcode, maximumWidth: rasterWidth)
    try print(image, align: barcode.align)
  }

  private func encoded(_ barcode: Receipt.Barcode) throws(RenderError) -> (payload: [UInt8], modules: Int) {
    switch barcode.symbology {
    case .ean13: return (try EAN13.digits(barcode.data), EAN13.modules)
    case .code128:
      let code = try Code128(barcode.data)
      return (code.payload, code.modules)
    }
  }

  /// A QR code: by the printer when it can store the data and the code fits, else drawn, else its data as
  /// text.
  ///
  /// Its bytes are sent as they are; data with a real-time command in it, which takes a control character,
  /// is drawn.
  mutating func qr(_ qr: Receipt.QRCode) throws(RenderError) {
    let bytes = Array(qr.data.utf8)
    guard !bytes.isEmpty else { throw RenderError(.barcode, "a QR code needs at least one character") }
    guard let modules = QRVersion.modules(byteCount: bytes.count, correction: qr.correction) else {
      throw RenderError(
        .barcode, "\(bytes.count) bytes are more than a QR code holds at correction \(qr.correction.rawValue)"
      )
    }
    var qr = qr
    qr.moduleSize = min(max(qr.moduleSize, 1), 16)
    if let native = profile.qr, bytes.count <= native.maximumBytes,
      !RealTimeGuard.isHazardous(Command.qrStore(bytes))
    {
      let fitting = min(
        qr.moduleSize, native.maximumModule, profile.widthDots / (modules + QRVersion.quietZone))
      if fitting >= min(2, qr.moduleSize) {
        if fitting < qr.moduleSize { warn("the QR code was made \(fitting) dots a module wide to fit") }
        // The quiet zone above and below is the host's business.
        let quiet = (QRVersion.quietZone / 2 * fitting + Self.lineSpacing - 1) / Self.lineSpacing
        stream.leave(lines: quiet)
        stream.flushFeed()
        stream.align(qr.align)
        stream.block(Command.qrModel2)
        stream.block(Command.qrModule(fitting))
        stream.block(Command.qrCorrection(qr.correction))
        stream.block(Command.qrStore(bytes))
        stream.block(Command.qrPrint)
        stream.seam()
        stream.leave(lines: quiet)
        return
      }
    }
    guard let dots = renderer.dots else { return try codeAsText(qr.data, qr.align, "QR code") }
    try print(try dots.dots(qr: qr, maximumWidth: rasterWidth), align: qr.align)
  }

  /// The data in letters, where bars can be neither printed nor drawn.
  private mutating func codeAsText(
    _ data: String, _ align: Receipt.Alignment, _ kind: String
  ) throws(RenderError) {
    warn("the printer cannot print this \(kind), and nothing draws it; its data was printed as text")
    try text(Receipt.Text(data, align: align))
  }
}
