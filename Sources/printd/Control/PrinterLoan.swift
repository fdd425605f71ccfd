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
  /// How long the daemon may take to answer; it gives up before that.
  private static let patience = PrinterLoans.limit + .seconds(7)

  private let client: ControlClient
  private let path: String
  private let token: String
  private let renewing: Task<Void, Never>

  /// Borrows a printer; without a daemon it is there anyway.
  ///
  /// - Throws: ``Failure`` when the daemon does not let go of it, or does not listen to this user, and when the task is
  ///   cancelled; the daemon is told then that nobody wants it any more.
  static func take(_ address: BluetoothAddress, from client: ControlClient) async throws(Failure)
    -> PrinterLoan
  {
    let path = "/v1/bluetooth/\(address)/loan"
    let token = LoanMessage.newToken()
    let body = try JSON.bytes(LoanMessage(seconds: seconds, token: token))
    if await client.isListening() {
      do throws(Failure) {
        _ = try await client.send(.post, path, body: body, within: patience)
      } catch {
        // The daemon does not notice when its client goes, and may be about to lend.
        await giveBack(token, path, to: client)
        throw error
      }
    }
    let renewing = Task {
      while true {
        do { try await BootClock().sleep(for: renewal) } catch { return }
        if await client.isListening() {
          _ = try? await client.send(.post, path, body: body, within: patience)
        }
      }
    }
    return PrinterLoan(client: client, path: path, token: token, renewing: renewing)
  }

  /// Gives the printer back; also when the task is cancelled.
  func end() async {
    renewing.cancel()
    await Self.giveBack(token, path, to: client)
  }

  /// Ends the loan of a token for good, whatever requests for it are still under way; also when the task is cancelled.
  private static func giveBack(_ token: String, _ path: String, to client: ControlClient) async {
    await Task {
      guard await client.isListening() else { return }
      _ = try? await client.send(.delete, "\(path)?token=\(token)", within: .seconds(5))
    }.value
  }
}
