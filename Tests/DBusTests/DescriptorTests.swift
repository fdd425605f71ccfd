import DBus
import ESCPOS
import Glibc
import PrintTestKit
import Testing

/// The descriptors of this process that lead to `target`.
func descriptors(to target: String) -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    var buffer = [CChar](repeating: 0, count: 512)
    let length = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
    if length > 0, String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == target
    {
      count += 1
    }
  }
  return count
}

@Suite("Descriptors")
struct DescriptorTests {
  /// A file of its own, open.
  private func open(_ folder: TemporaryFolder, _ name: String = "file") throws -> DBusDescriptor {
    let number = Glibc.open(try folder.write("contents", to: name), O_RDONLY | O_CLOEXEC)
    try #require(number >= 0)
    return DBusDescriptor(owning: number)
  }

  @Test("a descriptor arrives as a new one that leads to the same file, and is closed with its last holder")
  func roundTrip() async throws {
    let bus = try await PrivateBus()
    let folder = try TemporaryFolder()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    do {
      let sent = try open(folder)
      let values = try await client.call(
        .test("Echo", [.descriptor(sent), .array(of: "h", [.descriptor(sent)])], to: server.uniqueName),
        by: soon)
      let received = try #require(values.first?.descriptor)
      #expect(values.last?.array?.first?.descriptor != nil)
      #expect(received != sent)
      let number = try #require(received.take())
      #expect(received.take() == nil)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
      var buffer = [UInt8](repeating: 0, count: 8)
      #expect(read(number, &buffer, 8) == 8)
      #expect(buffer == Array("contents".utf8))
      #expect(close(number) == 0)
    }
    try await DaemonRig.until { descriptors(to: folder.path("file")) == 0 }
    export.release()
  }

  @Test("descriptors in messages that nobody takes are closed")
  func nobody() async throws {
    let bus = try await PrivateBus()
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let server = try await bus.connect()
    let client = try await bus.connect(clock: clock)
    let keeper = Keeper()
    let export = try server.export(keeper, at: "/test")
    // A reply that comes too late, a signal that is sent to one who does not listen.
    for _ in 0..<20 {
      let pending = try client.begin(
        .test("Slow", to: server.uniqueName), by: clock.now.advanced(by: .seconds(1)))
      let kept = try #require(try await keeper.calls.first(1).first)
      clock.advance(by: .seconds(1))
      #expect(await failure { () throws(DBusError) in try await pending.values() }?.code == .deadline)
      kept.reply.give(.success([.descriptor(try open(folder))]))
      try server.emit(
        DBusSignal(path: "/test", interface: "a.b", member: "C", arguments: [.descriptor(try open(folder))]),
        to: client.uniqueName)
    }
    do {
      let stray = DBusCall.test("Echo", [.descriptor(try open(folder))], to: server.uniqueName, path: "/none")
      let error = await failure { () throws(DBusError) in
        try await client.call(stray, by: clock.now.advanced(by: .seconds(1)))
      }
      #expect(error?.name == DBusError.Name.unknownObject)
    }
    try await DaemonRig.until { descriptors(to: folder.path("file")) == 0 }
    #expect(!client.isClosed)
    #expect(!server.isClosed)
    export.release()
  }

  /// Looks at what it gets and takes nothing.
  private struct Looker: DBusObject {
    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      [.boolean(call.arguments.first?.descriptor != nil)]
    }
  }

  @Test("what an object has not taken is closed before its answer goes out")
  func untaken() async throws {
    let bus = try await PrivateBus()
    let folder = try TemporaryFolder()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Looker(), at: "/test")
    for _ in 0..<200 {
      do {
        let call = DBusCall.test("Look", [.descriptor(try open(folder))], to: server.uniqueName)
        #expect(try await client.call(call, by: soon) == [.boolean(true)])
      }
      #expect(descriptors(to: folder.path("file")) == 0)
    }
    export.release()
  }

  @Test("a descriptor that has been taken, and more than sixteen, are refused")
  func refused() async throws {
    let bus = try await PrivateBus()
    let folder = try TemporaryFolder()
    let client = try await bus.connect()
    let taken = try open(folder)
    close(try #require(taken.take()))
    let gone = await failure { () throws(DBusError) in
      try await client.call(.test("Echo", [.descriptor(taken)], to: client.uniqueName), by: soon)
    }
    #expect(gone?.code == .invalid)
    let many = try (0..<17).map { DBusValue.descriptor(try open(folder, "\($0)")) }
    let crowd = await failure { () throws(DBusError) in
      try await client.call(.test("Echo", many, to: client.uniqueName), by: soon)
    }
    #expect(crowd == DBusError(.invalid, "argument 16: more than 16 descriptors"))
    let export = try client.export(Echo(), at: "/test")
    let most = try await client.call(.test("Echo", Array(many.prefix(16)), to: client.uniqueName), by: soon)
    #expect(most.count == 16)
    export.release()
  }
}
