import BLETransport
import Curl
import ESCPOS

/// A command's side of a loan: the daemon, where one runs, keeps off a Bluetooth printer until ``end()``.
///
/// The daemon lends for a while only, so that a command that was killed costs the shop no more than that. The loan is renewed
/// meanwhile, and asked for again from a daemon that has started since.
struct PrinterLoan: Sendable {
  private static let seconds = 30
  private static let renewal = Duration.seconds(10)

  private let client: ControlClient
  private let path: String
  private let renewing: Task<Void, Never>

  /// Borrows a printer; without a daemon it is there anyway.
  ///
  /// - Throws: ``Failure`` when the daemon does not let go of it, or does not listen to this user.
  static func take(_ address: BluetoothAddress, from client: ControlClient) async throws(Failure)
    -> PrinterLoan
  {
    let path = "/v1/bluetooth/\(address)/loan"
    let body = try JSON.bytes(LoanMessage(seconds: seconds))
    if await client.isListening() { _ = try await client.send(.post, path, body: body) }
    let renewing = Task {
      while true {
        do { try await BootClock().sleep(for: renewal) } catch { return }
        if await client.isListening() { _ = try? await client.send(.post, path, body: body) }
      }
    }
    return PrinterLoan(client: client, path: path, renewing: renewing)
  }

  /// Gives the printer back; also when the task is cancelled.
  func end() async {
    renewing.cancel()
    await Task {
      await renewing.value
      if await client.isListening() { _ = try? await client.send(.delete, path) }
    }.value
  }
}
