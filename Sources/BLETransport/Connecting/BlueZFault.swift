public import DBus
public import ESCPOS

/// What an error of BlueZ or of the bus means for a printer.
///
/// Sources: BlueZ `src/error.h` (the names and the texts `le-connection-…`, `br-connection-…`), the kernel's errno texts
/// that bluetoothd passes on, and the D-Bus specification.
public enum BlueZFault: Equatable, Sendable {
  /// Nothing answers: switched off, out of range, or, on LE, held by another host and therefore silent.
  case away
  /// It answered, and let go of us again: most often another host holds it.
  case heldElsewhere
  /// The attempt came to nothing for a passing reason; worth trying again soon.
  case passing
  /// An earlier attempt is still under way.
  case inProgress
  /// There is a link already.
  case alreadyConnected
  /// It wants a pairing that is not there, or the keys or the PIN are not right.
  case needsPairing
  /// The adapter is switched off.
  case adapterOff
  /// BlueZ does not know the object (any longer).
  case vanished
  /// bluetoothd does not run.
  case daemonAway
  /// The bus's policy does not let us.
  case forbidden
  /// This side's own end of the call: `.deadline`, `.cancelled` or a bus that has gone.
  case ours(DBusError.Code)
  /// Anything else.
  case other

  /// Sorts an error.
  public init(_ error: DBusError) {
    switch error.code {
    case .remote(let name):
      self = Self.byName[name] ?? Self.byText(error.message)
    case .disconnected: self = .daemonAway
    default: self = .ours(error.code)
    }
  }

  private static let byName: [String: BlueZFault] = [
    "org.bluez.Error.NotReady": .adapterOff,
    "org.bluez.Error.InProgress": .inProgress,
    "org.bluez.Error.AlreadyConnected": .alreadyConnected,
    "org.bluez.Error.DoesNotExist": .vanished,
    "org.bluez.Error.AuthenticationFailed": .needsPairing,
    "org.bluez.Error.AuthenticationRejected": .needsPairing,
    "org.bluez.Error.AuthenticationCanceled": .needsPairing,
    "org.bluez.Error.AuthenticationTimeout": .needsPairing,
    "org.bluez.Error.NotAuthorized": .needsPairing,
    "org.bluez.Error.NotPermitted": .needsPairing,
    "org.bluez.Error.ConnectionAttemptFailed": .away,
    DBusError.Name.unknownObject: .vanished,
    DBusError.Name.unknownMethod: .vanished,
    DBusError.Name.unknownInterface: .vanished,
    DBusError.Name.serviceUnknown: .daemonAway,
    DBusError.Name.nameHasNoOwner: .daemonAway,
    DBusError.Name.noReply: .daemonAway,
    DBusError.Name.accessDenied: .forbidden,
  ]

  /// Text that an error contains, and its meaning; the first that fits.
  private static let texts: [(part: String, meaning: BlueZFault)] = [
    ("key-missing", .needsPairing),
    ("page-timeout", .away),
    ("host is down", .away),
    ("no route to host", .away),
    ("connection-timeout", .away),
    ("connection timed out", .away),
    ("adapter-not-powered", .adapterOff),
    ("resource not ready", .adapterOff),
    ("connection-refused", .heldElsewhere),
    ("connection refused", .heldElsewhere),
    ("abort-by-remote", .heldElsewhere),
    ("aborted-by-remote", .heldElsewhere),
    ("connection reset by peer", .heldElsewhere),
    ("already-connected", .alreadyConnected),
    ("operation already in progress", .inProgress),
    ("operation now in progress", .inProgress),
    ("connection-busy", .inProgress),
    ("permission denied", .needsPairing),
    ("not paired", .needsPairing),
    ("insufficient", .needsPairing),
    ("abort-by-local", .passing),
    ("aborted-by-local", .passing),
    ("software caused connection abort", .passing),
    ("input/output error", .passing),
    ("device or resource busy", .passing),
    ("concurrent-connection-limit", .passing),
    ("connection-canceled", .passing),
    ("link-layer-protocol-error", .passing),
    ("lmp-protocol-error", .passing),
    ("gatt-browsing", .passing),
    ("not connected", .passing),
    ("create-socket", .passing),
  ]

  private static func byText(_ text: String) -> BlueZFault {
    let text = text.lowercased()
    return texts.first { text.contains($0.part) }?.meaning ?? .other
  }
}

extension BlueZFault {
  /// Whether another attempt soon, within the same deadline, may succeed.
  public var isPassing: Bool {
    switch self {
    case .passing, .inProgress, .heldElsewhere, .vanished: true
    default: false
    }
  }

  /// The error for whoever wanted to print, which names the printer, the cause and the remedy.
  ///
  /// - Parameter error: What the words come from where the fault has none of its own.
  public func linkError(_ printer: BluetoothPrinter, _ error: DBusError) -> LinkError {
    let title = printer.title
    switch self {
    case .away:
      return LinkError(
        .unreachable, "\(title) does not answer: it is off, out of range or used by another host")
    case .heldElsewhere:
      return LinkError(.busy, "\(title) hangs up: another host (a phone?) is using it; disconnect it there")
    case .passing:
      return LinkError(
        .unreachable, "\(title) cannot be connected: off, out of range or disturbed (\(error))")
    case .inProgress, .alreadyConnected:
      return LinkError(.busy, "\(title) is being connected by another program on this machine (\(error))")
    case .needsPairing:
      return LinkError(
        .refused,
        "\(title) does not accept our pairing (\(error)); run: printd printers pair \(printer.address)")
    case .adapterOff: return .adapterOff(title)
    case .vanished:
      return LinkError(
        .unreachable, "\(title) is not to be found: it is off, out of range or used by another host")
    case .daemonAway: return .daemonAway
    case .forbidden: return .forbidden("\(error)")
    case .ours(.deadline): return LinkError(.deadline, "\(title) was not connected in time")
    case .ours(.cancelled): return .cancelled
    case .ours(.unavailable):
      return LinkError(.unreachable, "the system's message bus cannot be reached: \(error)")
    case .ours, .other: return LinkError(.unreachable, "\(title) cannot be connected: \(error)")
    }
  }
}

extension LinkError {
  static let daemonAway = LinkError(
    .unreachable, "bluetoothd is not running; start it: systemctl enable --now bluetooth")

  static func forbidden(_ words: String) -> LinkError {
    LinkError(
      .refused,
      "this user may not use Bluetooth; add it to the group bluetooth, then restart printd (\(words))")
  }

  static func adapterOff(_ title: String) -> LinkError {
    switch RFKill.bluetooth() {
    case .hard:
      LinkError(.unreachable, "\(title): the Bluetooth adapter is off by its switch (rfkill); switch it on")
    case .soft:
      LinkError(.unreachable, "\(title): the Bluetooth adapter is blocked; run: rfkill unblock bluetooth")
    case .no:
      LinkError(.unreachable, "\(title): the Bluetooth adapter is off; run: bluetoothctl power on")
    }
  }
}
