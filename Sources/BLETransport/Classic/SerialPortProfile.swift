import DBus
import ESCPOS
import Glibc
import Threads

/// Our side of the Serial Port profile: bluetoothd connects a printer that we ask for and hands us the socket.
///
/// Source: BlueZ `doc/profile-api.txt` (`org.bluez.Profile1`, `org.bluez.ProfileManager1`).
final class SerialPortProfile: DBusObject {
  /// Whether bluetoothd knows us.
  enum Standing: Equatable {
    /// Not asked yet, or not by this bluetoothd.
    case unknown
    /// It does.
    case registered
    /// Another process has the UUID; there can be one per machine.
    case taken
    /// It cannot be; in bluetoothd's words.
    case refused(String)
  }

  /// A connection that was asked for and has not come yet.
  final class Expected: Sendable {
    fileprivate let device: String
    fileprivate let descriptor = Locked<Int32?>(nil)
    fileprivate let misfit = Locked(false)

    fileprivate init(device: String) { self.device = device }

    /// Whether what came was no stream; it was refused.
    var cameAsMisfit: Bool { misfit.withLock { $0 } }

    /// Hands the socket over, once; the receiver closes it.
    func take() -> Int32? {
      descriptor.withLock { descriptor in
        defer { descriptor = nil }
        return descriptor
      }
    }

    deinit {
      // bluetoothd has the socket too: closing ours alone would leave the printer connected.
      guard let descriptor = take() else { return }
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
  }

  /// Our place on the bus. It holds the profile, so the profile does not hold it.
  typealias Place = Locked<(bus: DBusConnection, export: DBusExport)?>

  private struct State {
    var standing = Standing.unknown
    /// By the device's object path.
    var expected: [String: Expected] = [:]
  }

  static let path = "/printd/serial_port"
  private static let registeringTime = Duration.seconds(2)
  private static let unexpected = DBusError(.remote("org.bluez.Error.Rejected"), "nobody here asked for it")

  private let state = Locked(State())

  /// Whether bluetoothd knows us.
  var standing: Standing { state.withLock { $0.standing } }

  let interfaces = [
    DBusInterface(
      BlueZName.profile,
      [
        DBusInterface.Method("Release"), DBusInterface.Method("NewConnection", takes: "oha{sv}"),
        DBusInterface.Method("RequestDisconnection", takes: "o"),
      ])
  ]

  /// Who may call, by unique name; bluetoothd's name of the moment.
  private let owner: @Sendable () async -> String?

  init(owner: @escaping @Sendable () async -> String?) {
    self.owner = owner
  }

  /// Makes ourselves known to bluetoothd, unless it knows us.
  ///
  /// - Parameters:
  ///   - place: Keeps our place on the bus; it is taken anew on another bus.
  ///   - isNew: Whether this bluetoothd has just started and knows nobody.
  func register(on bus: DBusConnection, keeping place: Place, clock: any BootTimeClock, isNew: Bool) async {
    if isNew { state.withLock { $0.standing = .unknown } }
    guard standing != .registered else { return }
    let outcome: Standing
    do throws(DBusError) {
      try export(on: bus, keeping: place)
      let options: [String: DBusValue] = [
        "Name": .string("printd"), "Role": .string("client"), "RequireAuthentication": .boolean(false),
        "RequireAuthorization": .boolean(false), "AutoConnect": .boolean(false),
      ]
      let arguments: [DBusValue] = [
        .objectPath(Self.path), .string(BluetoothUUID.serialPort.full), .variants(options),
      ]
      _ = try await bus.call(
        DBusCall(
          destination: BlueZName.service, path: BlueZName.root, interface: BlueZName.profileManager,
          member: "RegisterProfile", arguments: arguments, autoStart: false),
        by: clock.now.advanced(by: Self.registeringTime))
      outcome = .registered
    } catch {
      switch error.name {
      // It knows us already: by this object at this path.
      case "org.bluez.Error.AlreadyExists": outcome = .registered
      case "org.bluez.Error.NotPermitted": outcome = .taken
      default: outcome = .refused(error.description)
      }
    }
    state.withLock { $0.standing = outcome }
  }

  private func export(on bus: DBusConnection, keeping place: Place) throws(DBusError) {
    guard place.withLock({ $0?.bus }) !== bus else { return }
    let export = try bus.export(self, at: Self.path)
    place.withLock { $0 = (bus, export) }
  }

  /// Says that a connection of this device is asked for; it is taken in for as long as the result lives.
  func expect(_ device: String) -> Expected {
    let expected = Expected(device: device)
    state.withLock { $0.expected[device] = expected }
    return expected
  }

  /// Says that it is not waited for any more; what comes after that is refused.
  func forget(_ expected: Expected) {
    state.withLock { state in
      if state.expected[expected.device] === expected { state.expected[expected.device] = nil }
    }
  }

  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    guard call.sender == (await owner()) else {
      throw DBusError(.remote(DBusError.Name.accessDenied), "only bluetoothd may call this")
    }
    switch call.member {
    case "NewConnection": try accept(call.arguments)
    case "Release": state.withLock { $0.standing = .unknown }
    // RequestDisconnection: bluetoothd takes the link down when this is answered, and the socket tells.
    default: break
    }
    return []
  }

  private func accept(_ arguments: [DBusValue]) throws(DBusError) {
    guard let device = arguments.first?.objectPath, arguments.count > 1,
      let expected = state.withLock({ $0.expected.removeValue(forKey: device) }),
      let descriptor = arguments[1].descriptor?.take()
    else { throw Self.unexpected }
    guard RFCOMMSocket.isStream(descriptor) else {
      close(descriptor)
      expected.misfit.withLock { $0 = true }
      throw Self.unexpected
    }
    expected.descriptor.withLock { $0 = descriptor }
  }
}
