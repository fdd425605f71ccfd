public import DBus
import ESCPOS
public import PrintTestKit
import Testing
import Threads

/// An `org.bluez` on a bus of its own, for what the real one cannot be told to do.
///
/// It has the objects, the properties, the errors and the order of events of BlueZ 5.66, as far as a client that prints
/// sees them. What a printer or bluetoothd is to do wrong is set on ``FakeAdapter``, ``FakeDevice``,
/// ``FakeCharacteristic`` and ``FakePrinter``; it takes effect with the next call. Nothing happens by a timer: what comes
/// late comes when the test says so, or when the test moves the printer's clock.
public final class FakeBlueZ: Sendable {
  /// The bus; killing it is a way to misbehave too.
  public let bus: PrivateBus
  let table = ObjectTable()
  let agents = FakeAgents()
  let profiles = FakeProfiles()
  private let adapters = Locked<[FakeAdapter]>([])

  /// Starts a bus, with more elements for its configuration, and bluetoothd on it, without adapters.
  public init(bus more: String = "") async throws {
    bus = try await PrivateBus(more)
    table.add("/org/bluez", "org.bluez.AgentManager1", [:], Managers(agents, profiles))
    try await come()
  }

  deinit { _ = table.detach() }

  /// Where the bus listens.
  public var address: DBusAddress { DBusAddress(bus.address) }

  /// Adds an adapter: `hci0`, then `hci1`, …
  @discardableResult
  public func addAdapter(powered: Bool = true) -> FakeAdapter {
    let number = adapters.withLock { $0.count }
    let adapter = FakeAdapter(number, self, powered: powered)
    adapters.withLock { $0.append(adapter) }
    return adapter
  }

  /// bluetoothd leaves the bus: the name has no owner, agents and profiles are forgotten, links are down.
  public func leave() async {
    let connection = table.detach()
    await connection?.close()
    agents.forget()
    profiles.forget()
    for adapter in adapters.withLock({ $0 }) { adapter.reset() }
  }

  /// Ends it for good: the bus is killed, and the objects, which know one another, are let go.
  public func end() async {
    await leave()
    table.clear()
    adapters.withLock { $0 = [] }
    await bus.kill()
  }

  /// bluetoothd comes (back) to the bus, with all the objects that there are.
  public func come() async throws {
    let soon = BootClock().now.advanced(by: .seconds(30))
    let connection = try await DBusConnection.connect(to: address, clock: BootClock(), by: soon)
    try table.attach(connection)
    try await connection.requestName("org.bluez", by: soon)
  }

  /// Everything that was asked of it, in order, since the beginning.
  public var calls: [DBusIncomingCall] { table.log.calls }

  /// The calls of a method.
  public func calls(of member: String) -> [DBusIncomingCall] { calls.filter { $0.member == member } }

  /// Returns once a method has been called so often, counted from the beginning, and the calls have had their effect; or
  /// when the task is cancelled, as by the time limit of the test, which is an issue of the test at that line.
  public func called(
    _ member: String, times: Int = 1, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    guard await !table.log.wait(for: member, times) else { return }
    let calls = calls.map(\.member)
    Issue.record(
      "\(member) was not called \(times) times: \(calls)",
      sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Whether an object is on the bus.
  public func has(_ path: String) -> Bool { table.has(path) }
}

/// The object at `/org/bluez`, which has two interfaces.
private final class Managers: FakeNode, FakeManagers {
  private let agents: FakeAgents
  private let profiles: FakeProfiles

  init(_ agents: FakeAgents, _ profiles: FakeProfiles) {
    self.agents = agents
    self.profiles = profiles
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    switch call.interface {
    case "org.bluez.AgentManager1": agents.answer(call, reply)
    case "org.bluez.ProfileManager1": profiles.answer(call, reply)
    default: reply.give(.failure(.unknown(DBusError.Name.unknownInterface, call)))
    }
  }
}
