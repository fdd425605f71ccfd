import ESCPOS
import TextRaster

/// What `GS ( k` has set and stored, for each of its codes.
struct SymbolStore {
  /// QR codes, cn 49.
  struct QR {
    var model = SymbolKind.QRModel.model2
    var module = 3
    var correction = Receipt.QRCode.Correction.l
    var data: [UInt8] = []
  }

  /// PDF417, cn 48.
  struct PDF417 {
    var columns = 0
    var rows = 0
    /// Dots of a module.
    var module = 3
    /// Height of a row in modules.
    var rowHeight = 3
    var correction = SymbolKind.PDF417Correction.tenths(1)
    var isTruncated = false
    var data: [UInt8] = []
  }

  var qr = QR()
  var pdf417 = PDF417()
}
