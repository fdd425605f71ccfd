import ESCPOS
import PrintTestKit
import Synchronization
import Testing

/// The gate on a link that a job was proven on, of a printer that has answered there before.
@Suite("The gate on a warm link", .timeLimit(.minutes(1)))
struct ConversationWarmGateTests {
  private typealias Past = PrinterConversation.Past
  private let clock = ManualClock()
  private let realTime: [UInt8] = [0x10, 0x04, 1, 0x10, 0x04, 2, 0x10, 0x04, 3, 0x10, 0x04, 4]

  /// What came of a gate.
  private struct Asked {
    var gate: PrinterConversation.Gate
    var sends: [(bytes: [UInt8], isAhead: Bool)]
    var past: Past
    var isReady: Bool { if case .ready = gate { true } else { false } }
  }

  /// One gate over the link, with what the one before has left; `isProven` says that a job was printed behind it.
  private func ask(
    _ link: ConversationLink, _ profile: PrinterProfile, _ past: Past, isProven: Bool = true
  ) async throws -> Asked {
    let before = link.sends.count
    let deadline = clock.now.advanced(by: .seconds(30))
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock, past: past)
    let gate = try await moving(clock, link) { try await conversation.gate(by: deadline) }
    try await moving(clock, heard: {}) { await conversation.end() }
    let left = Past(
      openQuestions: await conversation.openQuestions, isProven: isProven, joining: await conversation.joining
    )
    return Asked(gate: gate, sends: Array(link.sends.dropFirst(before)), past: left)
  }

  private func link(to printer: ConversationPrinter) -> ConversationLink {
    ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
  }

  @Test(
    "a printer that has answered one question after the other is asked both in one go, and not before",
    arguments: [PrinterProfile.Fence.processID, .paperStatus])
  func joint(fence: PrinterProfile.Fence) async throws {
    let link = link(to: ConversationPrinter())
    let profile = try PrinterProfile.talking(fence: fence)
    let first = try await ask(link, profile, Past())
    #expect(first.isReady && first.sends.map(\.bytes.count) == [12, fence == .processID ? 11 : 3])
    #expect(first.sends.allSatisfy { !$0.isAhead }, "whether the printer takes anything is not known yet")
    var past = first.past
    for _ in 1...3 {
      let next = try await ask(link, profile, past)
      #expect(next.isReady && next.sends.count == 1)
      #expect(next.sends.first?.bytes.starts(with: realTime) == true)
      #expect(next.sends.first?.isAhead == true, "the answers show that the questions have come")
      #expect(next.past.openQuestions == 0)
      past = next.past
    }
  }

  @Test("without a proof on this link, each question is asked by itself")
  func unproven() async throws {
    let link = link(to: ConversationPrinter())
    let profile = try PrinterProfile.talking(fence: .processID)
    let first = try await ask(link, profile, Past(), isProven: false)
    #expect(try await ask(link, profile, first.past).sends.map(\.bytes.count) == [12, 11])
  }

  @Test(
    "a printer that throws away what follows real-time questions is asked again, and never in one go any more",
    arguments: [PrinterProfile.Fence.processID, .paperStatus])
  func dropsWhatFollows(fence: PrinterProfile.Fence) async throws {
    let printer = ConversationPrinter { $0.dropsWhatFollows = true }
    let link = link(to: printer)
    let profile = try PrinterProfile.talking(fence: fence)
    let length = fence == .processID ? 11 : 3
    var past = try await ask(link, profile, Past()).past
    let tried = try await ask(link, profile, past)
    #expect(tried.isReady && tried.sends.map(\.bytes.count) == [12 + length, length])
    past = tried.past
    for _ in 1...2 {
      let careful = try await ask(link, profile, past)
      #expect(careful.isReady && careful.sends.map(\.bytes.count) == [12, length])
      past = careful.past
    }
  }

  @Test("a printer that sleeps through the questions is asked them again one by one")
  func sleepy() async throws {
    let printer = ConversationPrinter()
    let link = link(to: printer)
    let profile = try PrinterProfile.talking(fence: .paperStatus)
    let past = try await ask(link, profile, Past()).past
    printer.state.withLock { $0.sleepy = 1 }
    let woken = try await ask(link, profile, past)
    #expect(woken.isReady && woken.sends.map(\.bytes.count) == [15, 12, 3])
    #expect(try await ask(link, profile, woken.past).sends.map(\.bytes.count) == [12, 3])
  }

  @Test("where some real-time questions stay open, each is asked by itself, the one in turn not again")
  func someAnswers() async throws {
    let printer = ConversationPrinter()
    let link = link(to: printer)
    let profile = try PrinterProfile.talking(fence: .processID)
    let past = try await ask(link, profile, Past()).past
    printer.state.withLock { $0.mostAtOnce = 2 }
    let asked = try await ask(link, profile, past)
    #expect(asked.isReady && asked.sends.map(\.bytes.count) == [23, 3, 3, 3, 3])
    #expect(try await ask(link, profile, asked.past).sends.first?.bytes.count == 12)
  }

  @Test(
    "an obstacle is told without waiting for the answer in turn, which is not asked for again while it stands"
  )
  func paperOut() async throws {
    let printer = ConversationPrinter()
    let link = link(to: printer)
    let profile = try PrinterProfile.talking(fence: .paperStatus)
    var past = try await ask(link, profile, Past()).past
    printer.state.withLock { state in
      state.realTime = [0x1E, 0x32, 0x12, 0x72]
      state.prints = false
    }
    let out = try await ask(link, profile, past)
    guard case .notReady(let status) = out.gate else {
      Issue.record("\(out.gate)")
      return
    }
    #expect(status.obstacle == "paper out")
    #expect(out.sends.map(\.bytes.count) == [15] && out.past.openQuestions == 1)
    past = out.past
    for _ in 1...3 { past = try await ask(link, profile, past).past }
    #expect(past.openQuestions == 1, "nothing more is queued in a printer that stands still")
    printer.state.withLock { $0.realTime = [0x16, 0x12, 0x12, 0x12] }
    link.say(printer.resume())
    let back = try await ask(link, profile, past)
    #expect(back.isReady && back.sends.map(\.bytes.count) == [12, 3])
  }

  @Test("a printer that does not get to the question in turn is busy, and passes when it does")
  func busy() async throws {
    let printer = ConversationPrinter()
    let link = link(to: printer)
    let profile = try PrinterProfile.talking(fence: .processID)
    let past = try await ask(link, profile, Past()).past
    printer.state.withLock { $0.prints = false }
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock, past: past)
    let deadline = clock.now.advanced(by: .seconds(3))
    let gate = try await moving(clock, link) { try await conversation.gate(by: deadline) }
    guard case .busy = gate else {
      Issue.record("\(gate)")
      return
    }
    link.say(printer.resume())
    let later = clock.now.advanced(by: .seconds(3))
    let passed = try await moving(clock, link) { try await conversation.gate(by: later) }
    guard case .ready = passed else {
      Issue.record("\(passed)")
      return
    }
    await conversation.end()
  }

  @Test("a profile that knows one question alone asks that", arguments: [true, false])
  func oneQuestion(dleEOT: Bool) async throws {
    let link = link(to: ConversationPrinter())
    let profile = try PrinterProfile.talking(dleEOT: dleEOT, fence: dleEOT ? .none : .paperStatus)
    var past = try await ask(link, profile, Past()).past
    for _ in 1...2 {
      let asked = try await ask(link, profile, past)
      #expect(asked.sends.map(\.bytes.count) == [dleEOT ? 12 : 3])
      past = asked.past
    }
  }
}
