import BLETransport
import Curl
import Documents
import ESCPOS

/// A command's side of keeping scans and the daemon's voice apart: the searches of this process rest while the daemon
/// speaks, until ``end()``.
struct ScanTurn: Sendable {
  /// How long after an answer that is none a daemon is looked for.
  private static let pause = Duration.seconds(2)

  private let client: ControlClient
  private let token: String
  private let following: Task<Void, Never>

  /// Waits until the daemon is silent, where one runs and speaks: 25 s at most.
  static func begin(with client: ControlClient) async -> ScanTurn {
    let token = LoanMessage.newToken()
    _ = await ask(.resting, token, client)
    return ScanTurn(client: client, token: token, following: Task { await follow(token, client) })
  }

  /// Lets the voice wait for this command no longer; also when the task is cancelled.
  func end() async {
    following.cancel()
    await Task {
      await following.value
      guard await client.isRunning() else { return }
      _ = try? await client.send(.delete, "/v1/bluetooth/scan?token=\(token)", within: .seconds(5))
    }.value
  }

  private static func follow(_ token: String, _ client: ControlClient) async {
    let clock = BootClock()
    while !Task.isCancelled {
      let mustRest = await ask(.scanning, token, client)
      guard mustRest == true else {
        // Nothing new; or nobody there, or nobody who knows of this: another daemon may be started meanwhile.
        try? await clock.sleep(for: mustRest == nil ? pause : .milliseconds(100))
        continue
      }
      let hold = await Bluetooth.bluez.holdScans(by: clock.now.advanced(by: .seconds(5)))
      // A daemon that does not fall silent in that time is not waited for any longer.
      let speaks = await ask(.resting, token, client)
      hold.release()
      if speaks == true { try? await clock.sleep(for: ScanTurns.longestAnswer) }
    }
  }

  /// Whether the daemon speaks; nil where none answers.
  private static func ask(_ state: ScanMessage.State, _ token: String, _ client: ControlClient) async -> Bool?
  {
    guard await client.isRunning(), let body = try? JSON.bytes(ScanMessage(token: token, state: state)),
      let answer = try? await client.send(
        .post, "/v1/bluetooth/scan", body: body, within: ScanTurns.longestAnswer + .seconds(5))
    else { return nil }
    return try? DocumentReader.read(ScanMessage.self, from: answer.body).speaks
  }
}
