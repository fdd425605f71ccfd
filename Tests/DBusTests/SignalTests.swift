import DBus
import ESCPOS
import PrintTestKit
import Testing

@Suite("Signals")
struct SignalTests {
  static func tick(_ number: Int32, path: String = "/test", member: String = "Tick") -> DBusSignal {
    DBusSignal(path: path, interface: "test.Clock", member: member, arguments: [.int32(number)])
  }

  @Test("thousands of signals arrive in order")
  func order() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let signals = try await client.signals(DBusMatch(sender: server.uniqueName, member: "Tick"), by: soon)
    for number in 0..<5000 { try server.emit(Self.tick(Int32(number))) }
    let received = try await signals.first(5000)
    #expect(received.compactMap { $0.arguments.first?.int32 } == Array(0..<5000))
    #expect(
      received.allSatisfy {
        $0.sender == server.uniqueName && $0.path == "/test" && $0.interface == "test.Clock"
      })
  }

  @Test("a signal that was sent before a reply is in the stream when the call returns")
  func beforeReply() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    let answering = Task {
      for await (_, reply) in keeper.calls {
        try server.emit(Self.tick(7))
        reply.give(.success([]))
      }
    }
    let signals = try await client.signals(DBusMatch(sender: server.uniqueName), by: soon)
    _ = try await client.call(.test("Go", to: server.uniqueName), by: soon)
    // The stream ends with the connection; what it has then came before.
    await client.close()
    #expect(try await signals.first(2).count == 1)
    answering.cancel()
    export.release()
  }

  @Test(
    "a match lets through what it names and nothing else",
    arguments: [
      (DBusMatch(path: "/a"), [1]), (DBusMatch(pathNamespace: "/a"), [1, 2]),
      (DBusMatch(pathNamespace: "/"), [1, 2, 3, 4, 5]),
      (DBusMatch(member: "Other"), [4]), (DBusMatch(interface: "test.Clock"), [1, 2, 3, 4]),
      (DBusMatch(arg0: "it's"), [5]), (DBusMatch(interface: "test.Clock", path: "/ab"), [3]),
    ] as [(DBusMatch, [Int32])])
  func matching(match: DBusMatch, expected: [Int32]) async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    var match = match
    match.sender = server.uniqueName
    let signals = try await client.signals(match, by: soon)
    // Another subscriber gets everything, so that the bus filters nothing.
    let all = try await client.signals(DBusMatch(sender: server.uniqueName), by: soon)
    try server.emit(Self.tick(1, path: "/a"))
    try server.emit(Self.tick(2, path: "/a/b"))
    try server.emit(Self.tick(3, path: "/ab"))
    try server.emit(Self.tick(4, path: "/c", member: "Other"))
    try server.emit(
      DBusSignal(
        path: "/c", interface: "test.Other", member: "Tick", arguments: [.string("it's"), .int32(5)]))
    #expect(try await all.first(5).count == 5)
    await client.close()
    #expect(try await signals.first(9).compactMap { $0.arguments.last?.int32 } == expected)
  }

  @Test("of a well-known name only the owner is heard, whoever that is at the moment")
  func owner() async throws {
    let bus = try await PrivateBus()
    let first = try await bus.connect()
    let second = try await bus.connect()
    let client = try await bus.connect()
    let signals = try await client.signals(DBusMatch(sender: "org.bluez", interface: "test.Clock"), by: soon)
    // Sent to nobody but the client, so that the bus asks no rule.
    try first.emit(Self.tick(1), to: client.uniqueName)
    try await first.requestName("org.bluez", by: soon)
    try first.emit(Self.tick(2))
    try second.emit(Self.tick(3), to: client.uniqueName)
    _ = try await second.call(.bus("GetId"), by: soon)
    try await first.releaseName("org.bluez", by: soon)
    try await second.requestName("org.bluez", by: soon)
    try first.emit(Self.tick(4), to: client.uniqueName)
    _ = try await first.call(.bus("GetId"), by: soon)
    try second.emit(Self.tick(5))
    #expect(try await signals.first(2).compactMap { $0.arguments.first?.int32 } == [2, 5])
  }

  @Test("subscribers to the same share a rule, and the last one takes it away")
  func sharing() async throws {
    // The bus allows one rule for the name's owner and one for the signals.
    let bus = try await PrivateBus(#"<limit name="max_match_rules_per_connection">2</limit>"#)
    let server = try await bus.connect()
    try await server.requestName("test.Clock", by: soon)
    let client = try await bus.connect()
    let match = DBusMatch(sender: "test.Clock", member: "Tick")
    let other = DBusMatch(sender: server.uniqueName, member: "Tick")
    do {
      let one = try await client.signals(match, by: soon)
      let two = try await client.signals(match, by: soon)
      try server.emit(Self.tick(1))
      #expect(try await one.first(1).count == 1)
      #expect(try await two.first(1).count == 1)
      let refused = await failure { () throws(DBusError) in try await client.signals(other, by: soon) }
      #expect(refused?.name == DBusError.Name.limitsExceeded)
    }
    for _ in 0..<100 {
      let signals = try await client.signals(other, by: soon)
      try server.emit(Self.tick(2))
      #expect(try await signals.first(1).count == 1)
    }
  }

  @Test("a consumer that lags too far behind is told by the end of its stream")
  func lagging() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let signals = try await client.signals(DBusMatch(sender: server.uniqueName), by: soon)
    let count = DBusConnection.signalsHeld
    for number in 0...count { try server.emit(Self.tick(Int32(number))) }
    // Whoever reads now gets all that was held, and the end.
    let last = try await client.signals(DBusMatch(sender: server.uniqueName, member: "Last"), by: soon)
    try server.emit(Self.tick(0, member: "Last"))
    #expect(try await last.first(1).count == 1)
    #expect(try await signals.first(.max).compactMap { $0.arguments.first?.int32 } == Array(0..<Int32(count)))
    #expect(!client.isClosed)
  }

  @Test("changes of a name's owner can be followed")
  func ownerChanges() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let changes = try await client.signals(.ownerChanges(of: "org.bluez"), by: soon)
    // Follows the same name for the connection's own use.
    let signals = try await client.signals(DBusMatch(sender: "org.bluez"), by: soon)
    try await server.requestName("org.bluez", by: soon)
    await server.close()
    let owners = try await changes.first(2).map { $0.arguments.compactMap(\.string) }
    #expect(owners == [["org.bluez", "", server.uniqueName], ["org.bluez", server.uniqueName, ""]])
    withExtendedLifetime(signals) {}
  }

  @Test("a subscription that is given up leaves nothing behind")
  func cancelled() async throws {
    let bus = try await PrivateBus(#"<limit name="max_match_rules_per_connection">1</limit>"#)
    let server = try await bus.connect()
    let client = try await bus.connect()
    for _ in 0..<200 {
      let task = Task {
        await failure { () throws(DBusError) in try await client.signals(DBusMatch(member: "Never"), by: soon)
        }
      }
      task.cancel()
      _ = await task.value
    }
    let signals = try await client.signals(DBusMatch(sender: server.uniqueName), by: soon)
    try server.emit(Self.tick(1))
    #expect(try await signals.first(1).count == 1)
  }
}
