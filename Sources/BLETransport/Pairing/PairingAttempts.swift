import DBus
import ESCPOS

/// The attempts to pair with one device: a PIN in each, until one is right.
struct PairingAttempts: Sendable {
  /// bluetoothd's own limit for a question is 60 s, a page takes 5 to 20, and the rest of a legacy pairing some more.
  private static let attemptTime = Duration.seconds(75)
  /// How long bluetoothd's `Paired` may lag behind its answer.
  private static let bondTime = Duration.seconds(3)
  /// Printers need a moment after an attempt that failed.
  private static let pause = Duration.milliseconds(1500)
  /// Attempts that fail for a passing reason before it is given up.
  private static let patience = 3

  let bluez: BlueZ
  let device: Device
  let agent: PairingAgent
  let pins: [String]
  let tell: @Sendable (PairingEvent) -> Void

  private var title: String { device.asPrinter.title }

  /// What an attempt has come to.
  private enum Result {
    case paired
    case pinRefused
    case passing(LinkError)
  }

  func run(by deadline: BootInstant) async throws(LinkError) -> PairingOutcome {
    var number = 0
    var failures = 0
    var unkept = 0
    while true {
      guard bluez.clock.now < deadline else { throw LinkError(.deadline, "\(title) was not paired in time") }
      agent.begin(pin: number < pins.count ? pins[number] : nil)
      tell(.attempt)
      switch try await attempt(by: deadline) {
      case .paired:
        if try await isBonded(by: deadline) { return .bonded }
        unkept += 1
        guard unkept < 2 else { return .unkept }
        tell(.again("bluetoothd has kept no keys"))
      case .pinRefused:
        number += 1
        tell(.pinRefused(number, of: pins.count))
        guard number < pins.count else { return .wrongPIN }
      case .passing(let error):
        failures += 1
        guard failures < Self.patience else { throw error }
        tell(.again(error.message))
      }
      let pause = min(deadline, bluez.clock.now.advanced(by: Self.pause))
      do {
        try await bluez.clock.sleep(until: pause, tolerance: nil)
      } catch {
        throw .cancelled
      }
    }
  }

  private func attempt(by deadline: BootInstant) async throws(LinkError) -> Result {
    let limit = bluez.clock.now.advanced(by: Self.attemptTime)
    do throws(DBusError) {
      try await bluez.call(device.path, BlueZName.device, "Pair", by: limit)
      return .paired
    } catch {
      if error.code == .cancelled || error.code == .deadline {
        await bluez.callAnyway(device.path, BlueZName.device, "CancelPairing")
      }
      if Task.isCancelled { throw .cancelled }
      return try judge(error)
    }
  }

  /// What a failed attempt means; the names are those of BlueZ's `org.bluez.Device.rst`, "Pair".
  private func judge(_ error: DBusError) throws(LinkError) -> Result {
    let asked = agent.questions
    switch error.name {
    case "org.bluez.Error.AlreadyExists": return .paired
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected":
      if asked.contains(.pinCode) || asked.contains(.passkey) { return .pinRefused }
      throw LinkError(
        .refused,
        "\(title) does not want to be paired; hold its pairing button, or delete its old pairings (\(error))")
    case "org.bluez.Error.AuthenticationCanceled":
      throw LinkError(
        .refused, "\(title) or another program has called the pairing off; try again (\(error))")
    case "org.bluez.Error.AuthenticationTimeout":
      throw LinkError(.refused, "\(title) did not go on with the pairing; switch it off and on (\(error))")
    case "org.bluez.Error.ConnectionAttemptFailed":
      return .passing(
        LinkError(
          .unreachable,
          "\(title) does not answer: it is off, out of range or connected to another host (\(error))"))
    case "org.bluez.Error.InProgress":
      return .passing(LinkError(.busy, "\(title) is being paired by another program on this machine"))
    default: break
    }
    let fault = BlueZFault(error)
    if fault == .needsPairing {
      throw LinkError(.refused, "\(title) does not want to be paired (\(error))")
    }
    guard fault.isPassing || fault == .away else { throw fault.linkError(device.asPrinter, error) }
    return .passing(fault.linkError(device.asPrinter, error))
  }

  private func isBonded(by deadline: BootInstant) async throws(LinkError) -> Bool {
    let limit = min(deadline, bluez.clock.now.advanced(by: Self.bondTime))
    return try await bluez.isPaired(device.path, by: limit)
  }
}
