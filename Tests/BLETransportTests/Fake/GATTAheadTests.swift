import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import BLETransport

@Suite("What is sent ahead over GATT", .timeLimit(.minutes(1)))
struct GATTAheadTests {
  @Test("Where more follows, the last bytes need no request; what follows tells that they have arrived")
  func sentAhead() async throws {
    let scene = try await Scene(services: [.print])
    let link = try await scene.open()
    #expect(link.writeLimit == 244)
    let bytes = pattern(500)
    try await link.send(bytes[..<10], by: scene.soon)
    try await link.sendAhead(bytes[10..<300], by: scene.soon)
    #expect(link.bytesAccepted == 300)
    #expect(link.bytesAcknowledged == 10)
    try await link.sendAhead(bytes[300..<490], by: scene.soon)
    try await link.send(bytes[490...], by: scene.soon)
    #expect(link.bytesAcknowledged == bytes.count)
    #expect(scene.paper.printed == bytes)
    #expect(
      try scene.characteristic("2af1").writes.map(\.type) == [
        "request", "command", "command", "command", "request",
      ])
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("What is sent ahead is a request all the same as the first write, and beyond what any buffer holds")
  func sentAheadByRequest() async throws {
    let scene = try await Scene(services: [.print])
    let link = try await scene.open { $0.bytesPerSecond = 1 }
    let bytes = pattern(5_000)
    try await link.sendAhead(bytes[...], by: scene.soon)
    let types = try scene.characteristic("2af1").writes.map(\.type)
    #expect(types.first == "request" && types.last == "request")
    #expect(types.filter { $0 == "command" }.count == (2_048 / 244) - 1)
    #expect(scene.paper.printed == bytes)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("bluetoothd's word for what was sent ahead is not waited for before the next write")
  func runAhead() async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(1_300)
    try await link.send(bytes[..<10], by: scene.soon)
    try scene.characteristic("2af1").script {
      $0.writing = { number, _ in number < 5 ? .waits(arrives: true) : .accepts }
    }
    // Five writes, of which the last is answered: not before it is told to be.
    try await link.sendAhead(bytes[10..<1_200], by: scene.soon)
    #expect(link.bytesAccepted == 1_200)
    await scene.fake.called("WriteValue", times: 6)
    try scene.characteristic("2af1").answerWrites()
    try await link.send(bytes[1_200...], by: scene.soon)
    try await link.flush(by: scene.soon)
    #expect(link.bytesAcknowledged == bytes.count)
    #expect(scene.paper.printed == bytes)
    await link.close()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "What bluetoothd refuses of what was sent ahead is heard at the next write, or when all is to have arrived: the link is lost",
    arguments: [true, false])
  func runAheadRefused(writes: Bool) async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = .commands }
    let bytes = pattern(1_300)
    try await link.send(bytes[..<10], by: scene.soon)
    try scene.characteristic("2af1").script { $0.isAcquired = true }
    try await link.sendAhead(bytes[10..<1_200], by: scene.soon)
    let error = await linkError {
      if writes {
        try await link.send(bytes[1_200...], by: scene.soon)
      } else {
        try await link.flush(by: scene.soon)
      }
    }
    #expect(error?.code == .lost)
    #expect(
      link.bytesAccepted == 1_200, "nobody knows how much of the run was taken, and nothing came behind it")
    #expect(scene.paper.printed == Array(bytes[..<10]))
    await scene.bluez.stop(by: scene.soon)
  }
}
