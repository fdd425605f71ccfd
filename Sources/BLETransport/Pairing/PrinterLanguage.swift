/// What a printer wants to be told in.
public enum PrinterLanguage: String, Sendable, CaseIterable {
  /// Epson's commands, which printd speaks.
  case escpos = "ESC/POS"
  /// The picture protocol of the small "cat" printers.
  case cat = "cat printer"
  /// Niimbot's label printers.
  case niimbot = "Niimbot"
  /// Phomemo's and PeriPage's label and picture printers.
  case phomemo = "Phomemo"
  /// Marklife's label printers and their sisters.
  case marklife = "Marklife"
  /// DYMO's label printers.
  case letraTag = "DYMO"
  /// Brother's label printers.
  case brother = "Brother raster"
  /// Zebra's Link-OS printers: ZPL, CPCL.
  case linkOS = "ZPL/CPCL"
  /// Label printers with TSC's commands.
  case tspl = "TSPL"
  /// Star's own commands.
  case starLine = "StarLine"
  /// Printers for documents: PCL, PostScript and other page languages.
  case pages = "page printer"

  /// Why printd does not take such a printer, for a person; nil when it does.
  public var refusal: String? {
    switch self {
    case .escpos: nil
    case .cat: "a cat printer takes pictures in its own protocol, no ESC/POS"
    case .niimbot: "a Niimbot label printer has its own protocol, no ESC/POS"
    case .phomemo: "a Phomemo or PeriPage printer takes pictures only, and no ESC/POS text"
    case .marklife: "a Marklife label printer has its own protocol, no ESC/POS"
    case .letraTag: "a DYMO label printer has its own protocol, no ESC/POS"
    case .brother: "a Brother label printer takes raster in its own protocol, no ESC/POS"
    case .linkOS: "a Zebra Link-OS printer speaks ZPL and CPCL, no ESC/POS"
    case .tspl: "a label printer speaks TSPL, no ESC/POS"
    case .starLine:
      "a Star printer speaks StarLine; if it is set to ESC/POS (its memory switch or Star's app), use --force"
    case .pages: "a printer for documents, not for receipts"
    }
  }

  /// The GATT services of printers that do not speak ESC/POS.
  static let services: [(uuid: BluetoothUUID, language: PrinterLanguage)] = [
    (BluetoothUUID(0xAE30), .cat), (BluetoothUUID(0xAF30), .cat),
    (BluetoothUUID(0x38EB_4A80_C570_11E3, 0x9507_0002_A5D5_C51B), .linkOS),
    (BluetoothUUID(0xBE3D_D650_2B3D_42F1, 0x99C1_F0F7_49DD_0678), .letraTag),
  ]

  /// The language of a printer that has this service, where the service tells that it is not ESC/POS.
  static func ofService(_ uuid: BluetoothUUID) -> PrinterLanguage? {
    services.first { $0.uuid == uuid }?.language
  }
}
