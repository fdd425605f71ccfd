import BLETransport
import Documents
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
  /// How long the end of the connection is waited for after that.
  private static let partingTime = Duration.seconds(8)
  /// How long it takes at most until a wish is answered.
  static let limit = patience + partingTime

  /// Lets go of the printer; returns when it is disconnected, or another program is found to hold it. To a borrower that has
  /// it already, the time begins anew, and nothing is waited for: the connection may be the borrower's own.
  ///
  /// - Parameter token: The borrower's name for this loan.
  /// - Returns: For how many seconds.
  /// - Throws: `Refusal` when it is printing, and does not end that in time, and when the loan was given back.
  func lend(for seconds: Int, to token: String) async throws -> Int {
    let time = Duration.seconds(min(max(1, seconds), Self.longest))
    let clock = BootClock()
    let start = clock.now
    let deadline = start.advanced(by: Self.limit)
    let names = printing.printers(at: address)
    // First, so that the borrower's own connection is not taken for one that was left behind.
    await Bluetooth.bluez.lend(address, to: token, until: deadline.advanced(by: time))
    do {
      if try await handler.lend(names, to: token, for: time, by: start.advanced(by: Self.patience)) {
        await Bluetooth.bluez.waitUntilParted(
          from: address, by: min(deadline, clock.now.advanced(by: Self.partingTime)))
      }
      // From now on the borrower has it, for the whole time; unless it has gone meanwhile.
      await Bluetooth.bluez.lend(address, to: token, until: clock.now.advanced(by: time))
      try await handler.prolong(names, token, for: time)
    } catch {
      await Bluetooth.bluez.takeBack(address, from: token)
      throw error
    }
    return Int(time.components.seconds)
  }

  /// Ends the loan.
  func takeBack(_ token: String) async {
    await handler.takeBack(token)
    await Bluetooth.bluez.takeBack(address, from: token)
  }
}

extension LoanMessage {
  /// A name that nobody else has chosen.
  static func newToken() -> String {
    String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
  }

  /// Checks a command's name for its loan, or its scan: whoever knows it can end that.
  ///
  /// - Throws: `DocumentFault`.
  static func token(_ text: String?) throws(DocumentFault) -> String {
    let remedy = "1 to 64 letters, digits and hyphens that nobody else has chosen"
    guard let text else { throw DocumentFault(path: "token", message: "is missing: \(remedy)") }
    let isRight =
      (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
    guard isRight else { throw DocumentFault(path: "token", message: "must be \(remedy)") }
    return text
  }
}
