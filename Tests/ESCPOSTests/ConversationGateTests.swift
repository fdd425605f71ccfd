import ESCPOS
import PrintTestKit
import Synchronization
import Testing

@Suite("The gate before a job", .timeLimit(.minutes(1)))
struct ConversationGateTests {
  private let clock = ManualClock()
  private var deadline: BootInstant { clock.now.advanced(by: .seconds(10)) }

  private func gate(
    _ printer: ConversationPrinter, _ profile: PrinterProfile
  ) async throws -> (PrinterConversation.Gate, ConversationLink) {
    let clock = clock
    let deadline = clock.now.advanced(by: .seconds(30))
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock)
    let gate = try await moving(clock, link) { try await conversation.gate(by: deadline) }
    await conversation.end()
    return (gate, link)
  }

  @Test(
    "a printer that can print is ready", arguments: [PrinterProfile.Fence.processID, .paperStatus, .none])
  func ready(fence: PrinterProfile.Fence) async throws {
    let (gate, link) = try await gate(ConversationPrinter(), .talking(fence: fence))
    var status = PrinterStatus()
    (status.online, status.coverOpen, status.error, status.paper) = (true, false, false, .present)
    #expect(gate == .ready(status))
    #expect(link.taken.starts(with: [0x10, 0x04, 1, 0x10, 0x04, 2, 0x10, 0x04, 3, 0x10, 0x04, 4]))
    #expect(!link.taken.contains(0x00) || fence == .processID)
  }

  @Test("answers in single bytes are put together")
  func pieces() async throws {
    let (gate, _) = try await gate(ConversationPrinter { $0.piece = 1 }, .talking(fence: .processID))
    guard case .ready = gate else {
      Issue.record("\(gate)")
      return
    }
  }

  @Test(
    "what stands against printing ends the gate, and nothing is queued in the printer",
    arguments: [
      ([0x1E, 0x32, 0x12, 0x72], "paper out"), ([0x1E, 0x16, 0x12, 0x12], "cover open"),
      ([0x1E, 0x52, 0x1A, 0x12], "printer error"), ([0x1E, 0x12, 0x12, 0x12], "printer offline"),
    ] as [([UInt8], String)])
  func notReady(answers: [UInt8], obstacle: String) async throws {
    let printer = ConversationPrinter { state in
      state.realTime = answers
      state.prints = false
    }
    let (gate, link) = try await gate(printer, .talking(fence: .paperStatus))
    guard case .notReady(let status) = gate else {
      Issue.record("\(gate)")
      return
    }
    #expect(status.obstacle == obstacle)
    #expect(link.taken.count == 12)
  }

  @Test("a printer that never answers is silent once the longest raster of its profile would be full")
  func silent() async throws {
    let printer = ConversationPrinter { state in
      state.realTime = [nil, nil, nil, nil]
      state.prints = false
    }
    let start = clock.now
    let (gate, link) = try await gate(printer, .talking(fence: .none))
    #expect(gate == .silent)
    #expect(link.taken.count { $0 == 0 } == 8 + 255 * 48)
    #expect(start.duration(to: clock.now) >= .seconds(12), "a thousand bytes a second, as its profile says")
  }

  @Test("a printer that was silent is not filled up when the caller does not allow it")
  func noDrain() async throws {
    let printer = ConversationPrinter { $0.realTime = [nil, nil, nil, nil] }
    let clock = clock
    let deadline = deadline
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .none), clock: clock)
    let gate = try await moving(clock, link) { try await conversation.gate(by: deadline, drains: false) }
    #expect(gate == .silent)
    #expect(!link.taken.contains(0))
    await conversation.end()
  }

  @Test(
    "a link that has carried nothing but questions may lead to half a raster: it is filled up when paper is back"
  )
  func refilledHalfRaster() async throws {
    let clock = clock
    let printer = ConversationPrinter { state in
      state.rasterRest = 3_000
      state.realTime = [0x1E, 0x32, 0x12, 0x72]
    }
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let deadline = clock.now.advanced(by: .seconds(30))
    let first = PrinterConversation(link: link, profile: try .talking(fence: .paperStatus), clock: clock)
    let out = try await moving(clock, link) { try await first.gate(by: deadline) }
    guard case .notReady = out else {
      Issue.record("\(out)")
      return
    }
    await first.end()
    printer.state.withLock { $0.realTime = [0x16, 0x12, 0x12, 0x12] }
    let second = PrinterConversation(link: link, profile: try .talking(fence: .paperStatus), clock: clock)
    let ready = try await moving(clock, link) { try await second.gate(by: deadline) }
    guard case .ready = ready else {
      Issue.record("\(ready)")
      return
    }
    #expect(printer.state.withLock { $0.rasterRest } == 0)
  }

  @Test("on a link that a job was proven on, silence is asked twice and nothing is filled up")
  func warmLink() async throws {
    let clock = clock
    let printer = ConversationPrinter()
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let first = PrinterConversation(link: link, profile: try .talking(fence: .processID), clock: clock)
    guard case .ready = try await first.gate(by: deadline) else {
      Issue.record("not ready")
      return
    }
    await first.end()
    printer.state.withLock { $0.realTime = [nil, nil, nil, nil] }
    let second = PrinterConversation(
      link: link, profile: try .talking(fence: .processID), clock: clock,
      past: PrinterConversation.Past(isProven: true))
    let before = link.bytesAccepted
    let deadline = deadline
    #expect(try await moving(clock, link) { try await second.gate(by: deadline) } == .silent)
    #expect(link.bytesAccepted - before == 24)
    await second.end()
  }

  @Test("a printer that takes nothing is silent at the deadline")
  func stalled() async throws {
    let clock = clock
    let deadline = deadline
    let link = ConversationLink(clock: clock)
    link.stall(after: 5)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .none), clock: clock)
    #expect(try await moving(clock, link) { try await conversation.gate(by: deadline) } == .silent)
    await conversation.end()
  }

  @Test(
    "a half-received raster is filled up, whether real-time questions are heard inside it or not",
    arguments: [
      true, false,
    ])
  func drain(hearsInsideRaster: Bool) async throws {
    let printer = ConversationPrinter { state in
      state.rasterRest = 12_000
      state.hearsInsideRaster = hearsInsideRaster
    }
    let (gate, link) = try await gate(printer, .talking(fence: .processID))
    guard case .ready = gate else {
      Issue.record("\(gate)")
      return
    }
    #expect(printer.state.withLock { $0.rasterRest } == 0)
    #expect(link.taken.count < 20_000)
  }

  @Test("when only some questions are answered, each is asked by itself and keeps its meaning")
  func someAnswers() async throws {
    let printer = ConversationPrinter { $0.realTime = [0x12, nil, nil, 0x1E] }
    let (gate, _) = try await gate(printer, .talking(fence: .none))
    var expected = PrinterStatus()
    expected.online = true
    expected.paper = .nearEnd
    #expect(gate == .ready(expected))
  }

  @Test("without a back channel nothing is asked")
  func unasked() async throws {
    let mute = ConversationLink(clock: clock, hasBackChannel: false)
    let onMute = PrinterConversation(link: mute, profile: try .talking(fence: .processID), clock: clock)
    #expect(try await onMute.gate(by: deadline) == .unasked)
    let link = ConversationLink(clock: clock)
    let plain = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .none), clock: clock)
    #expect(try await plain.gate(by: deadline) == .unasked)
    #expect(mute.bytesAccepted == 0 && link.bytesAccepted == 0)
  }

  @Test("a lost link is told as lost")
  func lost() async throws {
    let link = ConversationLink(clock: clock)
    link.lose(after: 6)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .none), clock: clock)
    let error = await #expect(throws: LinkError.self) { try await conversation.gate(by: deadline) }
    #expect(error?.code == .lost)
    await conversation.end()
  }

  @Test("a cancelled gate ends at once")
  func cancelled() async throws {
    let link = ConversationLink(clock: clock)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .none), clock: clock)
    let deadline = deadline
    let asking = Task { try await conversation.gate(by: deadline) }
    await clock.sleepers(atLeast: 1)
    asking.cancel()
    let result = await asking.result
    #expect(throws: LinkError.self) { try result.get() }
    await conversation.end()
  }
}
