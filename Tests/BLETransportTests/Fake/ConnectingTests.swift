import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

@Suite("Connecting a GATT printer", .timeLimit(.minutes(1)))
struct ConnectingTests {
  @Test("A printer is connected once, with discovery at rest")
  func connects() async throws {
    let scene = try await Scene()
    try await scene.bluez.ready(by: scene.soon)
    let adapter = try await scene.bluez.adapter(nil, for: "test", by: scene.soon)
    let search = await scene.bluez.search(on: adapter, .le)
    await scene.fake.called("StartDiscovery")
    let link = try await scene.open()
    let members = scene.fake.calls.map(\.member)
    let stop = try #require(members.firstIndex(of: "StopDiscovery"))
    let connect = try #require(members.firstIndex(of: "Connect"))
    #expect(stop < connect)
    await scene.fake.called("StartDiscovery", times: 2)
    #expect(scene.fake.calls(of: "Connect").count == 1)
    search.end()
    await scene.fake.called("StopDiscovery", times: 2)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A printer that is connected already is used, and left connected")
  func alreadyConnected() async throws {
    let scene = try await Scene()
    scene.device.connect()
    let link = try await scene.open()
    try await link.send([1], by: scene.soon)
    await link.close()
    await scene.fake.called("StopNotify")
    await scene.bluez.stop(by: scene.soon)
    #expect(scene.fake.calls(of: "Connect").isEmpty)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    #expect(scene.device.isConnected)
  }

  @Test("A connection that bluetoothd does not tell of is used at once, and its end is noticed")
  func untold() async throws {
    let scene = try await Scene()
    scene.device.script { $0.hidesConnecting = true }
    let link = try await scene.open()
    try await link.send([1], by: scene.soon)
    #expect(scene.fake.calls(of: "Connect").count == 1)
    scene.device.drop()
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "Failures that pass are tried again, soon and not often",
    arguments: [
      [.fails(.abortedByLocal), .succeeds], [.fails(.bluez("Failed", "Input/output error")), .succeeds],
      [.flickers(.abortedByLocal), .succeeds], [.dropsAtOnce, .succeeds],
      [
        .fails(.bluez("InProgress", "In Progress")),
        .fails(.bluez("Failed", "Operation already in progress")), .succeeds,
      ],
    ] as [[FakeDevice.Connecting]])
  func passing(attempts: [FakeDevice.Connecting]) async throws {
    let scene = try await Scene()
    scene.device.script { $0.connecting = attempts }
    let link = try await scene.open()
    #expect(scene.fake.calls(of: "Connect").count == attempts.count)
    try await link.send([1], by: scene.soon)
    #expect(scene.paper.printed == [1])
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("What does not pass is given up after some attempts")
  func givenUp() async throws {
    let scene = try await Scene()
    scene.device.script { $0.connecting = [.fails(.abortedByLocal)] }
    let error = try await scene.failure()
    #expect(error.code == .unreachable)
    #expect(error.message.contains("kitchen"))
    #expect(scene.fake.calls(of: "Connect").count == 1 + BlueZ.attemptPauses.count)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "Errors are sorted by what can be done",
    arguments: [
      (DBusError.bluez("Failed", "br-connection-page-timeout"), .unreachable, "off, out of range"),
      (.bluez("AuthenticationFailed", "Authentication Failed"), .refused, "printd printers pair"),
      (.bluez("Failed", "le-connection-key-missing"), .refused, "printd printers pair"),
      (.bluez("NotReady", "Resource Not Ready"), .unreachable, "adapter is off"),
    ] as [(DBusError, LinkError.Code, String)])
  func sorted(failure: DBusError, code: LinkError.Code, words: String) async throws {
    let scene = try await Scene()
    scene.device.script { $0.connecting = [.fails(failure)] }
    let error = try await scene.failure()
    #expect(error.code == code)
    #expect(error.message.contains(words), "\(error)")
    #expect(scene.fake.calls(of: "Connect").count == 1)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "An attempt without an answer is abandoned at the deadline, in the background, and the next one waits for that"
  )
  func abandoned() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    scene.device.script { $0.connecting = [.waits, .succeeds] }
    let opening = Task { try await scene.failure(by: clock.now.advanced(by: .seconds(8))) }
    await scene.fake.called("Connect")
    clock.advance(by: .seconds(8))
    #expect(try await opening.value.code == .unreachable)
    await scene.fake.called("Disconnect")
    let link = try await scene.run(clock) { try await scene.open() }
    #expect(
      scene.fake.calls.map(\.member).filter { ["Connect", "Disconnect"].contains($0) } == [
        "Connect", "Disconnect", "Connect",
      ])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A cancelled attempt is abandoned too")
  func cancelled() async throws {
    let scene = try await Scene()
    scene.device.script { $0.connecting = [.waits, .succeeds] }
    let opening = Task { try await scene.failure() }
    await scene.fake.called("Connect")
    opening.cancel()
    #expect(try await opening.value.code == .cancelled)
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Services that never resolve are an error at the deadline, and the printer is let go")
  func neverResolved() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    scene.device.script { $0.resolving = .waits }
    let opening = Task { try await scene.failure(by: clock.now.advanced(by: .seconds(8))) }
    await scene.fake.called("Connect")
    // Connected, and the answer to the call taken in: discovery rests no longer.
    let isConnected = try await scene.bluez.wait(by: scene.soon) {
      $0.tree.devices.values.contains(where: \.connected)
    }
    #expect(isConnected)
    while await !scene.bluez.discovery.pauses.isEmpty { await Task.yield() }
    clock.advance(by: .seconds(8))
    let error = try await opening.value
    #expect(error.code == .unreachable)
    #expect(error.message.contains("services"))
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Services that resolve late, and objects that come after them, are waited for")
  func resolvedLate() async throws {
    let scene = try await Scene()
    scene.device.script { $0.resolving = .waits }
    let opening = Task { try await scene.open() }
    await scene.fake.called("Connect")
    scene.device.resolve()
    await (try await opening.value).close()
    let second = try await Scene()
    second.device.script { $0.resolving = .beforeObjects }
    let later = Task { try await second.open() }
    await second.fake.called("Connect")
    second.device.showServices()
    await (try await later.value).close()
    await scene.bluez.stop(by: scene.soon)
    await second.bluez.stop(by: second.soon)
  }

  @Test("A dual-mode printer that was connected by Classic is told to be set to rfcomm")
  func dualMode() async throws {
    let scene = try await Scene(services: [])
    scene.device.set(["UUIDs": .strings([BluetoothUUID.serialPort.full])])
    let error = try await scene.failure()
    #expect(error.code == .refused)
    #expect(error.message.contains("rfcomm"))
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A printer that takes no ESC/POS, or nothing that is known, is refused with the reason")
  func refused() async throws {
    let cat = try await Scene(services: [
      FakeService(FakeService.uuid("ae30"), [.init(FakeService.uuid("ae01"), ["write-without-response"])])
    ])
    let refusal = try await cat.failure()
    #expect(refusal.code == .refused)
    #expect(refusal.message.contains("cat printer"))
    await cat.bluez.stop(by: cat.soon)
    let unknown = try await Scene(services: [.access])
    let error = try await unknown.failure()
    #expect(error.code == .refused)
    #expect(error.message.contains("1800"))
    await unknown.bluez.stop(by: unknown.soon)
  }

  @Test("A printer that bluetoothd has forgotten is looked for, and discovery ends when it is found")
  func forgotten() async throws {
    let scene = try await Scene()
    scene.device.vanish()
    let opening = Task { try await scene.open() }
    await scene.fake.called("StartDiscovery")
    scene.device.appear()
    let link = try await opening.value
    await scene.fake.called("StopDiscovery")
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("One that is not found is unreachable")
  func notFound() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    scene.device.vanish()
    let opening = Task { try await scene.failure(by: clock.now.advanced(by: .seconds(8))) }
    await scene.fake.called("StartDiscovery")
    // Not before its answer has been taken in: it would be too late then.
    while await scene.bluez.discovering != nil { await Task.yield() }
    clock.advance(by: .seconds(8))
    #expect(try await opening.value.code == .unreachable)
    await scene.fake.called("StopDiscovery")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Two printers at one adapter are connected one after the other")
  func turns() async throws {
    let scene = try await Scene()
    let paper = FakePrinter(clock: BootClock())
    let second = scene.adapter.addDevice("00:11:22:33:44:66", services: [.print, .access], printer: paper)
    scene.device.script { $0.connecting = [.waits] }
    let first = Task { try await scene.open() }
    await scene.fake.called("Connect")
    let other = Task {
      try await scene.open { printer in
        if let address = BluetoothAddress("00:11:22:33:44:66") { printer.address = address }
      }
    }
    while scene.bluez.turns.count(at: scene.adapter.path) < 2 { await Task.yield() }
    #expect(scene.fake.calls(of: "Connect").count == 1)
    scene.device.answerConnect(.succeeds)
    let links = [try await first.value, try await other.value]
    #expect(second.isConnected)
    for link in links { await link.close() }
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A connection that is being ended by somebody is not printed over without the printer's answers")
  func hangsUpWhenAsked() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    try scene.characteristic("2af0").script { $0.notifying = .bluez("NotConnected", "Not Connected") }
    let error = try await scene.run(clock) {
      try await scene.failure(by: clock.now.advanced(by: .seconds(3_600)))
    }
    #expect(error.code == .unreachable)
    #expect(error.message.contains("hung up"))
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("An adapter that is off or not there is unreachable, and says so")
  func adapters() async throws {
    let scene = try await Scene()
    scene.adapter.setPowered(false)
    try await scene.bluez.ready(by: scene.soon)
    let off = try await scene.failure(by: scene.soon)
    #expect(off.code == .unreachable)
    #expect(off.message.contains("adapter is"))
    let other = try await scene.failure {
      $0.adapter = "hci7"
    }
    #expect(other.code == .unreachable)
    #expect(other.message.contains("hci7"))
    #expect(other.message.contains("hci0"))
    scene.adapter.unplug()
    let none = try await scene.failure()
    #expect(none.code == .unreachable)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A named adapter is used, and of several the first that is on")
  func whichAdapter() async throws {
    let scene = try await Scene()
    let second = scene.fake.addAdapter()
    scene.adapter.setPowered(false)
    let chosen = try await scene.bluez.adapter(nil, for: "test", by: scene.soon)
    #expect(chosen.path == second.path)
    scene.adapter.setPowered(true)
    #expect(try await scene.bluez.adapter("hci0", for: "test", by: scene.soon).path == scene.adapter.path)
    #expect(
      try await scene.bluez.adapter("00:AA:01:00:00:01", for: "test", by: scene.soon).path == second.path)
    await scene.bluez.stop(by: scene.soon)
  }
}
