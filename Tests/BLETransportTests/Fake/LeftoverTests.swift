import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

/// Connections whose maker was killed, or has lost the bus, and those that are not ours to end.
@Suite("A connection that was left behind", .timeLimit(.minutes(1)))
struct LeftoverTests {
  private let clock = ManualClock()
  private let grace = Duration.seconds(20)
  private let far = BootInstant(nanoseconds: .max)

  /// Our side owns the printer, as the daemon does.
  private func own(_ scene: Scene, for grace: Duration = .seconds(20)) async throws {
    await scene.bluez.takeOverConnections(to: [try scene.printer().address: grace])
  }

  /// Returns when something holds on our side, in which time stands still.
  private func until(_ scene: Scene, _ holds: @escaping @Sendable (isolated BlueZ) -> Bool) async throws {
    _ = try await scene.bluez.wait(by: far, until: holds)
  }

  /// Returns when an opening has the turn at the adapter; it keeps that while time stands still.
  private func hasTurn(_ scene: Scene) async throws {
    let adapter = scene.adapter.path
    try await until(scene) { $0.turns.count(at: adapter) > 0 }
  }

  @Test("is ended with the link that is opened over it")
  func withItsLink() async throws {
    let scene = try await Scene()
    try await own(scene)
    scene.device.connect()
    let link = try await scene.open()
    try await link.send([1], by: scene.soon)
    await link.close()
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
    #expect(scene.fake.calls(of: "Connect").isEmpty)
    #expect(!scene.device.isConnected)
  }

  @Test("is ended after its grace by the next daemon, which has no job")
  func withoutJob() async throws {
    let scene = try await Scene(clock: clock)
    scene.device.connect()
    try await own(scene)
    try await until(scene) { !$0.leftovers.due.isEmpty }
    clock.advance(by: grace - .milliseconds(1))
    try await scene.bluez.ready(by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    clock.advance(by: .milliseconds(1))
    await scene.fake.called("Disconnect")
    #expect(!scene.device.isConnected)
    await scene.bluez.stop(by: far)
  }

  @Test("is ended after its grace when the bus was lost, and bluetoothd has lived on")
  func busLost() async throws {
    let scene = try await Scene(clock: clock)
    try await own(scene)
    let link = try await scene.open(by: far)
    await scene.bluez.bus?.close()
    #expect(await linkError { _ = try await link.receive(by: far) }?.code == .lost)
    await link.close()
    // The connection to the bus is opened anew after a pause.
    clock.advance(by: .milliseconds(100))
    try await until(scene) { !$0.leftovers.due.isEmpty }
    #expect(scene.device.isConnected)
    clock.advance(by: grace)
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: far)
  }

  @Test("is ended with its lost link, when that is closed only after the bus is back")
  func busBack() async throws {
    let scene = try await Scene(clock: clock)
    try await own(scene)
    let link = try await scene.open(by: far)
    await scene.bluez.bus?.close()
    #expect(await linkError { _ = try await link.receive(by: far) }?.code == .lost)
    clock.advance(by: .milliseconds(100))
    try await until(scene) { $0.condition == .ready && $0.tree.devices.values.contains(where: \.connected) }
    await link.close()
    await scene.fake.called("Disconnect")
    #expect(!scene.device.isConnected)
    await scene.bluez.stop(by: far)
  }

  @Test("is kept while a link is open over it, and is then the link's")
  func inUse() async throws {
    let scene = try await Scene(clock: clock)
    scene.device.connect()
    try await own(scene)
    try await until(scene) { !$0.leftovers.due.isEmpty }
    let link = try await scene.open(by: far)
    try await until(scene) { $0.leftovers.due.isEmpty }
    clock.advance(by: grace + grace)
    try await link.send([1], by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    await link.close()
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: far)
  }

  @Test("is ended when an opening over it is called off", arguments: ["services", "answers"])
  func calledOff(waitsFor: String) async throws {
    let scene = try await Scene(clock: clock)
    try await own(scene)
    if waitsFor == "services" {
      scene.device.script { $0.resolving = .waits }
    } else {
      try scene.characteristic("2af0").script { $0.notifyWaits = true }
    }
    scene.device.connect()
    let opening = Task { try await scene.failure(by: far) }
    if waitsFor == "services" {
      try await hasTurn(scene)
    } else {
      await scene.fake.called("StartNotify")
    }
    opening.cancel()
    _ = try await opening.value
    await scene.fake.called("Disconnect")
    #expect(scene.fake.calls(of: "Connect").isEmpty)
    await scene.bluez.stop(by: far)
  }

  @Test("is kept by a process that does not own the printer, whatever becomes of its opening")
  func notOurs() async throws {
    let scene = try await Scene(clock: clock)
    scene.device.script { $0.resolving = .waits }
    scene.device.connect()
    let opening = Task { try await scene.failure(by: far) }
    try await hasTurn(scene)
    opening.cancel()
    #expect(try await opening.value.code == .cancelled)
    await scene.bluez.stop(by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    #expect(scene.device.isConnected)
  }

  @Test("is a borrower's while the printer is lent, and ours a grace after that")
  func lent() async throws {
    let scene = try await Scene(clock: clock)
    let address = try scene.printer().address
    scene.device.connect()
    try await own(scene)
    try await until(scene) { !$0.leftovers.due.isEmpty }
    // The borrower asks in time, and once more.
    await scene.bluez.lend(address, to: "a", until: clock.now.advanced(by: .seconds(30)))
    clock.advance(by: .seconds(25))
    await scene.bluez.lend(address, to: "a", until: clock.now.advanced(by: .seconds(30)))
    clock.advance(by: .seconds(30) + grace - .milliseconds(1))
    try await scene.bluez.ready(by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    // It was killed: the loan has run out, and nobody has given the printer back.
    clock.advance(by: .milliseconds(1))
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: far)
  }

  @Test("is ended a grace after the printer was given back with it")
  func givenBack() async throws {
    let scene = try await Scene(clock: clock)
    let address = try scene.printer().address
    try await own(scene)
    try await scene.bluez.ready(by: far)
    await scene.bluez.lend(address, to: "a", until: clock.now.advanced(by: .seconds(60)))
    scene.device.connect()
    try await until(scene) { $0.tree.devices.values.contains(where: \.connected) }
    await scene.bluez.takeBack(address, from: "a")
    clock.advance(by: grace)
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: far)
  }

  @Test("stays a borrower's when another one has given the printer back")
  func twoBorrowers() async throws {
    let scene = try await Scene(clock: clock)
    let address = try scene.printer().address
    try await own(scene)
    try await scene.bluez.ready(by: far)
    for token in ["a", "b"] {
      await scene.bluez.lend(address, to: token, until: clock.now.advanced(by: .seconds(60)))
    }
    scene.device.connect()
    try await until(scene) { $0.tree.devices.values.contains(where: \.connected) }
    for token in ["a", "a", "nobody's"] { await scene.bluez.takeBack(address, from: token) }
    clock.advance(by: .seconds(60) + grace - .milliseconds(1))
    try await scene.bluez.ready(by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    clock.advance(by: .milliseconds(1))
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: far)
  }

  @Test("is not what another program connects while we watch")
  func anothers() async throws {
    let scene = try await Scene(clock: clock)
    try await own(scene)
    try await scene.bluez.ready(by: far)
    scene.device.connect()
    try await until(scene) { $0.tree.devices.values.contains(where: \.connected) }
    #expect(await scene.bluez.leftovers.due.isEmpty)
    await scene.bluez.stop(by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
  }

  @Test(
    "is ended when the printer leaves the configuration, and when the daemon stops", arguments: [true, false])
  func removedOrStopped(isRemoved: Bool) async throws {
    let scene = try await Scene(clock: clock)
    scene.device.connect()
    try await own(scene)
    try await until(scene) { !$0.leftovers.due.isEmpty }
    if isRemoved {
      await scene.bluez.takeOverConnections(to: [:])
      await scene.fake.called("Disconnect")
    }
    await scene.bluez.stop(by: far)
    #expect(scene.fake.calls(of: "Disconnect").count == 1)
    #expect(!scene.device.isConnected)
  }

  @Test("is another program's when it came after the end of ours, however late the lost link is closed")
  func lateClose() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    scene.device.drop()
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    scene.device.connect()
    try await until(scene) { $0.tree.devices.values.contains(where: \.connected) }
    await link.close()
    await scene.bluez.stop(by: scene.soon)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    #expect(scene.device.isConnected)
  }

  @Test("is ended with a link that alone was lost")
  func lostAlone() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    scene.device.hideServices()
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    await link.close()
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("has its answers go to the link of now, also when a lost one is closed after its opening")
  func answers() async throws {
    let scene = try await Scene()
    let lost = try await scene.open()
    scene.device.drop()
    #expect(await linkError { _ = try await lost.receive(by: scene.soon) }?.code == .lost)
    let link = try await scene.open()
    await lost.close()
    try scene.characteristic("2af0").notify([7])
    #expect(try await link.receive(by: scene.soon) == [7])
    await link.close()
    await scene.fake.called("Disconnect")
    #expect(scene.fake.calls(of: "Disconnect").count == 1)
    await scene.bluez.stop(by: scene.soon)
  }
}
