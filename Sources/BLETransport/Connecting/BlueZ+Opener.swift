public import ESCPOS

extension BlueZ {
  /// The opener of links to a printer, by the bearer that the configuration names; nothing is touched before it opens one.
  public nonisolated func opener(for printer: BluetoothPrinter) -> any LinkOpener {
    switch printer.bearer {
    case .ble: BLELinkOpener(printer, self)
    case .rfcomm: RFCOMMLinkOpener(printer, self)
    }
  }
}
