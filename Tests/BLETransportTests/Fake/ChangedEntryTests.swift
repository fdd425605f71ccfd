import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

/// What a reload makes of a printer's entry is the next job's affair: the link of the one in hand stays, and stays alone.
@Suite("A printer whose entry is changed while a receipt is in hand", .timeLimit(.minutes(1)))
struct ChangedEntryTests {
  /// What the configuration has of the printer.
  enum Entry: String, CaseIterable, CustomStringConvertible {
    case ble, rfcomm, elsewhere, none

    var description: String { rawValue }
  }

  private let clock = ManualClock()
  private let grace = Duration.seconds(20)
  private let far = BootInstant(nanoseconds: .max)
  private static let bearers: [BluetoothPrinter.Bearer] = [.ble, .rfcomm]

  /// A configuration is read that has this of the printer.
  private func reload(_ scene: Scene, _ entry: Entry) async throws {
    let address = try scene.printer().address
    let other = try #require(BluetoothAddress("00:11:22:33:44:66"))
    switch entry {
    case .ble: await scene.bluez.takeOverConnections(to: [address: grace])
    case .elsewhere: await scene.bluez.takeOverConnections(to: [other: grace])
    case .rfcomm, .none: await scene.bluez.takeOverConnections(to: [:])
    }
  }

  private func opener(
    _ scene: Scene, _ name: String, _ bearer: BluetoothPrinter.Bearer
  ) throws -> any LinkOpener {
    scene.bluez.opener(
      for: try scene.printer {
        $0.name = name
        $0.bearer = bearer
      })
  }

  private func open(
    _ scene: Scene, _ name: String, _ bearer: BluetoothPrinter.Bearer
  ) async throws -> any PrinterLink {
    let opener = try opener(scene, name, bearer)
    let link = try await scene.run(clock) { [far] in try await opener.open(by: far) }
    _ = try await scene.bluez.wait(by: far) { $0.tree.devices.values.contains(where: \.connected) }
    return link
  }

  /// Closes a link; by Classic that takes time where the printer has not read all.
  private func close(_ scene: Scene, _ link: any PrinterLink) async throws {
    try await scene.run(clock) { await link.close() }
  }

  private static let stories: [[Entry]] = [
    [.ble], [.rfcomm], [.elsewhere], [.none],
    [.none, .ble], [.elsewhere, .ble, .none], [.rfcomm, .ble, .rfcomm], [.none, .rfcomm, .ble, .elsewhere],
  ]

  @Test(
    "keeps the link, whatever is written in its place, and however often",
    arguments: ChangedEntryTests.bearers, ChangedEntryTests.stories)
  func keepsLink(_ bearer: BluetoothPrinter.Bearer, _ story: [Entry]) async throws {
    let scene = try await Scene(clock: clock)
    try await reload(scene, bearer == .ble ? .ble : .rfcomm)
    let link = try await open(scene, "kitchen", bearer)
    for entry in story {
      try await reload(scene, entry)
      clock.advance(by: grace + grace)
      _ = try await scene.bluez.wait(by: far) { $0.leftovers.due.isEmpty }
      #expect(await scene.bluez.parted.isEmpty)
    }
    try await link.send([1], by: far)
    #expect(scene.fake.calls(of: "Disconnect").isEmpty)
    try await close(scene, link)
    await scene.bluez.stop(by: far)
  }

  @Test(
    "has one link at a time, also when the new entry has a name of its own",
    arguments: ChangedEntryTests.bearers, ChangedEntryTests.bearers)
  func oneLink(_ old: BluetoothPrinter.Bearer, _ new: BluetoothPrinter.Bearer) async throws {
    let scene = try await Scene(clock: clock)
    try await reload(scene, old == .ble ? .ble : .rfcomm)
    let first = try await open(scene, "kitchen", old)
    try await reload(scene, new == .ble ? .ble : .rfcomm)
    let opener = try opener(scene, "bar", new)
    let opening = Task { try await opener.open(by: far) }
    let address = try scene.printer().address
    _ = try await scene.bluez.wait(by: far) { $0.holders[address]?.count == 2 }
    try await first.send([1], by: far)
    #expect(scene.fake.calls(of: "Connect").count + scene.fake.calls(of: "ConnectProfile").count == 1)
    try await close(scene, first)
    let second = try await scene.run(clock) { try await opening.value }
    // The end of the first is over before the second begins, and what is over ends nothing later.
    clock.advance(by: grace + grace)
    _ = try await scene.bluez.wait(by: far) { $0.leftovers.due.isEmpty }
    #expect(await !scene.bluez.parted.values.contains(.going))
    try await second.send([2], by: far)
    #expect(scene.device.isConnected)
    if old == .ble { #expect(scene.paper.printed.first == 1) }
    if new == .ble { #expect(scene.paper.printed.last == 2) }
    try await close(scene, second)
    await scene.bluez.stop(by: far)
  }

  @Test(
    "is busy for the new entry, when the old one's receipt takes longer than that may wait",
    arguments: ChangedEntryTests.bearers)
  func busy(_ bearer: BluetoothPrinter.Bearer) async throws {
    let scene = try await Scene(clock: clock)
    try await reload(scene, .ble)
    let first = try await open(scene, "kitchen", .ble)
    let opener = try opener(scene, "bar", bearer)
    let deadline = clock.now.advanced(by: .seconds(10))
    let opening = Task { await linkError { _ = try await opener.open(by: deadline) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    #expect(await opening.value?.code == .busy)
    try await first.send([1], by: far)
    try await close(scene, first)
    await scene.fake.called("Disconnect")
    #expect(await scene.bluez.holders.isEmpty)
    await scene.bluez.stop(by: far)
  }

  @Test("is let go of when its entry is removed while its found connection waits to be used")
  func removedWhileOpening() async throws {
    let scene = try await Scene(clock: clock)
    scene.device.connect()
    try await reload(scene, .ble)
    let adapter = try await scene.bluez.adapter(nil, for: "other", by: far)
    let turn = try await scene.bluez.turn(at: adapter, by: far)
    let opening = Task { try await scene.failure(by: far) }
    _ = try await scene.bluez.wait(by: far) { $0.turns.count(at: adapter.path) == 2 }
    try await reload(scene, .none)
    opening.cancel()
    #expect(try await opening.value.code == .cancelled)
    await scene.fake.called("Disconnect")
    #expect(!scene.device.isConnected)
    turn.end()
    await scene.bluez.stop(by: far)
  }
}
