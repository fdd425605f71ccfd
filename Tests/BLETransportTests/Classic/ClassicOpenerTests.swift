import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import PrinterLinks
import Testing
import Threads

@testable import BLETransport

/// The whole way to a Classic link, with an org.bluez that can be told what to do, and answers in place of the kernel.
@Suite("Opening a Classic printer", .timeLimit(.minutes(1)))
struct ClassicOpenerTests {
  private static let text = "00:11:22:33:44:55"

  private final class Scene: Sendable {
    let fake: FakeBlueZ
    let adapter: FakeAdapter
    let clock = ManualClock()
    let bluez: BlueZ
    let printer: BluetoothPrinter
    /// What the socket was asked for, and what it answers.
    let sockets = Locked<(asked: [UInt8], answers: [UInt8: Int32], peers: [Int32])>(([], [:], []))

    init(_ change: (inout BluetoothPrinter) -> Void = { _ in }) async throws {
      fake = try await FakeBlueZ()
      adapter = fake.addAdapter()
      bluez = BlueZ(address: fake.address, clock: clock)
      let address = try #require(BluetoothAddress(ClassicOpenerTests.text))
      var printer = BluetoothPrinter(name: "kitchen", address: address, bearer: .rfcomm)
      change(&printer)
      self.printer = printer
      let (clock, sockets) = (clock, sockets)
      await bluez.connectSockets { _, _, _ in
        RFCOMMConnector(
          clock: clock, connect: { channel, _ in Self.connect(channel, sockets) },
          discover: { _ in .success([4]) })
      }
    }

    private static func connect(
      _ channel: UInt8, _ sockets: Locked<(asked: [UInt8], answers: [UInt8: Int32], peers: [Int32])>
    ) -> Result<Int32, ClassicFault> {
      sockets.withLock { sockets in
        sockets.asked.append(channel)
        if let number = sockets.answers[channel] { return .failure(.system(SystemError(number: number))) }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
          return .failure(.system(.last))
        }
        sockets.peers.append(ends[1])
        return .success(ends[0])
      }
    }

    deinit { for peer in sockets.withLock({ $0.peers }) { Glibc.close(peer) } }

    var asked: [UInt8] { sockets.withLock { $0.asked } }
    var soon: BootInstant { clock.now.advanced(by: .seconds(30)) }

    func addDevice() -> FakeDevice { adapter.addDevice(ClassicOpenerTests.text, name: "Printer") }

    func open(by deadline: BootInstant? = nil) async throws -> RFCOMMLink {
      let link = try await RFCOMMLinkOpener(printer, bluez).open(by: deadline ?? soon)
      return try #require(link as? RFCOMMLink)
    }

    func failure(by deadline: BootInstant? = nil) async -> LinkError? {
      do {
        _ = try await RFCOMMLinkOpener(printer, bluez).open(by: deadline ?? soon)
        return nil
      } catch {
        return error
      }
    }

    /// Somebody has connected the printer, which bluetoothd has told us.
    func connect(_ device: FakeDevice) async throws {
      try await bluez.ready(by: soon)
      device.set(["Connected": .boolean(true)])
      _ = try await bluez.wait(by: soon) { $0.tree.devices[device.path]?.connected == true }
    }

    /// Closes a link and lets the printer have its rest.
    func close(_ link: RFCOMMLink) async {
      await link.close()
      clock.advance(by: SerialPortMemory.restTime)
    }
  }

  @Test("is bluetoothd's affair where it knows the printer; the bytes go both ways")
  func byDaemon() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    let link = try await scene.open()
    #expect(link.way == .bluetoothd)
    #expect(scene.asked.isEmpty)
    var channels = device.channels.makeAsyncIterator()
    let channel = try #require(await channels.next()?.take())
    defer { close(channel) }
    try await link.send([0x10, 0x04, 0x01], by: scene.soon)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(channel, &buffer, 16) == 3)
    #expect(write(channel, [0x12], 1) == 1)
    #expect(try await link.receive(by: scene.soon) == [0x12])
    try await link.flush(by: scene.soon)
    await link.close()
    // bluetoothd's copy does not keep the printer connected.
    #expect(read(channel, &buffer, 16) == 0)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("waits until the printer has had its rest after the last link")
  func rest() async throws {
    let scene = try await Scene { $0.channel = 7 }
    let first = try await scene.open()
    await first.close()
    let deadline = scene.soon
    async let second = scene.open(by: deadline)
    await scene.clock.sleepers(atLeast: 1)
    #expect(scene.asked == [7])
    scene.clock.advance(by: SerialPortMemory.restTime)
    #expect(try await second.way == .socket)
    #expect(scene.asked == [7, 7])
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "goes by the socket while another process has the Serial Port, and by bluetoothd when it is given back")
  func taken() async throws {
    let scene = try await Scene()
    _ = scene.addDevice()
    scene.fake.take(profile: BluetoothUUID.serialPort.full)
    var link = try await scene.open()
    #expect(link.way == .socket)
    #expect(scene.asked == [4])
    await scene.close(link)
    scene.fake.take(profile: BluetoothUUID.serialPort.full, false)
    link = try await scene.open()
    #expect(link.way == .bluetoothd)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("goes by the socket where bluetoothd does not know the printer, and keeps its channel in mind")
  func unknown() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    #expect(link.way == .socket)
    await scene.close(link)
    #expect(await scene.bluez.serialPorts.memory[scene.printer.address].channel == 4)
    await scene.close(try await scene.open())
    #expect(scene.asked == [4, 4])
    #expect(scene.fake.calls(of: "ConnectProfile").isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("goes by the socket where the channel is configured")
  func configured() async throws {
    let scene = try await Scene { $0.channel = 7 }
    _ = scene.addDevice()
    let link = try await scene.open()
    #expect(link.way == .socket)
    #expect(scene.asked == [7])
    #expect(scene.fake.calls(of: "RegisterProfile").isEmpty)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "goes by the socket where bluetoothd cannot read the records, at once the next time, until that fails")
  func records() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    device.script { $0.profile = .bluez("Failed", "br-connection-not-supported") }
    for _ in 0..<2 {
      let link = try await scene.open()
      #expect(link.way == .socket)
      await scene.close(link)
    }
    #expect(scene.fake.calls(of: "ConnectProfile").count == 1)
    scene.sockets.withLock {
      $0.answers = [1: ECONNREFUSED, 2: ECONNREFUSED, 3: ECONNREFUSED, 4: ECONNREFUSED]
    }
    #expect(await scene.failure()?.code == .busy)
    device.script { $0.profile = nil }
    let link = try await scene.open()
    #expect(link.way == .bluetoothd)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "fails with bluetoothd's reason, without the socket, where that can do no better",
    arguments: [
      ("Failed", "br-connection-page-timeout", LinkError.Code.unreachable),
      ("Failed", "br-connection-key-missing", .refused),
      ("AuthenticationFailed", "Authentication Failed", .refused),
    ])
  func reason(_ name: String, _ text: String, _ code: LinkError.Code) async throws {
    let scene = try await Scene()
    scene.addDevice().script { $0.profile = .bluez(name, text) }
    #expect(await scene.failure()?.code == code)
    #expect(scene.fake.calls(of: "ConnectProfile").count == 1)
    #expect(scene.asked.isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "tries again where bluetoothd is busy with the printer, and goes by the socket in the end, for this time")
  func busy() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    device.script { $0.profile = .bluez("InProgress", "br-connection-busy") }
    let deadline = scene.soon
    async let link = scene.open(by: deadline)
    let attempts = BlueZ.attemptPauses.count + 1
    try await until(scene) { scene.fake.calls(of: "ConnectProfile").count == attempts }
    #expect(try await link.way == .socket)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    device.script { $0.profile = nil }
    await scene.close(try await link)
    #expect(try await scene.open().way == .bluetoothd)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("tries again where another connection stands in the way, and says so in the end")
  func otherConnection() async throws {
    let scene = try await Scene()
    scene.addDevice().script { $0.profile = .bluez("Failed", "br-connection-busy") }
    let deadline = scene.soon
    async let failure = scene.failure(by: deadline)
    let attempts = BlueZ.attemptPauses.count + 1
    try await until(scene) { scene.fake.calls(of: "ConnectProfile").count == attempts }
    #expect(await failure?.code == .busy)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    #expect(scene.asked.isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "takes the last link down itself where that stands in the way",
    arguments: [("AlreadyConnected", "Already Connected"), ("Failed", "br-connection-busy")])
  func lastLink(_ name: String, _ text: String) async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    await scene.close(try await scene.open())
    device.script { $0.profile = .bluez(name, text) }
    let deadline = scene.soon
    async let second = scene.open(by: deadline)
    try await until(scene) { !scene.fake.calls(of: "Disconnect").isEmpty }
    device.script { $0.profile = nil }
    let before = scene.fake.calls(of: "ConnectProfile").count
    try await until(scene) { scene.fake.calls(of: "ConnectProfile").count > before }
    #expect(try await second.way == .bluetoothd)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("does not hang up where bluetoothd reads the printer's records by itself, soon after the last link")
  func readsRecords() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    await scene.close(try await scene.open())
    device.script { $0.profile = .bluez("InProgress", "br-connection-busy") }
    let deadline = scene.soon
    let isOpen = Locked(false)
    let second = Task {
      defer { isOpen.withLock { $0 = true } }
      return try await scene.open(by: deadline).way
    }
    // The first link's, and three that are refused.
    try await until(scene) { scene.fake.calls(of: "ConnectProfile").count == 4 }
    device.script { $0.profile = nil }
    try await until(scene) { isOpen.withLock { $0 } }
    #expect(try await second.value == .bluetoothd)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "ends the connection that outlives the link, some time after it, also one of two links and one that was lent"
  )
  func remains() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    for _ in 0..<2 {
      await scene.close(try await scene.open())
      // bluetoothd reads the records, and comes to no end.
      try await scene.connect(device)
    }
    let end = scene.clock.now.advanced(by: .seconds(20))
    await scene.bluez.lend(scene.printer.address, to: "pair", until: end)
    try await until(scene) { !scene.fake.calls(of: "Disconnect").isEmpty }
    #expect(end.duration(to: scene.clock.now) >= BlueZ.remainTime)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "leaves a connection alone that was there before, that another program has made since, or that has a link again",
    arguments: Foreign.allCases)
  func foreign(_ foreign: Foreign) async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    if foreign == .wasThere { try await scene.connect(device) }
    await scene.close(try await scene.open())
    if foreign != .cameSince { try await scene.connect(device) }
    if foreign == .cameSince {
      try await scene.connect(device)
      device.set(["Connected": .boolean(false)])
      _ = try await scene.bluez.wait(by: scene.soon) { $0.tree.devices[device.path]?.connected == false }
      try await scene.connect(device)
    }
    let link = foreign == .hasLink ? try await scene.open() : nil
    #expect(await scene.bluez.leftovers.due[scene.printer.address] == nil)
    await link?.close()
    #expect((await scene.bluez.leftovers.due[scene.printer.address] != nil) == (foreign == .hasLink))
    await scene.bluez.stop(by: scene.soon)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
  }

  enum Foreign: CaseIterable { case wasThere, cameSince, hasLink }

  @Test(
    "is reached in the ten seconds of a daemon also where records and pages are slow, at the latest the second time"
  )
  func slowPages() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    device.script { $0.profileWaits = true }
    try await scene.connect(device)
    device.set(["Paired": .boolean(true)])
    scene.sockets.withLock { $0.answers = [1: EHOSTDOWN] }
    let deadline = scene.clock.now.advanced(by: .seconds(10))
    async let first = scene.failure(by: deadline)
    try await until(scene) { !scene.asked.isEmpty }
    #expect(await first?.code == .unreachable)
    // Asleep is no reason to go by bluetoothd again.
    scene.sockets.withLock { $0.answers = [:] }
    let link = try await scene.open()
    #expect(link.way == .socket)
    #expect(scene.asked == [1, 1])
    #expect(scene.fake.calls(of: "ConnectProfile").count == 1)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  /// Moves the clock until something holds.
  private func until(_ scene: Scene, _ holds: @escaping @Sendable () -> Bool) async throws {
    try await DaemonRig.until {
      scene.clock.advance(by: .milliseconds(50))
      return holds()
    }
  }

  @Test(
    "that comes to no end is abandoned some seconds after the printer was reached, for the socket",
    arguments: [(true, BlueZ.profileTime), (false, BlueZ.pairingProfileTime)])
  func stuck(isPaired: Bool, patience: Duration) async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    device.script { $0.profileWaits = true }
    let start = scene.clock.now
    let deadline = scene.clock.now.advanced(by: .seconds(600))
    async let link = scene.open(by: deadline)
    await scene.fake.called("ConnectProfile")
    // A page takes its time; only what comes after it is short.
    try await until(scene) { start.duration(to: scene.clock.now) > patience * 2 }
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    device.set(["Connected": .boolean(true), "Paired": .boolean(isPaired)])
    let reached = scene.clock.now
    try await until(scene) { !scene.asked.isEmpty }
    #expect(reached.duration(to: scene.clock.now) >= patience)
    #expect(try await link.way == .socket)
    #expect(scene.fake.calls(of: "ConnectProfile").count == 1)
    #expect(scene.fake.calls(of: "Disconnect").count == 1)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "that comes to no end is abandoned at the deadline; the next goes by the socket if the printer was there")
  func abandoned() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    device.script { $0.profileWaits = true }
    device.set(["Connected": .boolean(true)])
    let deadline = scene.clock.now.advanced(by: BlueZ.profileTime / 2)
    async let failure = scene.failure(by: deadline)
    await scene.fake.called("ConnectProfile")
    try await until(scene) { scene.clock.now >= deadline }
    #expect(await failure?.code == .unreachable)
    await scene.fake.called("Disconnect")
    let late = scene.soon
    async let next = scene.open(by: late)
    try await until(scene) { !scene.asked.isEmpty }
    #expect(try await next.way == .socket)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("ends when the task is called off, and bluetoothd is told")
  func cancelled() async throws {
    let scene = try await Scene()
    scene.addDevice().script { $0.profileWaits = true }
    let opening = Task { await scene.failure() }
    await scene.fake.called("ConnectProfile")
    opening.cancel()
    #expect(await opening.value?.code == .cancelled)
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("does not keep the adapter from others while a printer is silent")
  func fair() async throws {
    let scene = try await Scene()
    scene.addDevice().script { $0.profileWaits = true }
    let deadline = scene.clock.now.advanced(by: .seconds(600))
    let opening = Task { await scene.failure(by: deadline) }
    await scene.fake.called("ConnectProfile")
    let adapter = try await scene.bluez.adapter(nil, for: "other", by: deadline)
    let other = Task { try await scene.bluez.turn(at: adapter, by: deadline) }
    try await DaemonRig.until { scene.bluez.turns.count(at: adapter.path) == 2 }
    scene.clock.advance(by: BlueZ.fairTime)
    try await other.value.end()
    #expect(await opening.value?.code == .unreachable)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("registers the profile again with a bluetoothd that has started anew")
  func restarted() async throws {
    let scene = try await Scene()
    let device = scene.addDevice()
    await scene.close(try await scene.open())
    await scene.fake.leave()
    try await scene.fake.come()
    await scene.fake.called("RegisterProfile", times: 2)
    device.drop()
    let link = try await scene.open()
    #expect(link.way == .bluetoothd)
    #expect(scene.fake.calls(of: "RegisterProfile").count == 2)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }
}

extension BlueZ {
  /// Puts something else in the place of the kernel's RFCOMM sockets.
  fileprivate func connectSockets(
    _ connector: @escaping @Sendable (String, String?, any BootTimeClock) -> RFCOMMConnector
  ) {
    serialPorts.connector = connector
  }
}
