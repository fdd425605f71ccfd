import BLETransport
import ESCPOS
import WakeHandler

/// The daemon's side of a loan: it keeps off a Bluetooth address while a command works on it, since one link is all that a
/// printer has, and bluetoothd's own state of it is shared by all.
struct PrinterLoans: Sendable {
  let address: BluetoothAddress
  let handler: WakeHandler
  let printing: Printing

  /// The longest loan; who needs more asks again. A borrower that was killed silences the printer for no longer.
  static let longest = 60
  /// How long a job in hand may take to its end.
  private static let patience = Duration.seconds(25)
  /// How long the end of the connection is waited for.
  private static let partingTime = Duration.seconds(8)

  /// Lets go of the printer; returns when it is disconnected, or another program is found to hold it.
  ///
  /// - Returns: For how many seconds.
  /// - Throws: `Refusal` when it is printing, and does not end that in time.
  func lend(for seconds: Int) async throws -> Int {
    let seconds = min(max(1, seconds), Self.longest)
    let now = BootClock().now
    let names = printing.printers(at: address)
    // First, so that the borrower's own connection is not taken for one that was left behind.
    let end = now.advanced(by: Self.patience + .seconds(seconds))
    await Bluetooth.bluez.lend(address, until: end)
    try await handler.lend(names, for: .seconds(seconds), by: now.advanced(by: Self.patience))
    if !names.isEmpty {
      await Bluetooth.bluez.waitUntilParted(from: address, by: BootClock().now.advanced(by: Self.partingTime))
      // From now on the borrower has it, for the whole time.
      try await handler.lend(names, for: .seconds(seconds), by: BootClock().now.advanced(by: Self.patience))
    }
    await Bluetooth.bluez.lend(address, until: BootClock().now.advanced(by: .seconds(seconds)))
    return seconds
  }

  /// Ends the loan.
  func takeBack() async {
    await handler.takeBack(printing.printers(at: address))
    await Bluetooth.bluez.takeBack(address)
  }
}
