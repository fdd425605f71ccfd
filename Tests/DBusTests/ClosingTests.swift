import DBus
import ESCPOS
import Glibc
import PrintTestKit
import Testing

/// The entries of a folder of `/proc`.
private func entries(_ path: String) -> Int {
  guard let folder = opendir(path) else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}

/// Runs alone, since it counts what the whole process holds.
@Suite("The end of a connection", .serialized)
struct ClosingTests {
  @Test("when the bus dies, calls fail, streams end, and a new connection is made at once")
  func busDies() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    let signals = try await client.signals(DBusMatch(sender: "test.Name"), by: soon)
    var pending: [DBusPendingCall] = []
    for _ in 0..<200 { pending.append(try client.begin(.test("Slow", to: server.uniqueName), by: soon)) }
    let kept = try await keeper.calls.first(128)
    await bus.kill()
    for call in pending {
      #expect(await failure { () throws(DBusError) in try await call.values() }?.code == .disconnected)
    }
    #expect(try await signals.first(1).isEmpty)
    await client.waitUntilClosed()
    #expect(client.isClosed)
    let late = await failure { () throws(DBusError) in try await client.call(.bus("GetId"), by: soon) }
    #expect(late?.code == .disconnected)
    let deaf = await failure { () throws(DBusError) in try await client.signals(DBusMatch(), by: soon) }
    #expect(deaf?.code == .disconnected)
    await server.waitUntilClosed()
    #expect(throws: DBusError.disconnected) { try server.emit(SignalTests.tick(1)) }
    for (_, reply) in kept { reply.give(.success([])) }
    export.release()
    try await bus.restart()
    let next = try await bus.connect()
    #expect(try await next.call(.bus("GetId"), by: soon).count == 1)
  }

  @Test(
    "nobody listening, and an address that is none, are errors",
    arguments: [
      ("unix:path=/nonexistent/bus", .unavailable), ("unix:path", .unavailable), ("nonsense", .unavailable),
      ("", .unavailable), ("tcp:host=127.0.0.1,port=1", .unavailable), ("unix:path=/a\0b", .invalid),
    ] as [(String, DBusError.Code)])
  func nobody(address: String, code: DBusError.Code) async throws {
    let error = await failure { () throws(DBusError) in
      try await DBusConnection.connect(to: DBusAddress(address), clock: BootClock(), by: soon)
    }
    #expect(error?.code == code)
  }

  @Test("a bus that never answers is given up at the deadline, or when the task is cancelled")
  func frozen() async throws {
    let bus = try await PrivateBus()
    bus.freeze()
    let clock = ManualClock()
    let address = DBusAddress(bus.address)
    let patient = Task {
      await failure { () throws(DBusError) in
        try await DBusConnection.connect(to: address, clock: clock, by: clock.now.advanced(by: .seconds(2)))
      }
    }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    #expect(await patient.value?.code == .deadline)
    let cancelled = Task {
      await failure { () throws(DBusError) in
        try await DBusConnection.connect(to: address, clock: clock, by: clock.now.advanced(by: .seconds(2)))
      }
    }
    cancelled.cancel()
    #expect(await cancelled.value?.code == .cancelled)
  }

  @Test(
    "a stream and a call that are open end when the connection is closed or dropped",
    arguments: [true, false])
  func closed(explicitly: Bool) async throws {
    let bus = try await PrivateBus()
    var client: DBusConnection? = try await bus.connect()
    let server = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    let signals = try #require(try await client?.signals(DBusMatch(member: "Never"), by: soon))
    let pending = try #require(try client?.begin(.test("Slow", to: server.uniqueName), by: soon))
    let kept = try await keeper.calls.first(1)
    if explicitly { await client?.close() }
    client = nil
    #expect(try await signals.first(1).isEmpty)
    #expect(await failure { () throws(DBusError) in try await pending.values() }?.code == .disconnected)
    #expect(kept.count == 1)
    export.release()
  }

  @Test("connections come and go a thousand times and leave no descriptor and no thread")
  func comeAndGo() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    _ = try await bus.connect()
    // Other suites run beside this one, so what is counted is what leads to this bus, and the threads of one name less.
    for _ in 0..<1000 {
      let client = try await bus.connect()
      let signals = try await client.signals(DBusMatch(sender: "test.Name"), by: soon)
      let export = try client.export(Echo(), at: "/test")
      #expect(try await client.call(.test("Echo", [.byte(1)], to: server.uniqueName), by: soon) == [.byte(1)])
      await client.close()
      withExtendedLifetime((signals, export)) {}
    }
    try await DaemonRig.until { entries("/proc/self/fd") < 200 && entries("/proc/self/task") < 100 }
    export.release()
  }
}

extension DBusError {
  static let disconnected = DBusError(.disconnected, "the connection to the message bus is closed")
}
