public import ESCPOS

/// Opens GATT links to one printer.
public struct BLELinkOpener: LinkOpener {
  private let printer: BluetoothPrinter
  private let bluez: BlueZ

  /// Creates an opener; nothing is touched before ``open(by:)``.
  public init(_ printer: BluetoothPrinter, _ bluez: BlueZ) {
    self.printer = printer
    self.bluez = bluez
  }

  /// Connects the printer, if it is not, and finds where to print.
  ///
  /// - Throws: ``LinkError``, whose message names the printer, the cause and the remedy: `.unreachable` for off, away, no
  ///   adapter, adapter off and bluetoothd not running; `.busy` for another host; `.refused` for a lost pairing, a
  ///   printer without ESC/POS and a missing permission; `.deadline` when others kept the adapter busy; `.cancelled`.
  public func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    try await bluez.openGATT(printer, by: deadline)
  }

  /// Says when the printer has been seen again, or the adapter is back.
  public func presence() -> AsyncStream<Presence>? { bluez.presence(of: printer) }
}
