import DBus
import ESCPOS
import PrintTestKit
import Testing

/// An object with a list of what it can be called for.
private struct Listed: DBusObject {
  let interfaces = [
    DBusInterface("test.Listed", [.init("Add", takes: "ii", gives: "i"), .init("Quiet")]),
    DBusInterface("test.More", [.init("Bad")]),
  ]

  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    switch call.member {
    case "Add":
      let numbers = call.arguments.compactMap(\.int32)
      return [.int32(numbers[0] &+ numbers[1])]
    case "Bad": return [.objectPath("no path")]
    default: return []
    }
  }
}

/// Answers when it is called off.
private struct Waiting: DBusObject {
  let started: AsyncStream<Void>.Continuation
  let ended: AsyncStream<Bool>.Continuation

  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    guard call.member == "Wait" else { return [] }
    started.yield()
    // Until it is called off.
    try? await BootClock().sleep(until: BootInstant(nanoseconds: .max), tolerance: nil)
    ended.yield(Task.isCancelled)
    return []
  }
}

@Suite("Objects")
struct ObjectTests {
  @Test(
    "what does not fit is answered by the error that says so",
    arguments: [
      ("/none", "test.Listed", "Add", [], DBusError.Name.unknownObject),
      ("/a/b", "test.None", "Add", [], DBusError.Name.unknownInterface),
      ("/a/b", "test.Listed", "None", [], DBusError.Name.unknownMethod),
      ("/a/b", "test.More", "Add", [], DBusError.Name.unknownMethod),
      ("/a/b", "org.freedesktop.DBus.Peer", "None", [], DBusError.Name.unknownMethod),
      ("/a/b", "test.Listed", "Add", [.int32(1)], DBusError.Name.invalidArguments),
      ("/a/b", "test.Listed", "Add", [.int32(1), .uint32(1)], DBusError.Name.invalidArguments),
      ("/a/b", "test.More", "Bad", [], DBusError.Name.failed),
    ] as [(String, String, String, [DBusValue], String)])
  func misfits(path: String, interface: String, member: String, arguments: [DBusValue], name: String)
    async throws
  {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Listed(), at: "/a/b")
    let error = await failure { () throws(DBusError) in
      try await client.call(
        .test(member, arguments, to: server.uniqueName, interface: interface, path: path), by: soon)
    }
    #expect(error?.name == name)
    #expect(!server.isClosed)
    export.release()
  }

  @Test("an object can be introspected, and so can the way to it")
  func introspection() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Listed(), at: "/a/b")
    func introspect(_ path: String) async throws -> String {
      let call = DBusCall.test(
        "Introspect", to: server.uniqueName, interface: "org.freedesktop.DBus.Introspectable", path: path)
      return try await client.call(call, by: soon).first?.string ?? ""
    }
    #expect(try await introspect("/").contains(#"<node name="a"/>"#))
    #expect(try await introspect("/a").contains(#"<node name="b"/>"#))
    let node = try await introspect("/a/b")
    #expect(node.contains(#"<interface name="test.Listed">"#))
    #expect(node.contains(#"<arg type="i" direction="out"/>"#))
    #expect(!node.contains("<node name"))
    export.release()
    await #expect(throws: DBusError.self) { try await introspect("/a/b") }
  }

  @Test("everybody answers Ping and says on which machine it runs")
  func peer() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let peer = "org.freedesktop.DBus.Peer"
    let call = DBusCall.test("Ping", to: server.uniqueName, interface: peer, path: "/any")
    #expect(try await client.call(call, by: soon) == [])
    let machine = DBusCall.test("GetMachineId", to: server.uniqueName, interface: peer, path: "/any")
    let identity = try await client.call(machine, by: soon).first?.string
    #expect(identity == (try Fixtures.text(ofFile: "/etc/machine-id").filter { !$0.isWhitespace }))
  }

  @Test("an answer that takes long holds up no other, and ends with the connection")
  func slow() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let (started, start) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Bool>.makeStream()
    let export = try server.export(Waiting(started: start, ended: end), at: "/test")
    let pending = try client.begin(.test("Wait", to: server.uniqueName), by: soon)
    _ = try await started.first(1)
    #expect(try await client.call(.test("Other", to: server.uniqueName), by: soon) == [])
    await server.close()
    #expect(try await ended.first(1) == [true])
    #expect(
      await failure { () throws(DBusError) in try await pending.values() }?.name == DBusError.Name.noReply)
    export.release()
  }

  @Test("a call that its object forgets is answered")
  func forgotten() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    let pending = try client.begin(.test("Slow", to: server.uniqueName), by: soon)
    _ = try await keeper.calls.first(1).count
    #expect(
      await failure { () throws(DBusError) in try await pending.values() }?.name == DBusError.Name.noReply)
    export.release()
  }

  @Test("an object knows who calls")
  func sender() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    for _ in 0..<2 {
      let client = try await bus.connect()
      #expect(
        try await client.call(.test("Sender", to: server.uniqueName), by: soon) == [
          .string(client.uniqueName)
        ])
    }
    export.release()
  }

  @Test("a path has one object, and is free again once that is released")
  func paths() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    #expect(throws: DBusError.self) { try server.export(Echo(), at: "/test") }
    #expect(throws: DBusError.self) { try server.export(Echo(), at: "test") }
    export.release()
    let again = try server.export(Echo(), at: "/test")
    export.release()
    #expect(
      try await server.call(.test("Echo", [.byte(1)], to: server.uniqueName), by: soon) == [.byte(1)])
    again.release()
  }

  @Test("an error with a name that is none, or with a NUL in its text, still answers")
  func badErrors() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    let pending = try server.begin(.test("Bad", to: server.uniqueName), by: soon)
    let reply = try #require(try await keeper.calls.first(1).first).reply
    reply.give(.failure(DBusError(.remote("not a name"), "a\0b")))
    let error = await failure { () throws(DBusError) in try await pending.values() }
    #expect(error == DBusError(.remote(DBusError.Name.failed), "ab"))
    export.release()
  }

  @Test("a flood of calls is refused beyond what objects can hold, and then answered again")
  func flood() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    var clients: [DBusConnection] = []
    var pending: [DBusPendingCall] = []
    for _ in 0..<4 {
      let client = try await bus.connect()
      clients.append(client)
      for _ in 0..<128 { pending.append(try client.begin(.test("Slow", to: server.uniqueName), by: soon)) }
    }
    let kept = try await keeper.calls.first(512)
    let last = try await bus.connect()
    let error = await failure { () throws(DBusError) in
      try await last.call(.test("Slow", to: server.uniqueName), by: soon)
    }
    #expect(error?.name == DBusError.Name.limitsExceeded)
    for (_, reply) in kept { reply.give(.success([])) }
    for call in pending { #expect(try await call.values() == []) }
    export.release()
  }
}
