public import ESCPOS

/// The modules of barcodes and two-dimensional codes, for a printer that scales them itself.
public protocol SymbolSource: Sendable {
  /// The modules of a symbol, a dot for each, without quiet zone: bars as one row, other codes as they are (a row of
  /// PDF417 is one row here).
  ///
  /// - Parameter data: The bytes as ESC/POS carries them for this kind.
  /// - Throws: ``RenderError`` with `.barcode` when the data break the rules of the kind, `.unsupported` for kinds that
  ///   cannot be drawn.
  func symbol(_ kind: SymbolKind, data: [UInt8]) throws(RenderError) -> DotImage
}

/// The symbologies of `GS k` and `GS ( k`, with what the printer is told about them beforehand.
public enum SymbolKind: Equatable, Hashable, Sendable {
  /// `m` 0, 65: 11 digits, or 12 with the check digit.
  case upcA
  /// `m` 1, 66: 6 to 8 digits, or the 11 or 12 of a UPC-A number that can be shortened.
  case upcE
  /// `m` 2, 67: 12 digits, or 13 with the check digit.
  case ean13
  /// `m` 3, 68: 7 digits, or 8 with the check digit.
  case ean8
  /// `m` 4, 69: digits, capitals and `SP $ % + - . /`; start and stop `*` may be there.
  case code39
  /// `m` 5, 70: an even number of digits.
  case itf
  /// `m` 6, 71: digits and `$ + - . / :` between A to D.
  case codabar
  /// `m` 72: ASCII.
  case code93
  /// `m` 73: begins with `{A`, `{B` or `{C`; the code sets are switched as told.
  case code128
  /// `m` 79: any bytes; the shortest code sets are chosen.
  case code128Auto
  /// `m` 74: GS1 elements; `(`, `)` and space are caption only, `*` is a check digit to be worked out, and `{1`, `{3`,
  /// `{(`, `{)`, `{*`, `{{` stand for FNC1, FNC3 and the characters.
  case gs1128
  /// `m` 75: 13 digits, without the AI 01 and the check digit.
  case dataBarOmnidirectional
  /// `m` 76: as 75, meant for lower bars.
  case dataBarTruncated
  /// `m` 77: as 75, beginning with 0 or 1.
  case dataBarLimited
  /// `m` 78: GS1 elements as for 74, except that `*` is ignored.
  case dataBarExpanded
  /// `GS ( k`, cn 49.
  case qr(QRModel, Receipt.QRCode.Correction)
  /// `GS ( k`, cn 48. Columns 1–30 and rows 3–90, 0 for as many as are needed.
  case pdf417(columns: Int, rows: Int, PDF417Correction, isTruncated: Bool)

  /// The models of QR codes.
  public enum QRModel: Sendable {
    /// Of 1994; scanners have forgotten it, and it is not drawn.
    case model1
    /// The QR code.
    case model2
    /// Micro QR, for a few digits.
    case micro
  }

  /// How much of a PDF417 symbol may be damaged.
  public enum PDF417Correction: Equatable, Hashable, Sendable {
    /// Level 0 through 8: 2 to 512 correction codewords.
    case level(Int)
    /// Correction codewords as tenths of the data's, 1 through 40.
    case tenths(Int)
  }
}
