public import DBus
import Threads

/// An adapter of the fake (`org.bluez.Adapter1`).
public final class FakeAdapter: FakeNode {
  /// What it does wrong.
  public struct Script: Sendable {
    /// What `StartDiscovery` fails with.
    public var startDiscovery: DBusError?
    /// Whether `StartDiscovery` is not answered until ``FakeAdapter/answerStartDiscovery()``.
    public var startDiscoveryWaits = false
    /// What setting `Powered` fails with: `org.bluez.Error.Blocked` under rfkill.
    public var power: DBusError?
  }

  private struct State {
    var script = Script()
    var devices: [FakeDevice] = []
    var starting: [DBusReply] = []
  }

  /// `/org/bluez/hci0`.
  public let path: String
  let table: ObjectTable
  private let agents: FakeAgents
  private let profiles: FakeProfiles
  private let state = Locked(State())

  init(_ number: Int, _ bluez: FakeBlueZ, powered: Bool) {
    path = "/org/bluez/hci\(number)"
    table = bluez.table
    agents = bluez.agents
    profiles = bluez.profiles
    table.add(
      path, "org.bluez.Adapter1",
      [
        "Address": .string("00:AA:01:00:00:0\(number)"), "AddressType": .string("public"),
        "Name": .string("fake"), "Alias": .string("fake"), "Powered": .boolean(powered),
        "Discovering": .boolean(false), "Pairable": .boolean(true),
      ], self)
  }

  /// Sets what it does wrong from now on.
  public func script(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  /// Whether it is on, and whether it scans.
  public var isPowered: Bool { table.value(path, "Powered")?.boolean == true }
  /// Whether it scans.
  public var isDiscovering: Bool { table.value(path, "Discovering")?.boolean == true }

  /// Switches it on or off, as rfkill or somebody else does; links end.
  public func setPowered(_ isOn: Bool) {
    if !isOn { for device in devices { device.drop() } }
    table.set(path, ["Powered": .boolean(isOn), "Discovering": .boolean(isOn && isDiscovering)])
  }

  /// Another program begins to discover, or ends that.
  public func discover(_ isOn: Bool) { table.set(path, ["Discovering": .boolean(isOn)]) }

  /// Pulls it out: its objects, its devices' too, are gone.
  public func unplug() { table.remove(path) }

  /// Puts it back, switched off or on; its devices come back when they are ``FakeDevice/appear()``.
  public func plugIn(powered: Bool = true) {
    table.add(
      path, "org.bluez.Adapter1",
      [
        "Address": .string("00:AA:01:00:00:00"), "AddressType": .string("public"), "Name": .string("fake"),
        "Alias": .string("fake"), "Powered": .boolean(powered), "Discovering": .boolean(false),
        "Pairable": .boolean(true),
      ], self)
  }

  /// Adds a device that has been seen.
  ///
  /// - Parameter properties: More properties of `org.bluez.Device1`, or others than the usual ones.
  @discardableResult
  public func addDevice(
    _ address: String, name: String = "Printer", properties: [String: DBusValue] = [:],
    services: [FakeService] = [], printer: FakePrinter? = nil
  ) -> FakeDevice {
    let device = FakeDevice(address, name, properties, services, printer, self, agents, profiles)
    state.withLock { $0.devices.append(device) }
    device.appear()
    return device
  }

  var devices: [FakeDevice] { state.withLock { $0.devices } }

  func reset() {
    for device in devices { device.drop() }
    table.set(path, ["Discovering": .boolean(false)])
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    switch call.member {
    case "SetDiscoveryFilter": reply.give(.success([]))
    case "StartDiscovery":
      let failure = state.withLock { $0.script.startDiscovery } ?? (isPowered ? nil : .notReady)
      if let failure { return reply.give(.failure(failure)) }
      let waits = state.withLock { state in
        if state.script.startDiscoveryWaits { state.starting.append(reply) }
        return state.script.startDiscoveryWaits
      }
      if !waits { beginDiscovery(reply) }
    case "StopDiscovery":
      guard state.withLock({ $0.starting.isEmpty }) else {
        return reply.give(.failure(.bluez("InProgress", "Operation already in progress")))
      }
      guard isDiscovering else { return reply.give(.failure(.bluez("Failed", "No discovery started"))) }
      table.set(path, ["Discovering": .boolean(false)])
      reply.give(.success([]))
    case "RemoveDevice":
      guard let device = call.arguments.first?.objectPath, table.has(device) else {
        return reply.give(.failure(.bluez("DoesNotExist", "Does Not Exist")))
      }
      devices.first { $0.path == device }?.drop()
      table.remove(device)
      reply.give(.success([]))
    default: reply.give(.failure(.unknown(DBusError.Name.unknownMethod, call)))
    }
  }

  /// Answers the `StartDiscovery` that waits: it scans from now on; no later one waits. Until then BlueZ is
  /// busy to `StopDiscovery`.
  public func answerStartDiscovery() {
    let starting = state.withLock { state in
      state.script.startDiscoveryWaits = false
      defer { state.starting = [] }
      return state.starting
    }
    for reply in starting { beginDiscovery(reply) }
  }

  private func beginDiscovery(_ reply: DBusReply) {
    table.set(path, ["Discovering": .boolean(true)])
    reply.give(.success([]))
  }

  func refusal(of property: String, _ value: DBusValue) -> DBusError? {
    property == "Powered" ? state.withLock { $0.script.power } : nil
  }

  func wasSet(_ property: String, _ value: DBusValue) {
    if property == "Powered", value.boolean == false { setPowered(false) }
  }
}

extension DBusError {
  static let notReady = bluez("NotReady", "Resource Not Ready")
}
