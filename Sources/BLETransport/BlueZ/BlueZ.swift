public import DBus
public import ESCPOS

/// BlueZ as this process sees it: one connection to the bus, kept alive, and the tree of what bluetoothd has.
///
/// Nothing happens before the first call that needs it. From then on the connection is opened again when the bus has
/// gone, the tree is read again when bluetoothd has a new owner, and what must be registered with bluetoothd is registered
/// again. Nothing polls: at rest it waits for signals.
public actor BlueZ {
  /// What stands between us and bluetoothd.
  public enum Condition: Equatable, Sendable {
    /// Nobody has asked yet, or the answer is not there yet.
    case starting
    /// The message bus cannot be reached, and why.
    case busAway(String)
    /// The bus is there, bluetoothd is not.
    case daemonAway
    /// bluetoothd is there, and the bus or it does not let us; in its words.
    case forbidden(String)
    /// The tree is read and kept up to date.
    case ready
  }

  /// Registers something with bluetoothd; called each time it has started.
  public typealias Registration = @Sendable (DBusConnection) async -> Void

  /// Who takes the values of a characteristic.
  struct Listener {
    /// The link's number.
    var link: Int
    var take: @Sendable ([UInt8]) -> Void
  }

  nonisolated let address: DBusAddress
  nonisolated let clock: any BootTimeClock
  nonisolated let note: @Sendable (String) -> Void
  /// Rings at every change that somebody may wait for.
  nonisolated let bell: Bell
  /// Rings when an attempt that waits for better times should be made now.
  nonisolated let retry: Bell
  nonisolated let turns: AdapterTurns
  /// How long a caller waits for bluetoothd to start or to come back.
  nonisolated let patience: Duration

  /// What stands between us and bluetoothd.
  public internal(set) var condition = Condition.starting
  /// What bluetoothd has; empty unless ``condition`` is `ready`.
  public internal(set) var tree = BlueZTree()

  var bus: DBusConnection?
  /// bluetoothd's unique name.
  var owner: String?
  /// Signals that came while the tree was being read.
  var early: [DBusSignal]?
  /// How often bluetoothd has told of a connection or its end.
  var connectionNews = 0
  var running: Task<Void, Never>?
  var registrations: [Int: Registration] = [:]
  /// Those that this bluetoothd has.
  var registered: Set<Int> = []
  var nextID = 0
  /// Takes the values that a characteristic sends by itself, by its path.
  var listeners: [String: Listener] = [:]
  /// The open links, by number.
  var links: [Int: GATTLink] = [:]
  /// Devices that we disconnect or have disconnected, by path.
  var parted: [String: Parting] = [:]
  var discovery = Discovery()
  var discovering: Task<Void, Never>?
  /// Adapters whose discovery was waited for in vain, and has not ended since.
  var endured: Set<String> = []
  /// The absent printers that somebody waits for.
  var sightings: [BluetoothAddress: Sightings] = [:]
  var lookout: Task<Void, Never>?
  /// Made when it is first asked for; nothing is registered before a Classic printer is opened.
  lazy var serialPorts = SerialPorts(
    profile: SerialPortProfile { [weak self] in await self?.owner },
    memory: SerialPortMemory(bell: bell, clock: clock))

  /// The links to each printer, by number: the first is open or being opened, the others wait for its end.
  var holders: [BluetoothAddress: [Int]] = [:]
  /// Links whose connection is being made anew.
  var renewing: Set<Int> = []
  /// Connections of ours without a link.
  var leftovers = Leftovers()
  var sweeping: Task<Void, Never>?

  /// Creates it; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - patience: How long a caller waits for bluetoothd to start or to come back.
  ///   - note: Takes lines for the log: bluetoothd gone and back, a back channel refused.
  public init(
    address: DBusAddress = .system, clock: any BootTimeClock, patience: Duration = .seconds(3),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.address = address
    self.clock = clock
    self.patience = patience
    self.note = note
    bell = Bell(clock: clock)
    retry = Bell(clock: clock)
    turns = AdapterTurns(bell: bell)
  }

  /// Ends everything: open links fail with `.lost`, the connection to the bus is closed.
  ///
  /// Devices that are being disconnected are waited for until `deadline`, so that a phone can have the printer; what was
  /// left behind is disconnected with them.
  public func stop(by deadline: BootInstant) async {
    endLeftovers()
    _ = try? await wait(by: deadline) { !$0.parted.values.contains(.going) }
    running?.cancel()
    await bus?.close()
    await running?.value
    running = nil
  }

  /// Waits until the tree is there.
  ///
  /// Where bluetoothd does not run, the bus is asked to start it, and it gets ``patience``.
  ///
  /// - Throws: ``LinkError``: `.unreachable` when the bus or bluetoothd is not there, `.refused` when it does not let
  ///   us, `.deadline`, `.cancelled`.
  public func ready(by deadline: BootInstant) async throws(LinkError) {
    start()
    let patience = min(deadline, clock.now.advanced(by: self.patience))
    // Whether bluetoothd runs the first caller learns only now.
    let isKnown = try await wait(by: patience) { bluez in
      switch bluez.condition {
      case .ready, .forbidden, .daemonAway: true
      case .starting, .busAway: false
      }
    }
    if isKnown, condition == .daemonAway {
      wakeDaemon()
      _ = try await wait(by: patience) { bluez in
        switch bluez.condition {
        case .ready, .forbidden: true
        case .starting, .busAway, .daemonAway: false
        }
      }
    }
    switch condition {
    case .ready: return
    case .starting:
      throw LinkError(.deadline, "bluetoothd did not answer in time")
    case .busAway(let words):
      throw LinkError(.unreachable, "the system's message bus cannot be reached: \(words)")
    case .daemonAway: throw .daemonAway
    case .forbidden(let words): throw .forbidden(words)
    }
  }

  /// The connection to the bus, once bluetoothd is there; for objects to be exported and calls with other rules.
  ///
  /// - Throws: As ``ready(by:)``.
  public func connection(by deadline: BootInstant) async throws(LinkError) -> DBusConnection {
    try await ready(by: deadline)
    guard let bus else { throw .daemonAway }
    return bus
  }

  /// Calls a method of one of bluetoothd's objects.
  ///
  /// - Throws: ``DBusError``; `.disconnected` while there is no bus.
  @discardableResult
  public func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
    by deadline: BootInstant
  ) async throws(DBusError) -> [DBusValue] {
    guard let bus else { throw DBusError(.disconnected, "the message bus is not connected") }
    return try await bus.call(
      DBusCall(
        destination: BlueZName.service, path: path, interface: interface, member: member,
        arguments: arguments,
        autoStart: false), by: deadline)
  }

  /// Sets a property of one of bluetoothd's objects.
  public func set(
    _ path: String, _ interface: String, _ property: String, to value: DBusValue, by deadline: BootInstant
  ) async throws(DBusError) {
    let arguments: [DBusValue] = [.string(interface), .string(property), .variant(value)]
    try await call(path, BlueZName.properties, "Set", arguments, by: deadline)
  }

  /// Waits until something holds of the tree or the condition.
  ///
  /// - Returns: Whether it does; false when `deadline` came first.
  /// - Throws: ``LinkError`` with `.cancelled`.
  public func wait(
    by deadline: BootInstant, until holds: @Sendable (isolated BlueZ) -> Bool
  ) async throws(LinkError) -> Bool {
    while true {
      let round = bell.round
      if holds(self) { return true }
      if Task.isCancelled { throw .cancelled }
      guard clock.now < deadline else { return false }
      await bell.wait(past: round, by: deadline)
    }
  }

  /// Registers something with bluetoothd, now if it is there, and again each time it has started: before ``ready(by:)``
  /// lets anybody go on, so its calls should have near deadlines.
  ///
  /// - Returns: A number for ``removeRegistration(_:)``.
  public func addRegistration(_ registration: @escaping Registration) async -> Int {
    start()
    nextID += 1
    let id = nextID
    registrations[id] = registration
    if condition == .ready, let bus {
      registered.insert(id)
      await registration(bus)
    }
    return id
  }

  /// Forgets a registration; what is registered now stays so.
  public func removeRegistration(_ id: Int) {
    registrations[id] = nil
  }

  /// Waits for the turn at an adapter: between taking and ending it nobody else connects there.
  ///
  /// - Throws: ``LinkError``: `.deadline`, `.cancelled`.
  public nonisolated func turn(at adapter: Adapter, by deadline: BootInstant) async throws(LinkError)
    -> AdapterTurn
  {
    try await turns.take(at: adapter.path, by: deadline)
  }
}
