public import DBus
import Threads

/// A device of the fake (`org.bluez.Device1`) with its GATT table.
public final class FakeDevice: FakeNode {
  /// What `Connect` does.
  public enum Connecting: Sendable {
    /// Connects.
    case succeeds
    /// Fails: `org.bluez.Error.Failed` with `le-connection-abort-by-local` is what BlueZ says to every failure of LE.
    case fails(DBusError)
    /// Answers that it has connected, and then the link is down.
    case dropsAtOnce
    /// `Connected` becomes true and false again, and then `Connect` fails.
    case flickers(DBusError)
    /// Does not answer until ``FakeDevice/answerConnect(_:)``.
    case waits
  }

  /// What happens to the services after `Connect`.
  public enum Resolving: Sendable {
    /// The objects appear, then `ServicesResolved`.
    case atOnce
    /// Not until ``FakeDevice/resolve()``, if ever.
    case waits
    /// `ServicesResolved` comes, and no object until ``FakeDevice/showServices()``.
    case beforeObjects
  }

  /// What `Pair` does.
  public enum Pairing: Sendable {
    /// Pairs without a question.
    case justWorks
    /// Asks the agent for a PIN (`RequestPinCode`), and pairs when it is this one.
    case pin(String)
    /// Asks the agent to confirm a number (`RequestConfirmation`).
    case confirmation(UInt32)
    /// Asks the agent for a number (`RequestPasskey`), and pairs when it is this one.
    case passkey(UInt32)
    /// Asks the agent whether it may (`RequestAuthorization`).
    case authorization
    /// Answers that all is well, and `Paired` stays false.
    case quietlyFails
    /// Does not answer until the client calls `CancelPairing`, or the link goes down.
    case waits
    /// Fails.
    case fails(DBusError)
  }

  /// What it does.
  public struct Script: Sendable {
    /// What `Connect` does, attempt by attempt; the last one stays.
    public var connecting: [Connecting] = [.succeeds]
    /// What happens to the services.
    public var resolving = Resolving.atOnce
    /// What `Pair` does.
    public var pairing = Pairing.justWorks
    /// Whether `Pair` connects, as it does on LE; nothing of its making ends that connection.
    public var pairingConnects = false
    /// Whether the printer has lost its half of the bond: until it is paired anew it hangs up when the old keys are used.
    public var hasForgottenBond = false
    /// What `ConnectProfile` fails with before it asks the profile.
    public var profile: DBusError?
    /// Whether `ConnectProfile` is not answered until `Disconnect`: the printer's SDP server is silent.
    public var profileWaits = false
    /// Whether it is not told that the device is connected, only answered: bluetoothd 5.66, when ATT was faster than the
    /// kernel's event.
    public var hidesConnecting = false
    /// Whether the objects of the services go with the link; BlueZ keeps those of a device that it knows.
    public var forgetsServices = false
  }

  struct State {
    var script = Script()
    var connecting: DBusReply?
    var pairing: DBusReply?
  }

  /// `/org/bluez/hci0/dev_00_11_22_33_44_55`.
  public let path: String
  /// What is behind it, if it prints.
  public let printer: FakePrinter?
  /// The printer's ends of the channels that were opened for profiles, in order.
  public let channels: AsyncStream<DBusDescriptor>
  let channel: AsyncStream<DBusDescriptor>.Continuation
  /// How many channels have been opened; locked while one is, and while the link goes down with one.
  let opened = Locked(0)
  /// What it has in its GATT table.
  public let characteristics: [FakeCharacteristic]
  let table: ObjectTable
  let agents: FakeAgents
  let profiles: FakeProfiles
  private let adapter: String
  private let services: [FakeService]
  private let properties: ObjectTable.Properties
  let state = Locked(State())

  init(
    _ address: String, _ name: String, _ properties: [String: DBusValue], _ services: [FakeService],
    _ printer: FakePrinter?, _ adapter: FakeAdapter, _ agents: FakeAgents, _ profiles: FakeProfiles
  ) {
    path = "\(adapter.path)/dev_\(address.split(separator: ":").joined(separator: "_"))"
    (channels, channel) = AsyncStream.makeStream()
    self.printer = printer
    self.adapter = adapter.path
    self.agents = agents
    self.profiles = profiles
    self.services = services
    table = adapter.table
    let base = path
    let table = adapter.table
    characteristics = services.enumerated().flatMap { number, service in
      service.characteristics.enumerated().map { index, description in
        FakeCharacteristic(
          description, "\(base)/service00\(number + 1)0/char00\(number + 1)\(index + 1)", base, table, printer
        )
      }
    }
    self.properties = [
      "Address": .string(address), "AddressType": .string("public"), "Adapter": .objectPath(adapter.path),
      "Name": .string(name), "Alias": .string(name), "Paired": .boolean(false), "Bonded": .boolean(false),
      "Trusted": .boolean(false), "Blocked": .boolean(false), "LegacyPairing": .boolean(false),
      "Connected": .boolean(false), "ServicesResolved": .boolean(false),
      "UUIDs": .strings(services.map(\.uuid)), "RSSI": .int16(-50),
    ].merging(properties) { $1 }
  }

  /// Sets what it does from now on.
  public func script(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  /// A property, as clients see it.
  public func value(_ property: String) -> DBusValue? { table.value(path, property) }

  /// Changes properties; nil takes one away.
  public func set(_ changes: [String: DBusValue?]) { table.set(path, changes) }

  /// Whether it is connected.
  public var isConnected: Bool { value("Connected")?.boolean == true }

  /// Is seen: as new, or in a scan once more.
  public func appear(rssi: Int16 = -50) {
    if table.has(path) {
      // A value that does not change is not told; two advertisements are never equally strong.
      table.set(path, ["RSSI": nil])
      table.set(path, ["RSSI": .int16(rssi)])
    } else {
      table.add(path, "org.bluez.Device1", properties.merging(["RSSI": .int16(rssi)]) { $1 }, self)
    }
  }

  /// Is forgotten: the object goes, with everything below.
  public func vanish() {
    drop()
    table.remove(path)
  }

  /// The link goes down: switched off, out of range, or dropped by the printer.
  public func drop() {
    let (connecting, pairing) = state.withLock { state in
      defer {
        state.connecting = nil
        state.pairing = nil
      }
      return (state.connecting, state.pairing)
    }
    connecting?.give(.failure(.abortedByLocal))
    pairing?.give(.failure(.bluez("AuthenticationFailed", "Authentication Failed")))
    guard isConnected else { return }
    for characteristic in characteristics { characteristic.linkIsDown() }
    profiles.hangUp(path)
    printer?.linkIsDown()
    table.set(path, ["ServicesResolved": .boolean(false)])
    table.set(path, ["Connected": .boolean(false)])
    if state.withLock({ $0.script.forgetsServices }) { hideServices() }
  }

  /// Connects by itself, or for another program.
  public func connect() {
    for characteristic in characteristics { characteristic.linkIsUp() }
    table.set(path, ["Connected": .boolean(true)], isTold: !state.withLock { $0.script.hidesConnecting })
    switch state.withLock({ $0.script.resolving }) {
    case .atOnce: resolve()
    case .waits: break
    case .beforeObjects: table.set(path, ["ServicesResolved": .boolean(true)])
    }
  }

  /// The services are resolved: the objects appear, then the property changes.
  public func resolve() {
    showServices()
    table.set(path, ["ServicesResolved": .boolean(true)])
  }

  /// The objects of the services appear.
  public func showServices() {
    for (number, service) in services.enumerated() {
      let servicePath = "\(path)/service00\(number + 1)0"
      guard !table.has(servicePath) else { continue }
      table.add(
        servicePath, "org.bluez.GattService1",
        ["UUID": .string(service.uuid), "Device": .objectPath(path), "Primary": .boolean(true)], FakeInert())
      for characteristic in characteristics where characteristic.path.hasPrefix(servicePath + "/") {
        characteristic.appear()
      }
    }
  }

  /// The objects of the services go, while the device stays (`InterfacesRemoved`).
  public func hideServices() {
    for number in services.indices { table.remove("\(path)/service00\(number + 1)0") }
  }

  /// A characteristic by its UUID.
  public func characteristic(_ uuid: String) -> FakeCharacteristic? {
    characteristics.first { $0.uuid == uuid }
  }

  /// Answers a `Connect` that waits.
  public func answerConnect(_ connecting: Connecting) {
    let reply = state.withLock { state in
      defer { state.connecting = nil }
      return state.connecting
    }
    if let reply { finish(connecting, reply) }
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    switch call.member {
    case "Connect": beginConnect(reply)
    case "Disconnect":
      let pending = state.withLock { state in
        defer { state.connecting = nil }
        return state.connecting
      }
      pending?.give(.failure(.bluez("Failed", "br-connection-canceled")))
      let wasConnected = isConnected
      drop()
      reply.give(
        wasConnected || pending != nil ? .success([]) : .failure(.bluez("NotConnected", "Not Connected")))
    case "Pair": pair(call, reply)
    case "CancelPairing": cancelPairing(reply)
    case "ConnectProfile": connectProfile(call, reply)
    case "DisconnectProfile":
      profiles.hangUp(path)
      reply.give(.success([]))
    default: reply.give(.failure(.unknown(DBusError.Name.unknownMethod, call)))
    }
  }

  private func beginConnect(_ reply: DBusReply) {
    guard table.value(adapter, "Powered")?.boolean == true else { return reply.give(.failure(.notReady)) }
    if isConnected { return reply.give(.success([])) }
    let isPaired = value("Paired")?.boolean == true
    let next = state.withLock { state -> Connecting? in
      guard state.connecting == nil else { return nil }
      if isPaired, state.script.hasForgottenBond { return .flickers(.abortedByLocal) }
      let next = state.script.connecting.first ?? .succeeds
      if state.script.connecting.count > 1 { state.script.connecting.removeFirst() }
      if case .waits = next { state.connecting = reply }
      return next
    }
    guard let next else { return reply.give(.failure(.bluez("InProgress", "Operation already in progress"))) }
    finish(next, reply)
  }

  private func finish(_ connecting: Connecting, _ reply: DBusReply) {
    switch connecting {
    case .succeeds:
      connect()
      reply.give(.success([]))
    case .fails(let error): reply.give(.failure(error))
    case .dropsAtOnce:
      table.set(path, ["Connected": .boolean(true)])
      reply.give(.success([]))
      drop()
    case .flickers(let error):
      table.set(path, ["Connected": .boolean(true)])
      drop()
      reply.give(.failure(error))
    case .waits: break
    }
  }
}

/// An object that nothing is asked of but its properties.
final class FakeInert: FakeNode {
  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    reply.give(.failure(.unknown(DBusError.Name.unknownMethod, call)))
  }
}

extension DBusError {
  /// What BlueZ says to every failure of an LE connection.
  public static let abortedByLocal = bluez("Failed", "le-connection-abort-by-local")
}
