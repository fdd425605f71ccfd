import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing
import Threads

@testable import BLETransport

/// A printer that wants a pairing at its first write, and a bluetoothd that forgets the write over it.
@Suite("A pairing in the middle of the first write", .timeLimit(.minutes(1)))
struct RenewalTests {
  /// A printer that is not paired, on a clock that stands, whose first write is answered by nobody.
  struct Stuck {
    let clock = ManualClock()
    let scene: Scene
    let write: FakeCharacteristic

    /// - Parameter forgotten: How many writes are not answered.
    init(forgotten: Int = 1, paired: Bool = false) async throws {
      scene = try await Scene(clock: clock)
      scene.device.set(["Paired": .boolean(paired), "Bonded": .boolean(paired)])
      write = try scene.characteristic("2af1")
      let count = Locked(0)
      write.script { script in
        script.writing = { _, _ in
          let number = count.withLock { count in
            count += 1
            return count
          }
          return number <= forgotten ? .waits(arrives: false) : .accepts
        }
      }
    }

    /// Pairs, as bluetoothd does by itself, and returns when our side knows.
    func pair() async throws {
      scene.device.set(["Paired": .boolean(true), "Bonded": .boolean(true)])
      let path = scene.device.path
      _ = try await scene.bluez.wait(by: .max) { $0.tree.devices[path]?.paired == true }
    }

    /// Lets time pass until something holds; each step waits for the bus, so that no deadline of a call is overrun.
    func pass(until holds: () -> Bool) async throws {
      while !holds() {
        clock.advance(by: .milliseconds(100))
        let arguments: [DBusValue] = [.string("org.bluez.Adapter1"), .string("Powered")]
        _ = try await scene.bluez.call(
          scene.adapter.path, BlueZName.properties, "Get", arguments, by: .max)
      }
    }

    func end() async { await scene.bluez.stop(by: scene.soon) }
  }

  @Test("It is written again on a new connection, once, and the link goes on with its answers")
  func renewed() async throws {
    let stuck = try await Stuck()
    let link = try await stuck.scene.open()
    let bytes = pattern(3_000)
    let sending = Task { try await link.send(bytes[...], by: .max) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pair()
    try await stuck.pass { stuck.scene.fake.calls(of: "Connect").count == 2 }
    try await sending.value
    #expect(stuck.scene.paper.printed == bytes)
    #expect(link.bytesAccepted == bytes.count)
    #expect(stuck.scene.fake.calls(of: "Disconnect").count == 1)
    #expect(link.hasBackChannel && stuck.scene.fake.calls(of: "StartNotify").count == 2)
    try stuck.scene.characteristic("2af0").notify([7])
    #expect(try await link.receive(by: .max) == [7])
    #expect(stuck.scene.notes.contain("forgotten the first write"))
    await link.close()
    await stuck.scene.fake.called("Disconnect", times: 2)
    await stuck.end()
  }

  @Test(
    "A printer that does not answer the second write either may have taken the first, and nothing is written again"
  )
  func standsStill() async throws {
    let stuck = try await Stuck(forgotten: 99)
    let link = try await stuck.scene.open()
    let limit = stuck.clock.now.advanced(by: .seconds(60))
    let sending = Task { try await link.send(pattern(100)[...], by: limit) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pair()
    try await stuck.pass { stuck.clock.now > limit }
    #expect(await linkError { try await sending.value }?.code == .deadline)
    #expect(stuck.write.writes.count == 2)
    #expect(link.bytesAccepted == 100)
    await stuck.end()
  }

  @Test("A printer that was paired before, or that nobody pairs, is waited for", arguments: [true, false])
  func noPairing(paired: Bool) async throws {
    let stuck = try await Stuck(paired: paired)
    let link = try await stuck.scene.open()
    let limit = stuck.clock.now.advanced(by: .seconds(20))
    let sending = Task { try await link.send(pattern(100)[...], by: limit) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pass { stuck.clock.now > limit }
    #expect(await linkError { try await sending.value }?.code == .deadline)
    #expect(stuck.write.writes.count == 1)
    #expect(stuck.scene.fake.calls(of: "Disconnect").isEmpty)
    await stuck.end()
  }

  @Test("A pairing that bluetoothd writes on after costs no connection")
  func repeated() async throws {
    let stuck = try await Stuck()
    let link = try await stuck.scene.open()
    let sending = Task { try await link.send(pattern(100)[...], by: .max) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pair()
    stuck.write.answerWrites()
    try await sending.value
    let later = stuck.clock.now.advanced(by: .seconds(10))
    try await stuck.pass { stuck.clock.now > later }
    #expect(stuck.scene.fake.calls(of: "Disconnect").isEmpty)
    #expect(link.bytesAcknowledged == 100)
    await stuck.end()
  }

  @Test("A printer that is gone after its pairing ends the link, and the bytes are not taken back")
  func gone() async throws {
    let stuck = try await Stuck()
    let link = try await stuck.scene.open()
    let sending = Task { try await link.send(pattern(100)[...], by: .max) }
    await stuck.scene.fake.called("WriteValue")
    stuck.scene.device.script { $0.connecting = [.fails(.abortedByLocal)] }
    try await stuck.pair()
    let isOver = Locked(false)
    let waiting = Task {
      defer { isOver.withLock { $0 = true } }
      return await linkError { try await sending.value }
    }
    try await stuck.pass { isOver.withLock { $0 } }
    #expect(await waiting.value?.code == .unreachable)
    #expect(link.bytesAccepted == 100)
    #expect(await linkError { try await link.send([1], by: .max) }?.code == .unreachable)
    await stuck.end()
  }

  @Test("Answers that are turned on over a pairing, and forgotten, are turned on over a new connection")
  func notification() async throws {
    let stuck = try await Stuck(forgotten: 0)
    try stuck.scene.characteristic("2af0").script { $0.forgetsNotify = 1 }
    let opening = Task { try await stuck.scene.open(by: .max) }
    await stuck.scene.fake.called("StartNotify")
    try await stuck.pair()
    try await stuck.pass { stuck.scene.fake.calls(of: "StartNotify").count == 2 }
    let link = try await opening.value
    #expect(link.hasBackChannel)
    #expect(stuck.scene.fake.calls(of: "Disconnect").count >= 1)
    await stuck.end()
  }

  @Test("While the answers are turned on again, another printer may be connected")
  func givesTurnBack() async throws {
    let stuck = try await Stuck()
    let scene = stuck.scene
    let bar = scene.adapter.addDevice(
      "00:11:22:33:44:66", services: [.print, .access], printer: FakePrinter(clock: BootClock()))
    let link = try await scene.open()
    let notify = try scene.characteristic("2af0")
    notify.script { $0.notifyWaits = true }
    let sending = Task { try await link.send(pattern(100)[...], by: .max) }
    await scene.fake.called("WriteValue")
    try await stuck.pair()
    try await stuck.pass { scene.fake.calls(of: "StartNotify").count == 2 }
    let other = try await scene.open(by: .max) { printer in
      if let address = BluetoothAddress("00:11:22:33:44:66") { printer.address = address }
    }
    #expect(bar.isConnected && !notify.isNotifying)
    notify.answerNotify()
    try await sending.value
    #expect(scene.paper.printed == pattern(100))
    for link in [link, other] { await link.close() }
    await scene.fake.called("Disconnect", times: 3)
    await stuck.end()
  }

  @Test("Answers that the printer refuses over the new connection are waited for no longer")
  func losesBackChannel() async throws {
    let stuck = try await Stuck()
    let link = try await stuck.scene.open()
    #expect(link.hasBackChannel)
    try stuck.scene.characteristic("2af0").script {
      $0.notifying = .bluez("NotSupported", "Operation is not supported")
    }
    let sending = Task { try await link.send(pattern(100)[...], by: .max) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pair()
    try await stuck.pass { stuck.scene.notes.contain("refuses to send answers") }
    try await sending.value
    #expect(!link.hasBackChannel)
    #expect(stuck.scene.paper.printed == pattern(100))
    await stuck.end()
  }

  @Test("A pairing that came with the answers is no reason to doubt the first write after it")
  func pairedBefore() async throws {
    let stuck = try await Stuck(forgotten: 99)
    let notify = try stuck.scene.characteristic("2af0")
    notify.script { $0.notifyWaits = true }
    let opening = Task { try await stuck.scene.open(by: .max) }
    await stuck.scene.fake.called("StartNotify")
    try await stuck.pair()
    notify.answerNotify()
    let link = try await opening.value
    let limit = stuck.clock.now.advanced(by: .seconds(10))
    let sending = Task { try await link.send(pattern(100)[...], by: limit) }
    await stuck.scene.fake.called("WriteValue")
    try await stuck.pass { stuck.clock.now > limit }
    #expect(await linkError { try await sending.value }?.code == .deadline)
    #expect(stuck.write.writes.count == 1)
    #expect(stuck.scene.fake.calls(of: "Disconnect").isEmpty)
    await stuck.end()
  }
}

extension BootInstant {
  fileprivate static let max = BootInstant(nanoseconds: .max)
}
