public import ESCPOS

extension PangoRaster: SymbolSource {
  /// The modules of a symbol; see ``SymbolSource``.
  public func symbol(_ kind: SymbolKind, data: [UInt8]) throws(RenderError) -> DotImage {
    switch kind {
    case .upcA: try zintModules(.upcA, data: Self.number(data, "UPC-A", length: 11))
    case .ean13: try zintModules(.ean, data: Self.number(data, "EAN-13", length: 12))
    case .ean8: try zintModules(.ean, data: Self.number(data, "EAN-8", length: 7))
    case .upcE: try zintModules(.upcE, data: Self.upcE(data))
    case .code39: try zintModules(.code39, data: Self.code39(data))
    case .itf: try zintModules(.itf, data: Self.itf(data))
    case .codabar: try zintModules(.codabar, data: Self.codabar(data))
    case .code93: try zintModules(.code93, data: data)
    case .code128: try Code128(escaped: data).modules
    case .code128Auto: try Code128(data.map { .byte($0) }).modules
    case .gs1128: try Code128(GS1Elements(data, checkDigits: true).code128).modules
    case .dataBarOmnidirectional, .dataBarTruncated:
      try zintModules(.dataBarOmni, data: Self.number(data, "GS1 DataBar", length: 13))
    case .dataBarLimited: try zintModules(.dataBarLimited, data: Self.number(data, "GS1 DataBar", length: 13))
    case .dataBarExpanded:
      try zintModules(.dataBarExpanded, data: GS1Elements(data, checkDigits: false).bracketed(), isGS1: true)
    case .qr(let model, let correction): try Self.qr(model, correction, data)
    case .pdf417(let columns, let rows, let correction, let isTruncated):
      try Self.pdf417(columns, rows, correction, isTruncated ? .pdf417Truncated : .pdf417, data)
    }
  }

  private static func isDigits(_ data: some Sequence<UInt8>) -> Bool {
    data.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Digits of a fixed length, with or without a check digit, which is checked and left away.
  static func number(_ data: [UInt8], _ name: String, length: Int) throws(RenderError) -> [UInt8] {
    guard data.count == length || data.count == length + 1, isDigits(data) else {
      throw RenderError(.barcode, "\(name): expected \(length) digits, or \(length + 1) with the check digit")
    }
    let digits = Array(data.prefix(length))
    guard data.count == length || data[length] == checkDigit(digits) else {
      throw RenderError(
        .barcode, "\(name): the check digit is wrong; leave it away, and it is worked out")
    }
    return digits
  }

  /// The number system and six digits of a UPC-E number.
  static func upcE(_ data: [UInt8]) throws(RenderError) -> [UInt8] {
    let rule = "UPC-E: expected 6 to 8 digits, or a UPC-A number that can be shortened"
    guard isDigits(data) else { throw RenderError(.barcode, rule) }
    var short: [UInt8]
    switch data.count {
    case 6: short = [0x30] + data
    case 7, 8: short = Array(data.prefix(7))
    case 11, 12: short = try shortened(number(data, "UPC-E", length: 11))
    default: throw RenderError(.barcode, rule)
    }
    guard short[0] == 0x30 || short[0] == 0x31 else {
      throw RenderError(.barcode, "UPC-E: the first digit is 0 or 1")
    }
    guard data.count != 8 || checkDigit(lengthened(short)) == data[7] else {
      throw RenderError(.barcode, "UPC-E: the check digit is wrong; leave it away, and it is worked out")
    }
    return short
  }

  /// A UPC-A number of 11 digits without its zeros (GS1 General Specifications, zero suppression).
  private static func shortened(_ n: [UInt8]) throws(RenderError) -> [UInt8] {
    func zeros(_ range: ClosedRange<Int>) -> Bool { n[range].allSatisfy { $0 == 0x30 } }
    if (0x30...0x32).contains(n[3]), zeros(4...7) { return Array(n[0...2] + n[8...10]) + [n[3]] }
    if zeros(4...8) { return Array(n[0...3] + n[9...10]) + [0x33] }
    if zeros(5...9) { return Array(n[0...4]) + [n[10], 0x34] }
    if zeros(6...9), n[10] >= 0x35 { return Array(n[0...5]) + [n[10]] }
    throw RenderError(.barcode, "UPC-E: this UPC-A number cannot be shortened")
  }

  /// The UPC-A number of 11 digits that a UPC-E number stands for.
  private static func lengthened(_ n: [UInt8]) -> [UInt8] {
    let zero: UInt8 = 0x30
    return switch n[6] {
    case 0x30...0x32: Array(n[0...2]) + [n[6], zero, zero, zero, zero] + n[3...5]
    case 0x33: Array(n[0...3]) + [zero, zero, zero, zero, zero] + n[4...5]
    case 0x34: Array(n[0...4]) + [zero, zero, zero, zero, zero, n[5]]
    default: Array(n[0...5]) + [zero, zero, zero, zero, n[6]]
    }
  }

  private static func code39(_ data: [UInt8]) throws(RenderError) -> [UInt8] {
    var inner = data[...]
    if inner.first == UInt8(ascii: "*") { inner = inner.dropFirst() }
    if inner.last == UInt8(ascii: "*") { inner = inner.dropLast() }
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%+-./".utf8)
    guard !inner.isEmpty, inner.allSatisfy(alphabet.contains) else {
      throw RenderError(.barcode, "CODE39: expected digits, capitals and SP $ % + - . /")
    }
    return Array(inner)
  }

  private static func itf(_ data: [UInt8]) throws(RenderError) -> [UInt8] {
    guard !data.isEmpty, data.count % 2 == 0, isDigits(data) else {
      throw RenderError(.barcode, "ITF: expected an even number of digits")
    }
    return data
  }

  private static func codabar(_ data: [UInt8]) throws(RenderError) -> [UInt8] {
    let upper = data.map { (0x61...0x64).contains($0) ? $0 - 0x20 : $0 }
    let ends = Array("ABCD".utf8)
    let alphabet = Array("0123456789$+-./:".utf8)
    guard upper.count >= 3, ends.contains(upper[0]), ends.contains(upper[upper.count - 1]),
      upper.dropFirst().dropLast().allSatisfy(alphabet.contains)
    else { throw RenderError(.barcode, "Codabar: expected digits and $ + - . / : between A to D") }
    return upper
  }

  private static func qr(
    _ model: SymbolKind.QRModel, _ correction: Receipt.QRCode.Correction, _ data: [UInt8]
  ) throws(RenderError) -> DotImage {
    let level =
      switch correction {
      case .l: 1
      case .m: 2
      case .q: 3
      case .h: 4
      }
    switch model {
    case .model1: throw RenderError(.unsupported, "QR code model 1 cannot be drawn; use model 2")
    case .model2: return try zintModules(.qr, data: data, options: (level, nil, nil))
    case .micro: return try zintModules(.microQR, data: data, options: (level, nil, nil))
    }
  }

  private static func pdf417(
    _ columns: Int, _ rows: Int, _ correction: SymbolKind.PDF417Correction, _ symbology: ZintSymbology,
    _ data: [UInt8]
  ) throws(RenderError) -> DotImage {
    guard columns == 0 || (1...30).contains(columns), rows == 0 || (3...90).contains(rows) else {
      throw RenderError(
        .barcode, "PDF417: expected 1 to 30 columns and 3 to 90 rows, or 0 for as many as are needed")
    }
    let size = (columns == 0 ? nil : columns, rows == 0 ? nil : rows)
    switch correction {
    case .level(let level):
      guard (0...8).contains(level) else {
        throw RenderError(.barcode, "PDF417: expected a level from 0 to 8")
      }
      return try zintModules(symbology, data: data, options: (level, size.0, size.1))
    case .tenths(let tenths):
      guard (1...40).contains(tenths) else { throw RenderError(.barcode, "PDF417: expected 1 to 40 tenths") }
      // The level of the least correction codewords that are at least this part of the data's.
      let plain = try zintModules(.pdf417, data: data, options: (0, nil, nil))
      let codewords = (plain.width - 69) / 17 * plain.height - 2
      let level = (0...8).first { (2 << $0) * 10 >= codewords * tenths } ?? 8
      return try zintModules(symbology, data: data, options: (level, size.0, size.1))
    }
  }
}
