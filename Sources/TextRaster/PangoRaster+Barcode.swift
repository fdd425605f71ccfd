public import ESCPOS

extension PangoRaster {
  /// Draws a barcode with its caption and quiet zones; see ``DotSource``.
  ///
  /// - Throws: ``RenderError`` with `.barcode` when the data break the symbology's rules, or the bars do not fit even one dot
  ///   a module wide.
  public func dots(barcode: Receipt.Barcode, maximumWidth: Int) throws(RenderError) -> DotImage {
    guard (1...255).contains(barcode.height), (1...16).contains(barcode.moduleWidth) else {
      throw RenderError(.barcode, "expected bars of 1 to 255 dots and modules of 1 to 16")
    }
    let data = Array(barcode.data.utf8)
    switch barcode.symbology {
    case .ean13:
      let number = try Self.number(data, "EAN-13", length: 12)
      // Quiet zones of 11 and 7 modules (GS1 General Specifications).
      let bars = try Bars(
        symbol(.ean13, data: number), quiet: (11, 7), barcode, maximumWidth: maximumWidth)
      let digits = String(decoding: number + [checkDigit(number)], as: UTF8.self)
      return try captioned(
        bars, barcode.caption,
        [
          (String(digits.prefix(1)), 0..<11), (String(digits.dropFirst().prefix(6)), 14..<56),
          (String(digits.suffix(6)), 61..<103),
        ])
    case .code128:
      guard barcode.data.unicodeScalars.allSatisfy(\.isASCII) else {
        throw RenderError(.barcode, "CODE128: expected ASCII characters only; a QR code carries all others")
      }
      let modules = try symbol(.code128Auto, data: data)
      let bars = try Bars(modules, quiet: (10, 10), barcode, maximumWidth: maximumWidth)
      return try captioned(bars, barcode.caption, [(barcode.data, 0..<modules.width + 20)])
    }
  }

  /// Draws a QR code with its quiet zone; see ``DotSource``.
  ///
  /// - Throws: ``RenderError`` with `.barcode` when there are too many data, or the code does not fit even one dot a module
  ///   wide.
  public func dots(qr: Receipt.QRCode, maximumWidth: Int) throws(RenderError) -> DotImage {
    let modules = try symbol(.qr(.model2, qr.correction), data: Array(qr.data.utf8))
    // Four modules all around (ISO/IEC 18004).
    let size = try Self.moduleSize(qr.moduleSize, modules: modules.width + 8, maximumWidth: maximumWidth)
    return modules.padded(by: 4).scaled(width: size, height: size)
  }

  /// The bars with their quiet zones.
  private struct Bars {
    var image: DotImage
    /// Dots a module.
    var module: Int

    init(
      _ modules: DotImage, quiet: (left: Int, right: Int), _ barcode: Receipt.Barcode, maximumWidth: Int
    ) throws(RenderError) {
      let width = quiet.left + modules.width + quiet.right
      module = try moduleSize(barcode.moduleWidth, modules: width, maximumWidth: maximumWidth)
      var row = DotImage(width: width, height: 1)
      row.lay(modules, x: quiet.left, y: 0)
      image = row.scaled(width: module, height: barcode.height)
    }
  }

  private static func moduleSize(_ wanted: Int, modules: Int, maximumWidth: Int) throws(RenderError) -> Int {
    let size = min(max(1, wanted), maximumWidth / modules)
    guard size > 0 else {
      throw RenderError(
        .barcode,
        "\(modules) modules with the quiet zones do not fit in \(maximumWidth) dots; shorten the data")
    }
    return size
  }

  /// Puts the caption above and below the bars; each part stands in the middle of some modules.
  private func captioned(
    _ bars: Bars, _ caption: Receipt.Barcode.Caption, _ parts: [(text: String, modules: Range<Int>)]
  ) throws(RenderError) -> DotImage {
    guard caption != .none else { return bars.image }
    // Font A where it fits, else font B, else what is left.
    let room = parts.map { $0.modules.count * bars.module / max(1, $0.text.count) }.min() ?? 0
    let cell =
      switch room {
      case 12...: CellSize(width: 12, height: 24)
      case 9...11: CellSize(width: 9, height: 17)
      default: CellSize(width: max(6, room), height: max(12, room * 2))
      }
    var line = DotImage(width: bars.image.width, height: cell.height + 2)
    for part in parts {
      let width = part.modules.count * bars.module
      let dots = try draw(part.text, width: width, cell: cell, style: .init(), align: .center)
      line.lay(dots, x: part.modules.lowerBound * bars.module, y: 1)
    }
    let above = caption == .above || caption == .both
    let below = caption == .below || caption == .both
    var image = DotImage(
      width: bars.image.width,
      height: bars.image.height + line.height * (above ? 1 : 0) + line.height * (below ? 1 : 0))
    if above { image.lay(line, x: 0, y: 0) }
    image.lay(bars.image, x: 0, y: above ? line.height : 0)
    if below { image.lay(line, x: 0, y: image.height - line.height) }
    return image
  }
}

extension DotImage {
  /// Every dot as a rectangle of dots.
  func scaled(width across: Int, height down: Int) -> DotImage {
    var image = DotImage(width: width * across, height: height * down)
    for y in 0..<height {
      for x in 0..<width where self[x, y] {
        for row in y * down..<(y + 1) * down {
          for column in x * across..<(x + 1) * across { image[column, row] = true }
        }
      }
    }
    return image
  }
}
