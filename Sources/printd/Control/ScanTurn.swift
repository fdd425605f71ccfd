import BLETransport
import Curl
import Documents
import ESCPOS

/// A command's side of keeping scans and voices apart: the searches of this process rest while the daemon speaks, or a
/// command that speaks by itself, until ``end()``.
struct ScanTurn: Sendable {
  /// How long after an answer that is none a daemon is looked for.
  private static let pause = Duration.seconds(2)
  /// How often a command that speaks is looked for: it waits for ``ScanTurns/patience``.
  private static let glance = Duration.milliseconds(250)

  private let client: ControlClient
  private let token: String
  private let following: Task<Void, Never>
  private let watching: Task<Void, Never>

  /// Waits until the daemon is silent, where one runs and speaks, and until a command is that does: 25 s each at most.
  static func begin(with client: ControlClient) async -> ScanTurn {
    let token = LoanMessage.newToken()
    _ = await ask(.resting, token, client)
    await silence(client)
    return ScanTurn(
      client: client, token: token, following: Task { await follow(token, client) },
      watching: Task { await watch(client) })
  }

  /// Lets the voice wait for this command no longer; also when the task is cancelled.
  func end() async {
    following.cancel()
    watching.cancel()
    await Task {
      await following.value
      await watching.value
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

  /// Holds the searches of this process for as long as a command speaks.
  private static func watch(_ client: ControlClient) async {
    let clock = BootClock()
    while !Task.isCancelled {
      if VoiceSign.isRaised(for: client.socket) {
        let hold = await Bluetooth.bluez.holdScans(by: clock.now.advanced(by: .seconds(5)))
        let isSilent = await silence(client)
        hold.release()
        if !isSilent { try? await clock.sleep(for: ScanTurns.longestAnswer) }
      }
      try? await clock.sleep(for: glance)
    }
  }

  /// Waits until no command speaks, for as long as an answer of the daemon would take at most.
  @discardableResult
  private static func silence(_ client: ControlClient) async -> Bool {
    let clock = BootClock()
    let end = clock.now.advanced(by: ScanTurns.longestAnswer)
    while VoiceSign.isRaised(for: client.socket) {
      guard clock.now < end, !Task.isCancelled else { return false }
      try? await clock.sleep(for: glance)
    }
    return true
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
