import DBus
import ESCPOS
import PrintTestKit
import Testing

@Suite("Calls")
struct CallTests {
  @Test("a remote error keeps its name and its words")
  func remoteError() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    let error = await failure { () throws(DBusError) in
      try await client.call(
        .test("Fail", [.string("org.bluez.Error.InProgress"), .string("läuft")], to: server.uniqueName),
        by: soon)
    }
    #expect(error == DBusError(.remote("org.bluez.Error.InProgress"), "läuft"))
    #expect(error?.name == "org.bluez.Error.InProgress")
    export.release()
  }

  @Test(
    "a name without owner is a remote error, whether it might be started or not",
    arguments: [(true, DBusError.Name.serviceUnknown), (false, DBusError.Name.nameHasNoOwner)])
  func noOwner(autoStart: Bool, name: String) async throws {
    let bus = try await PrivateBus()
    let client = try await bus.connect()
    let error = await failure { () throws(DBusError) in
      try await client.call(.test("Echo", to: "org.nobody", autoStart: autoStart), by: soon)
    }
    #expect(error?.name == name)
  }

  @Test("a call that may not start its callee does not")
  func autoStart() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("touch \(folder.path("started"))\nexit 1\n", to: "service.sh")
    try folder.write(
      "[D-BUS Service]\nName=test.Started\nExec=/bin/sh \(script)\n", to: "test.Started.service")
    let bus = try await PrivateBus("<servicedir>\(folder.path)</servicedir>")
    let client = try await bus.connect()
    let calm = await failure { () throws(DBusError) in
      try await client.call(.test("Echo", to: "test.Started", autoStart: false), by: soon)
    }
    #expect(calm?.name == DBusError.Name.nameHasNoOwner)
    #expect(throws: Fixtures.Missing.self) { try Fixtures.text(ofFile: folder.path("started")) }
    // It ends without taking the name.
    let eager = await failure { () throws(DBusError) in
      try await client.call(.test("Echo", to: "test.Started"), by: soon)
    }
    #expect(eager?.name?.hasPrefix("org.freedesktop.DBus.Error.Spawn.") == true)
    #expect(try Fixtures.text(ofFile: folder.path("started")) == "")
  }

  @Test("a deadline ends the waiting, and the answer that comes after it disturbs nobody")
  func deadline() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let deadline = clock.now.advanced(by: .seconds(5))
    let pending = try client.begin(.test("Slow", to: server.uniqueName), by: deadline)
    let late = try #require(try await keeper.calls.first(1).first)
    clock.advance(by: .seconds(5))
    let error = await failure { () throws(DBusError) in try await pending.values() }
    #expect(error?.code == .deadline)
    #expect(error?.message == "test.Echo.Slow: no answer in time")
    late.reply.give(.success([.string("late")]))
    let next = try client.begin(.test("Next", to: server.uniqueName), by: deadline.advanced(by: .seconds(5)))
    try #require(try await keeper.calls.first(1).first).reply.give(.success([.string("in time")]))
    #expect(try await next.values() == [.string("in time")])
    peers.release()
  }

  @Test("a call whose deadline has passed is not sent")
  func pastDeadline() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let error = await failure { () throws(DBusError) in
      try await client.call(.test("Late", to: server.uniqueName), by: clock.now)
    }
    #expect(error?.code == .deadline)
    let next = try client.begin(.test("Next", to: server.uniqueName), by: clock.now.advanced(by: .seconds(5)))
    #expect(try await keeper.calls.first(1).first?.call.member == "Next")
    withExtendedLifetime((next, peers)) {}
  }

  @Test("of several deadlines each ends its own call")
  func deadlines() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    var pending: [DBusPendingCall] = []
    for seconds in [9, 3, 6] {
      pending.append(
        try client.begin(.test("Slow", to: server.uniqueName), by: clock.now.advanced(by: .seconds(seconds))))
    }
    let kept = try await keeper.calls.first(3)
    for index in [1, 2, 0] {
      clock.advance(by: .seconds(3))
      #expect(await failure { () throws(DBusError) in try await pending[index].values() }?.code == .deadline)
    }
    #expect(kept.count == 3)
    peers.release()
  }

  @Test("cancelling the task ends the call, before it is sent and after")
  func cancellation() async throws {
    let peers = try await Peers()
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let task = Task {
      await failure { () throws(DBusError) in
        try await client.call(.test("Slow", to: server.uniqueName), by: soon)
      }
    }
    let kept = try await keeper.calls.first(1)
    task.cancel()
    #expect(await task.value?.code == .cancelled)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () throws(DBusError) in
        try await client.call(.test("Early", to: server.uniqueName), by: soon)
      }
    }
    #expect(await early.value?.code == .cancelled)
    let next = try client.begin(.test("Next", to: server.uniqueName), by: soon)
    #expect(try await keeper.calls.first(1).first?.call.member == "Next")
    withExtendedLifetime((next, kept, peers)) {}
  }

  @Test("a thousand calls at once are all answered, in the order in which they were begun")
  func manyInFlight() async throws {
    let peers = try await Peers()
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    var pending: [DBusPendingCall] = []
    for number in 0..<1000 {
      pending.append(
        try client.begin(.test("Count", [.int32(Int32(number))], to: server.uniqueName), by: soon))
    }
    let answering = Task {
      var order: [Int32] = []
      var iterator = keeper.calls.makeAsyncIterator()
      while order.count < 1000, let (call, reply) = await iterator.next() {
        order.append(call.arguments.first?.int32 ?? -1)
        reply.give(.success(call.arguments))
      }
      return order
    }
    for (number, call) in pending.enumerated() { #expect(try await call.values() == [.int32(Int32(number))]) }
    #expect(await answering.value == Array(0..<1000))
    peers.release()
  }

  @Test("the bus's limit of unanswered calls is kept, and calls of the bus itself pass")
  func limit() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let near = clock.now.advanced(by: .seconds(1))
    let far = clock.now.advanced(by: .seconds(10))
    var pending: [DBusPendingCall] = []
    for _ in 0..<128 { pending.append(try client.begin(.test("Slow", to: server.uniqueName), by: far)) }
    let impatient = try client.begin(.test("Impatient", to: server.uniqueName), by: near)
    let patient = try client.begin(.test("Patient", to: server.uniqueName), by: far)
    let kept = try await keeper.calls.first(128)
    #expect(try await client.call(.bus("GetId"), by: far).count == 1)
    clock.advance(by: .seconds(1))
    #expect(await failure { () throws(DBusError) in try await impatient.values() }?.code == .deadline)
    kept.first?.reply.give(.success([]))
    // The one that gave up is not sent.
    #expect(try await keeper.calls.first(1).first?.call.member == "Patient")
    withExtendedLifetime((patient, pending, peers)) {}
  }

  @Test("a call that is given up keeps its place until it is answered, as the bus counts")
  func abandoned() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let near = clock.now.advanced(by: .seconds(1))
    for _ in 0..<128 { _ = try client.begin(.test("Slow", to: server.uniqueName), by: near) }
    let kept = try await keeper.calls.first(128)
    clock.advance(by: .seconds(1))
    let next = try client.begin(.test("Next", to: server.uniqueName), by: clock.now.advanced(by: .seconds(1)))
    for (_, reply) in kept { reply.give(.success([])) }
    try #require(try await keeper.calls.first(1).first).reply.give(.success([.boolean(true)]))
    #expect(try await next.values() == [.boolean(true)])
    peers.release()
  }

  @Test("a name can be had once at a time")
  func names() async throws {
    let bus = try await PrivateBus()
    let first = try await bus.connect()
    let second = try await bus.connect()
    try await first.requestName("test.Name", by: soon)
    try await first.requestName("test.Name", by: soon)
    let error = await failure { () throws(DBusError) in try await second.requestName("test.Name", by: soon) }
    #expect(error?.code == .unavailable)
    try await first.releaseName("test.Name", by: soon)
    try await second.requestName("test.Name", by: soon)
  }

  @Test("a run of calls arrives in order, is answered once, and waits as a whole")
  func run() async throws {
    let clock = ManualClock()
    let peers = try await Peers(clock)
    let (server, client, keeper) = (peers.server, peers.client, peers.keeper)
    let near = clock.now.advanced(by: .seconds(1))
    let far = clock.now.advanced(by: .seconds(10))
    func run(_ name: String) -> [DBusCall] {
      (0..<3).map { .test("\(name)\($0)", to: server.uniqueName) }
    }
    let first = try #require(try client.begin(run: run("A"), by: far))
    let kept = try await keeper.calls.first(3)
    #expect(kept.map(\.call.member) == ["A0", "A1", "A2"])
    for (call, reply) in kept { reply.give(.success([.string(call.member)])) }
    #expect(try await first.values() == [.string("A2")])
    var pending: [DBusPendingCall] = []
    for _ in 0..<128 { pending.append(try client.begin(.test("Slow", to: server.uniqueName), by: far)) }
    let slow = try await keeper.calls.first(128)
    let impatient = try #require(try client.begin(run: run("B"), by: near))
    let patient = try #require(try client.begin(run: run("C"), by: far))
    _ = try await client.call(.bus("GetId"), by: far)
    clock.advance(by: .seconds(1))
    #expect(await failure { () throws(DBusError) in try await impatient.values() }?.code == .deadline)
    slow.first?.reply.give(.success([]))
    #expect(try await keeper.calls.first(3).map(\.call.member) == ["C0", "C1", "C2"])
    #expect(throws: DBusError.self) {
      try client.begin(run: run("D") + [.test("no name", to: "a.b")], by: far)
    }
    withExtendedLifetime((patient, pending, peers)) {}
  }
}
