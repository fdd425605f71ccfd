import Documents
import ESCPOS

extension PrinterProfile {
  /// A printer that answers `DLE EOT` and has no fence.
  static var onlyRealTime: PrinterProfile {
    get throws {
      let json = """
        {"name": "t", "title": "t", "widthDots": 384, "fontA": {"columns": 32, "cell": {"width": 12, "height": 24}},
         "codePages": [], "barcodes": [], "drawer": false, "withoutCommands": [], "notReset": [],
         "status": {"dleEOT": true, "asb": false}, "fence": "none", "bytesPerSecond": 1000}
        """
      return try DocumentReader.read(PrinterProfile.self, from: Array(json.utf8))
    }
  }
}
