import DBus
import ESCPOS
import FakeBlueZ
import FoundationEssentials
import PrintTestKit
import Testing

@testable import BLETransport

/// A conversation over a GATT link to a printer with a small buffer that loses what finds it full.
@Suite("A job with questions in its middle, over GATT", .timeLimit(.minutes(1)))
struct ProofTests {
  /// 400 lines of 33 bytes.
  private let job = (0..<400).flatMap { line in
    [UInt8](repeating: 0x41 + UInt8(line % 26), count: 32) + [0x0A]
  }
  private let seams = Array(stride(from: 33, through: 13_200, by: 33))

  /// The least buffer that the link counts on: one command more, and it would be lost.
  private static func script(capacity: Int = BluetoothPrinter.provenBurst) -> FakePrinter.Script {
    var script = FakePrinter.Script()
    script.capacity = capacity
    return script
  }

  private func profile(_ fence: PrinterProfile.Fence) throws -> PrinterProfile {
    let catalogue = try JSONDecoder().decode(ProfileCatalogue.self, from: Data(PrinterProfile.builtInJSON))
    var profile = try catalogue.profile(named: "generic-80")
    profile.fence = fence
    return profile
  }

  private func conversation(
    _ scene: Scene, _ link: GATTLink, _ fence: PrinterProfile.Fence
  ) async throws -> PrinterConversation {
    let conversation = PrinterConversation(
      link: link, profile: try profile(fence), clock: scene.clock, past: .init(isProven: true))
    guard case .ready = try await conversation.gate(by: scene.soon) else {
      throw Scene.Unexpected(description: "the printer is not ready")
    }
    return conversation
  }

  /// What is on paper of the job.
  private func printed(_ scene: Scene) -> [UInt8] { scene.paper.printed.lines }

  @Test(
    "Goes by commands alone as the printer's answers come",
    arguments: [PrinterProfile.Fence.processID, .paperStatus], [[FakeService.print, .access], [.print]])
  func fast(fence: PrinterProfile.Fence, services: [FakeService]) async throws {
    // The clock stands still: no wait for an answer is in vain.
    let scene = try await Scene(clock: ManualClock(), services: services, Self.script())
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    #expect(link.proofWindow == BluetoothPrinter.burst)
    let conversation = try await conversation(scene, link, fence)
    let before = try scene.characteristic("2af1").writes.count
    try await conversation.send(job, seams: seams, by: scene.soon) {}
    let writes = try scene.characteristic("2af1").writes.dropFirst(before)
    #expect(writes.allSatisfy { $0.type == "command" })
    #expect(link.proofWindow == BluetoothPrinter.provenBurst)
    #expect(try await conversation.fence(by: scene.soon) == .proven)
    if services.count == 1 {
      // Without anything to read, the question behind the job tells that all has arrived.
      #expect(try scene.characteristic("2af1").writes.last?.type == "request")
      #expect(link.bytesAcknowledged == link.bytesAccepted)
    }
    #expect(printed(scene) == job)
    #expect(scene.paper.lost == 0)
    #expect(await conversation.jobBytesAccepted == job.count)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "Loses nothing when the printer stops anywhere in it, and goes on when the printer does",
    arguments: [PrinterProfile.Fence.processID, .paperStatus], [0, 1, 500, 1_007, 1_020, 2_300, 5_001, 7_777])
  func stalls(fence: PrinterProfile.Fence, at byte: Int) async throws {
    let scene = try await Scene(Self.script())
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    let conversation = try await conversation(scene, link, fence)
    let before = scene.paper.printed.count
    scene.paper.script { $0.stallsAt = before + byte }
    let (job, seams) = (job, seams)
    let sending = Task { try await conversation.send(job, seams: seams, by: scene.soon) {} }
    await scene.paper.holdsRequest()
    #expect(scene.paper.lost == 0)
    #expect(scene.paper.printed.count == before + byte)
    scene.paper.script { $0.stallsAt = nil }
    try await sending.value
    #expect(try await conversation.fence(by: scene.soon) == .proven)
    #expect(printed(scene) == job)
    #expect(scene.paper.lost == 0)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Makes no room by waiting for an answer, however slow the bus is", arguments: [30, 70, 130, 210])
  func slowBus(milliseconds: Int) async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock, Self.script())
    let link = try await scene.open { $0.bytesPerSecond = 2_000 }
    let conversation = try await conversation(scene, link, .paperStatus)
    let before = scene.paper.printed.count
    scene.paper.script { $0.stallsAt = before + 40 }
    let (job, seams, late) = (job, seams, clock.now.advanced(by: .seconds(100_000)))
    let sending = Task { try await conversation.send(job, seams: seams, by: late) {} }
    try await scene.run(clock, by: .milliseconds(milliseconds)) { await scene.paper.holdsRequest() }
    #expect(scene.paper.lost == 0)
    scene.paper.script { $0.stallsAt = nil }
    try await scene.run(clock, by: .milliseconds(milliseconds)) {
      try await sending.value
      // The last bytes are on their way until something behind them is answered.
      #expect(try await conversation.fence(by: late) == .proven)
    }
    #expect(printed(scene) == job)
    #expect(scene.paper.lost == 0)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "Is not proven while its end is not on paper",
    arguments: [PrinterProfile.Fence.processID, .paperStatus], [1, 40, 900, 2_100])
  func stallsAtItsEnd(fence: PrinterProfile.Fence, left: Int) async throws {
    let scene = try await Scene(Self.script(capacity: 4_096))
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    let conversation = try await conversation(scene, link, fence)
    try await conversation.send(Array(job.prefix(33 * 200)), seams: seams, by: scene.soon) {}
    try await link.flush(by: scene.soon)
    let before = scene.paper.printed.count
    // The rest fits into the printer's buffer; it stands still in it.
    let rest = Array(job.dropFirst(33 * 200).prefix(33 * 90))
    scene.paper.script { $0.stallsAt = before + rest.count - left }
    try await conversation.send(rest, seams: seams, by: scene.soon) {}
    let early = try await conversation.fence(by: scene.clock.now.advanced(by: .milliseconds(200)))
    #expect(early != .proven)
    scene.paper.script { $0.stallsAt = nil }
    #expect(try await conversation.fence(by: scene.soon) == .proven)
    #expect(printed(scene) == Array(job.prefix(33 * 290)))
    #expect(scene.paper.lost == 0)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Falls back to requests at a printer that stops answering, and loses nothing there either")
  func silent() async throws {
    let scene = try await Scene(Self.script())
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    let conversation = try await conversation(scene, link, .paperStatus)
    scene.paper.script { $0.status?.hasTransmitStatus = false }
    try await conversation.send(job, seams: seams, by: scene.soon) {}
    #expect(printed(scene) == job)
    #expect(scene.paper.lost == 0)
    let writes = try scene.characteristic("2af1").writes
    #expect(
      writes.filter { $0.type == "command" }.reduce(0) { $0 + $1.value.count } <= BluetoothPrinter.provenBurst
    )
    let early = try await conversation.fence(by: scene.clock.now.advanced(by: .milliseconds(200)))
    #expect(early != .proven)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Sends a printer that proves nothing no more ahead than half of the least buffer, whatever the job")
  func noFence() async throws {
    let scene = try await Scene(Self.script(capacity: BluetoothPrinter.burst))
    let link = try await scene.open { $0.bytesPerSecond = 8_000 }
    let conversation = try await conversation(scene, link, .none)
    let before = scene.paper.printed.count
    scene.paper.script { $0.stallsAt = before + 33 }
    let (job, seams) = (job, seams)
    let sending = Task { try await conversation.send(job, seams: seams, by: scene.soon) {} }
    await scene.paper.holdsRequest()
    let writes = try scene.characteristic("2af1").writes
    let commands = writes.filter { $0.type == "command" }.reduce(0) { $0 + $1.value.count }
    #expect((1...BluetoothPrinter.burst).contains(commands))
    #expect(scene.paper.lost == 0)
    scene.paper.script { $0.stallsAt = nil }
    try await sending.value
    #expect(printed(scene) == job)
    #expect(scene.paper.lost == 0)
    await conversation.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("Is of no use where the link writes in one way only", arguments: [true, false])
  func noWindow(commands: Bool) async throws {
    let scene = try await Scene()
    let link = try await scene.open { $0.writeMode = commands ? .commands : .requests }
    #expect(link.proofWindow == nil)
    await scene.bluez.stop(by: scene.soon)
  }
}

extension [UInt8] {
  /// The bytes of lines of capitals; questions are none.
  fileprivate var lines: [UInt8] {
    var lines: [UInt8] = []
    var rest = self[...]
    while let first = rest.first {
      if rest.starts(with: [0x1D, 0x28, 0x48]) {
        rest = rest.dropFirst(11)
      } else if rest.starts(with: [0x1D, 0x72]) || rest.starts(with: [0x10, 0x04]) {
        rest = rest.dropFirst(3)
      } else {
        lines.append(first)
        rest = rest.dropFirst()
      }
    }
    return lines
  }
}
