import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

@Suite("A GATT link", .timeLimit(.minutes(1)))
struct GATTLinkTests {
  @Test("The first write is a request, commands follow, and all arrives in order")
  func fastPrinter() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(20_000)
    try await link.send(bytes[...], by: scene.soon)
    try await link.flush(by: scene.soon)
    #expect(link.bytesAccepted == bytes.count)
    #expect(link.bytesAcknowledged == bytes.count)
    #expect(scene.paper.printed == bytes)
    let writes = try scene.characteristic("2af1").writes
    #expect(writes.first?.type == "request")
    #expect(writes.dropFirst().allSatisfy { $0.type == "command" })
    #expect(writes.allSatisfy { $0.isExplicit && $0.value.count <= 244 })
    #expect(scene.fake.calls(of: "ReadValue").count >= 2)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Beyond what any buffer holds, requests go, and a printer that stops loses nothing")
  func stalledPrinter() async throws {
    var script = FakePrinter.Script()
    script.capacity = 4_096
    script.rate = 0
    let scene = try await Scene(script)
    let link = try await scene.open { $0.bytesPerSecond = 1 }
    let bytes = pattern(20_000)
    let sending = Task { try await link.send(bytes[...], by: scene.soon) }
    // The buffer takes 16 writes of 244 bytes; the 17th is a request, and is not answered.
    await scene.fake.called("WriteValue", times: 17)
    #expect(link.bytesAccepted == 17 * 244)
    #expect(link.bytesAcknowledged == 16 * 244)
    scene.paper.script { $0.rate = nil }
    try await sending.value
    #expect(scene.paper.printed == bytes)
    #expect(scene.paper.lost == 0)
    #expect(link.bytesAcknowledged == bytes.count)
    let types = try scene.characteristic("2af1").writes.map(\.type)
    #expect(types.filter { $0 == "command" }.count == (2_048 / 244) - 1)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A deadline ends the wait for a printer that takes nothing; what is in flight counts as taken")
  func deadline() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    let link = try await scene.open { $0.writeMode = .requests }
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number < 2 ? .accepts : .waits(arrives: false) }
    }
    let sending = Task { try await link.send(pattern(5_000)[...], by: clock.now.advanced(by: .seconds(8))) }
    await scene.fake.called("WriteValue", times: 3)
    clock.advance(by: .seconds(8))
    #expect(await linkError { try await sending.value }?.code == .deadline)
    #expect(link.bytesAccepted == 3 * 244)
    #expect(link.bytesAcknowledged == 2 * 244)
    #expect(scene.fake.calls(of: "WriteValue").count == 3)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Cancelling ends a call that waits, and no new write starts")
  func cancelled() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = .requests }
    try scene.characteristic("2af1").script { $0.writing = { _, _ in .waits(arrives: true) } }
    let sending = Task { try await link.send(pattern(5_000)[...], by: scene.soon) }
    await scene.fake.called("WriteValue")
    sending.cancel()
    let error = await linkError { try await sending.value }
    #expect(error?.code == .cancelled)
    #expect(link.bytesAccepted == 244)
    #expect(link.bytesAcknowledged == 0)
    #expect(scene.fake.calls(of: "WriteValue").count == 1)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A write that bluetoothd refuses was not taken: zero means that nothing can be on paper")
  func refused() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    try scene.characteristic("2af1").script {
      $0.writing = { _, _ in .fails(.bluez("Failed", "Not connected")) }
    }
    let error = await linkError { try await link.send(pattern(300)[...], by: scene.soon) }
    #expect(error?.code == .lost)
    #expect(link.bytesAccepted == 0)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("On a link that has printed, small sends are accounted for write by write")
  func refusedLater() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.chunk = 20 }
    try await link.send([0x1B, 0x40], by: scene.soon)
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number < 4 ? .accepts : .fails(.bluez("Failed", "Not connected")) }
    }
    let error = await linkError { try await link.send(pattern(256)[...], by: scene.soon) }
    #expect(error?.code == .lost)
    #expect(link.bytesAccepted == 2 + 3 * 20)
    #expect(scene.paper.printed.count == 2 + 3 * 20)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A write left out in the middle is the end of the link, whatever came after")
  func hole() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.chunk = 20 }
    try await link.send([0x1B, 0x40], by: scene.soon)
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number == 4 ? .fails(.bluez("InProgress", "In Progress")) : .accepts }
    }
    let error = await linkError { try await link.send(pattern(256)[...], by: scene.soon) }
    #expect(error?.code == .lost)
    #expect(link.bytesAccepted > 0)
    #expect(await linkError { try await link.send([1], by: scene.soon) }?.code == .lost)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("While another program writes by requests, ours waits and is not lost")
  func inProgress() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = .requests }
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number < 3 ? .fails(.bluez("InProgress", "In Progress")) : .accepts }
    }
    let bytes = pattern(1_000)
    try await link.send(bytes[...], by: scene.soon)
    #expect(scene.paper.printed == bytes)
    #expect(link.bytesAcknowledged == bytes.count)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A printer that wants a pairing says so at the first write")
  func needsPairing() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    try scene.characteristic("2af1").script {
      $0.writing = { _, _ in .fails(.bluez("NotPermitted", "Not paired")) }
    }
    let error = await linkError { try await link.send(pattern(300)[...], by: scene.soon) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("printd printers pair \(Scene.address)") == true)
    #expect(link.bytesAccepted == 0)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Another program that has acquired the characteristic makes the printer busy")
  func acquired() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    try scene.characteristic("2af1").script { $0.isAcquired = true }
    let error = await linkError { try await link.send(pattern(300)[...], by: scene.soon) }
    #expect(error?.code == .busy)
    #expect(link.bytesAccepted == 0)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A characteristic that takes requests by its flags, and none in fact, gets commands")
  func requestsNotTaken() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in
        number == 0 ? .fails(.bluez("NotPermitted", "Write not permitted")) : .accepts
      }
    }
    let bytes = pattern(2_000)
    try await link.send(bytes[...], by: scene.soon)
    try await link.flush(by: scene.soon)
    #expect(scene.paper.printed == bytes)
    #expect(link.bytesAcknowledged == bytes.count)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Without anything to read, the last write of a call is a request, and tells that all has arrived")
  func nothingToRead() async throws {
    let scene = try await Scene(services: [.print])
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(5_000)
    try await link.send(bytes[...], by: scene.soon)
    #expect(link.bytesAcknowledged == bytes.count)
    try await link.flush(by: scene.soon)
    #expect(scene.paper.printed == bytes)
    #expect(try scene.characteristic("2af1").writes.last?.type == "request")
    #expect(scene.fake.calls(of: "ReadValue").isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("What cannot be read is not read again, and requests take its place")
  func readingFails() async throws {
    let scene = try await Scene()
    try scene.characteristic("2a00").script { $0.reading = .bluez("NotPermitted", "Read not permitted") }
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(20_000)
    try await link.send(bytes[...], by: scene.soon)
    #expect(scene.fake.calls(of: "ReadValue").count == 1)
    try await link.send(pattern(1_000)[...], by: scene.soon)
    #expect(link.bytesAcknowledged == 21_000)
    #expect(scene.paper.printed == bytes + pattern(1_000))
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A characteristic for commands alone gets commands, and what is read tells what has arrived")
  func commandsAlone() async throws {
    let scene = try await Scene(services: [
      FakeService(
        FakeService.uuid("ffe0"), [.init(FakeService.uuid("ffe1"), ["write-without-response", "notify"])]),
      .access,
    ])
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(10_000)
    try await link.send(bytes[...], by: scene.soon)
    try await link.flush(by: scene.soon)
    #expect(scene.paper.printed == bytes)
    #expect(link.bytesAcknowledged == bytes.count)
    #expect(try scene.characteristic("ffe1").writes.allSatisfy { $0.type == "command" })
    #expect(link.hasBackChannel)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "A printer that may take data on several channels gets requests",
    arguments: [(UInt8(1), true), (UInt8(6), false)])
  func enhancedATT(features: UInt8, requests: Bool) async throws {
    let scene = try await Scene(services: [
      .print, .access,
      FakeService(FakeService.uuid("1801"), [.init(FakeService.uuid("2b3a"), ["read"], value: [features])]),
    ])
    let link = try await scene.open()
    try await link.send(pattern(1_500)[...], by: scene.soon)
    let types = Set(try scene.characteristic("2af1").writes.dropFirst().map(\.type))
    #expect(types == (requests ? ["request"] : ["command"]))
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Answers come in order, and are there even when the link has gone since")
  func answers() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    let notifier = try scene.characteristic("2af0")
    #expect(notifier.isNotifying)
    notifier.notify([1, 2])
    #expect(try await link.receive(by: scene.soon) == [1, 2])
    #expect(await linkError { _ = try await link.receive(by: scene.clock.now) }?.code == .deadline)
    try await link.send([0x10, 0x04, 1], by: scene.soon)
    #expect(try await link.receive(by: scene.soon).count == 1)
    scene.device.drop()
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A refused notification leaves a link without a back channel, and a line in the log")
  func notificationRefused() async throws {
    let scene = try await Scene()
    try scene.characteristic("2af0").script { $0.notifying = .bluez("NotPermitted", "Write not permitted") }
    let link = try await scene.open()
    #expect(!link.hasBackChannel)
    #expect(scene.notes.contain("refuses to send answers"))
    let bytes = pattern(500)
    try await link.send(bytes[...], by: scene.soon)
    #expect(scene.paper.printed == bytes)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A link that goes in mid-job fails what waits, with what it took")
  func lost() async throws {
    var script = FakePrinter.Script()
    script.capacity = 4_096
    script.rate = 0
    let scene = try await Scene(script)
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    let sending = Task { try await link.send(pattern(20_000)[...], by: scene.soon) }
    let receiving = Task { _ = try await link.receive(by: scene.soon) }
    await scene.fake.called("WriteValue", times: 17)
    scene.device.drop()
    #expect(await linkError { try await sending.value }?.code == .lost)
    #expect(await linkError { try await receiving.value }?.code == .lost)
    #expect(link.bytesAccepted == 17 * 244)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A write that bluetoothd never answers ends with its connection", arguments: ["command", "request"])
  func forgotten(type: String) async throws {
    let scene = try await Scene()
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number < 2 ? .accepts : .isForgotten }
    }
    let link = try await scene.open { $0.writeMode = type == "command" ? .commands : .requests }
    let sending = Task { try await link.send(pattern(4 * 244)[...], by: BootInstant(nanoseconds: .max)) }
    await scene.fake.called("WriteValue", times: 3)
    scene.device.drop()
    #expect(await linkError { try await sending.value }?.code == .lost)
    #expect(link.bytesAccepted >= 3 * 244)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A closed link sends and receives no more, and the printer is disconnected behind the caller's back")
  func closed() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    try await link.send([1, 2, 3], by: scene.soon)
    let receiving = Task { _ = try await link.receive(by: scene.soon) }
    await link.close()
    await link.close()
    #expect(await linkError { try await receiving.value }?.code == .lost)
    #expect(await linkError { try await link.send([1], by: scene.soon) }?.code == .lost)
    await scene.fake.called("Disconnect")
    await scene.bluez.stop(by: scene.soon)
    #expect(!scene.device.isConnected)
    #expect(scene.fake.calls(of: "Disconnect").count == 1)
  }

  @Test("Answers that nobody reads are thrown away beyond a limit, with a line in the log")
  func overflow() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    for _ in 0..<300 { try scene.characteristic("2af0").notify([UInt8](repeating: 7, count: 256)) }
    var count = 0
    while count < GATTLink.receiveLimit { count += try await link.receive(by: scene.soon).count }
    #expect(count >= GATTLink.receiveLimit)
    await scene.bluez.stop(by: scene.soon)
  }
}
