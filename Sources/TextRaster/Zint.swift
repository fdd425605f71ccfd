import CZint
import ESCPOS

/// Symbologies as Zint numbers them.
enum ZintSymbology {
  case ean, upcA, upcE, code39, itf, codabar, code93, dataBarOmni, dataBarLimited, dataBarExpanded
  case qr, microQR, pdf417, pdf417Truncated

  fileprivate var number: Int32 {
    switch self {
    case .ean: BARCODE_EANX
    case .upcA: BARCODE_UPCA
    case .upcE: BARCODE_UPCE
    case .code39: BARCODE_CODE39
    case .itf: BARCODE_C25INTER
    case .codabar: BARCODE_CODABAR
    case .code93: BARCODE_CODE93
    case .dataBarOmni: BARCODE_DBAR_OMN
    case .dataBarLimited: BARCODE_DBAR_LTD
    case .dataBarExpanded: BARCODE_DBAR_EXP
    case .qr: BARCODE_QRCODE
    case .microQR: BARCODE_MICROQR
    case .pdf417: BARCODE_PDF417
    case .pdf417Truncated: BARCODE_PDF417COMP
    }
  }
}

/// The modules of a symbol, a dot for each, read from Zint's own table before anything is drawn.
///
/// - Parameters:
///   - options: Zint's options 1 to 3, whose meaning depends on the symbology; nil leaves one as it is.
///   - isGS1: Whether `data` are GS1 elements with their identifiers in square brackets.
/// - Throws: ``RenderError`` with `.barcode` in Zint's words, which do not repeat the data.
func zintModules(
  _ symbology: ZintSymbology, data: [UInt8], options: (Int?, Int?, Int?) = (nil, nil, nil),
  isGS1: Bool = false
) throws(RenderError) -> DotImage {
  guard !data.isEmpty, data.count <= ZINT_MAX_DATA_LEN else {
    throw RenderError(.barcode, "expected 1 to \(ZINT_MAX_DATA_LEN) bytes, found \(data.count)")
  }
  guard let symbol = ZBarcode_Create() else { throw RenderError(.barcode, "out of memory") }
  defer { ZBarcode_Delete(symbol) }
  symbol.pointee.symbology = symbology.number
  symbol.pointee.input_mode = isGS1 ? GS1_MODE | GS1NOCHECK_MODE : DATA_MODE
  if let option = options.0 { symbol.pointee.option_1 = Int32(clamping: option) }
  if let option = options.1 { symbol.pointee.option_2 = Int32(clamping: option) }
  if let option = options.2 { symbol.pointee.option_3 = Int32(clamping: option) }
  let status = ZBarcode_Encode(symbol, data, Int32(data.count))
  guard status < ZINT_ERROR else {
    let message = withUnsafeBytes(of: symbol.pointee.errtxt) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    throw RenderError(.barcode, message.isEmpty ? "the data cannot be encoded" : message)
  }
  var modules = DotImage(width: Int(symbol.pointee.width), height: Int(symbol.pointee.rows))
  for y in 0..<modules.height {
    for x in 0..<modules.width where czint_module_is_dark(symbol, Int32(y), Int32(x)) != 0 {
      modules[x, y] = true
    }
  }
  return modules
}
