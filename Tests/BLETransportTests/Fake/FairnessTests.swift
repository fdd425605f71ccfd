import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

/// A printer that does not come to an end must not cost another one its receipt: both have a far deadline here, and
/// what the first is waiting for never comes by itself.
@Suite("Two printers at one adapter", .timeLimit(.minutes(1)))
struct FairnessTests {
  private let clock = ManualClock()
  private let far = BootInstant(nanoseconds: .max)

  /// The second printer, which does all that it should.
  private func addBar(to scene: Scene) -> FakeDevice {
    scene.adapter.addDevice(
      "00:11:22:33:44:66", services: [.print, .access], printer: FakePrinter(clock: BootClock()))
  }

  private func openBar(_ scene: Scene) async throws -> GATTLink {
    try await scene.open(by: far) { printer in
      printer.name = "bar"
      if let address = BluetoothAddress("00:11:22:33:44:66") { printer.address = address }
    }
  }

  @Test("one that hangs in Connect is let go for the other")
  func hangsConnecting() async throws {
    let scene = try await Scene(clock: clock)
    let bar = addBar(to: scene)
    scene.device.script { $0.connecting = [.waits] }
    let kitchen = Task { try await scene.failure(by: far) }
    await scene.fake.called("Connect")
    let link = try await scene.run(clock) { try await openBar(scene) }
    try await link.send([1], by: scene.soon)
    #expect(bar.printer?.printed == [1])
    #expect(try await kitchen.value.code == .unreachable)
    #expect(scene.fake.calls(of: "Connect").map(\.path) == [scene.device.path, bar.path])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("one that has hung in Connect for long is let go as soon as the other comes")
  func hasHungLong() async throws {
    let scene = try await Scene(clock: clock)
    let bar = addBar(to: scene)
    scene.device.script { $0.connecting = [.waits] }
    let kitchen = Task { try await scene.failure(by: far) }
    await scene.fake.called("Connect")
    // Its fair time began before the call.
    clock.advance(by: BlueZ.fairTime)
    let link = try await openBar(scene)
    #expect(try await kitchen.value.code == .unreachable)
    #expect(scene.fake.calls(of: "Connect").map(\.path) == [scene.device.path, bar.path])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("one whose services never resolve lets the other connect meanwhile, and opens when they do")
  func resolvesLate() async throws {
    let scene = try await Scene(clock: clock)
    let bar = addBar(to: scene)
    scene.device.script { $0.resolving = .waits }
    let kitchen = Task { try await scene.open(by: far) }
    await scene.fake.called("Connect")
    let link = try await scene.run(clock) { try await openBar(scene) }
    try await link.send([1], by: scene.soon)
    #expect(bar.printer?.printed == [1])
    // Nothing was taken from the first one.
    #expect(scene.device.isConnected)
    scene.device.resolve()
    let first = try await kitchen.value
    try await first.send([2], by: scene.soon)
    #expect(scene.paper.printed == [2])
    #expect(scene.fake.calls(of: "Connect").map(\.path) == [scene.device.path, bar.path])
    for link in [first, link] { await link.close() }
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("one that is looked for in vain is given up for the other")
  func isLookedFor() async throws {
    let scene = try await Scene(clock: clock)
    let bar = addBar(to: scene)
    scene.device.vanish()
    let kitchen = Task { try await scene.failure(by: far) }
    await scene.fake.called("StartDiscovery")
    let link = try await scene.run(clock) { try await openBar(scene) }
    #expect(try await kitchen.value.code == .unreachable)
    #expect(scene.fake.calls(of: "Connect").map(\.path) == [bar.path])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("a Classic one whose records never come is let go for the other")
  func recordsNeverCome() async throws {
    let scene = try await Scene(clock: clock)
    let bar = addBar(to: scene)
    scene.device.script { $0.profileWaits = true }
    let printer = try scene.printer { $0.bearer = .rfcomm }
    let kitchen = Task { () -> LinkError? in
      await linkError { await (try await RFCOMMLinkOpener(printer, scene.bluez).open(by: far)).close() }
    }
    await scene.fake.called("ConnectProfile")
    let link = try await scene.run(clock) { try await openBar(scene) }
    try await link.send([1], by: scene.soon)
    #expect(bar.printer?.printed == [1])
    #expect(await kitchen.value?.code == .unreachable)
    #expect(scene.fake.calls(of: "ConnectProfile").map(\.path) == [scene.device.path])
    #expect(scene.fake.calls(of: "Connect").map(\.path) == [bar.path])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "have links that are told apart, also when one is finished while the other is being asked what it can")
  func numbers() async throws {
    let features = FakeService(
      FakeService.uuid("1801"), [.init(FakeService.uuid("2b3a"), ["read"], value: [0])])
    let scene = try await Scene(clock: clock, services: [.print, .access, features])
    _ = addBar(to: scene)
    let supported = try scene.characteristic("2b3a")
    supported.script { $0.readWaits = true }
    let opening = Task { try await scene.open(by: far) }
    await scene.fake.called("ReadValue")
    let bar = try await openBar(scene)
    supported.answerReads()
    let kitchen = try await opening.value
    #expect(kitchen.number != bar.number)
    scene.device.drop()
    #expect(await linkError { _ = try await kitchen.receive(by: scene.soon) }?.code == .lost)
    try await bar.send([1], by: scene.soon)
    for link in [kitchen, bar] { await link.close() }
    await scene.bluez.stop(by: scene.soon)
  }
}
