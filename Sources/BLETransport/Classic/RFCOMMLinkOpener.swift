public import ESCPOS

/// Opens Serial Port links (RFCOMM) to one Classic printer.
///
/// bluetoothd connects first (Profile1): it asks the printer for its channel and pairs by the same way as all others. The
/// kernel's socket comes first where the configuration names the channel, and where bluetoothd has failed before; it comes
/// second where another process has the Serial Port UUID, where bluetoothd does not know the printer, and where it
/// cannot make sense of the printer's records.
public struct RFCOMMLinkOpener: LinkOpener {
  private let printer: BluetoothPrinter
  private let bluez: BlueZ

  /// Creates an opener; nothing is touched before ``open(by:)``.
  public init(_ printer: BluetoothPrinter, _ bluez: BlueZ) {
    self.printer = printer
    self.bluez = bluez
  }

  /// Connects the printer, not sooner than half a second after its last link was closed.
  ///
  /// - Throws: ``LinkError``, whose message names the printer, the cause and the remedy: `.unreachable` for off, away, no
  ///   adapter, adapter off and bluetoothd not running; `.busy` for another host; `.refused` for a lost pairing, a
  ///   missing permission and a process that may have no Bluetooth socket; `.deadline` when the time or others did not
  ///   allow it; `.cancelled`.
  public func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    try await bluez.openRFCOMM(printer, by: deadline)
  }

  /// Says when an attempt is due again, or the adapter is back.
  public func presence() -> AsyncStream<Presence>? { bluez.presence(of: printer) }
}
