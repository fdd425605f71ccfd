import DBus
import ESCPOS
import Threads

/// Our side of a pairing: what bluetoothd asks a person, answered for the one device that is being paired.
///
/// It answers bluetoothd alone, by its unique name, and rejects every question about another device. Source: BlueZ,
/// `doc/org.bluez.Agent.rst`.
final class PairingAgent: DBusObject {
  /// What bluetoothd has asked in one attempt.
  enum Question: Equatable, Sendable {
    /// The PIN of a printer from before Secure Simple Pairing.
    case pinCode
    /// A number that the printer shows or has printed on it.
    case passkey
    /// Whether the pairing is wanted.
    case consent
    /// It shows a number that would have to be typed at the printer.
    case display(String)
    /// bluetoothd has called the attempt off.
    case cancelled
  }

  private struct State {
    var pin: String?
    var questions: [Question] = []
    var strangers = 0
  }

  private static let rejected = DBusError(.remote("org.bluez.Error.Rejected"), "not for this agent")
  private let device: String
  private let owner: String
  private let state = Locked(State())

  /// Creates an agent.
  ///
  /// - Parameters:
  ///   - device: The object path of the device that may be paired.
  ///   - owner: bluetoothd's unique name.
  init(device: String, owner: String) {
    self.device = device
    self.owner = owner
  }

  /// Begins an attempt, with the PIN to answer in it.
  func begin(pin: String?) {
    state.withLock { state in
      state.pin = pin
      state.questions = []
    }
  }

  /// What has been asked in this attempt.
  var questions: [Question] { state.withLock { $0.questions } }

  /// How many calls came from somebody else than bluetoothd, or for another device.
  var strangers: Int { state.withLock { $0.strangers } }

  var interfaces: [DBusInterface] {
    [
      DBusInterface(
        BlueZName.agent,
        [
          .init("Release"), .init("Cancel"), .init("RequestPinCode", takes: "o", gives: "s"),
          .init("DisplayPinCode", takes: "os"), .init("RequestPasskey", takes: "o", gives: "u"),
          .init("DisplayPasskey", takes: "ouq"), .init("RequestConfirmation", takes: "ou"),
          .init("RequestAuthorization", takes: "o"), .init("AuthorizeService", takes: "os"),
        ])
    ]
  }

  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    guard call.sender == owner else { throw reject() }
    switch call.member {
    case "Release": return []
    case "Cancel":
      note(.cancelled)
      return []
    default: break
    }
    guard call.arguments.first?.objectPath == device else { throw reject() }
    switch call.member {
    case "RequestPinCode":
      guard let pin = note(.pinCode) else { throw Self.rejected }
      return [.string(pin)]
    case "RequestPasskey":
      // Never asked of an agent without a keyboard; where it is, a PIN of digits is what the user meant.
      guard let number = note(.passkey).flatMap(UInt32.init), number <= 999_999 else { throw Self.rejected }
      return [.uint32(number)]
    case "RequestConfirmation", "RequestAuthorization":
      note(.consent)
      return []
    case "DisplayPinCode":
      note(.display(call.arguments.last?.string ?? ""))
      return []
    case "DisplayPasskey":
      note(.display(call.arguments.dropFirst().first?.uint32.map(String.init) ?? ""))
      return []
    case "AuthorizeService":
      // A printer has no business with any other service of ours.
      guard BluetoothUUID(call.arguments.last?.string ?? "") == .serialPort else { throw reject() }
      return []
    default:
      throw DBusError(.remote(DBusError.Name.unknownMethod), call.member)
    }
  }

  @discardableResult
  private func note(_ question: Question) -> String? {
    state.withLock { state in
      // A device that asks without end must not fill the memory.
      if state.questions.count < 64 { state.questions.append(question) }
      return state.pin
    }
  }

  private func reject() -> DBusError {
    state.withLock { $0.strangers += 1 }
    return Self.rejected
  }
}
