import ESCPOS
import PrintTestKit
import Synchronization
import Testing

@Suite("A job and the fence behind it", .timeLimit(.minutes(1)))
struct ConversationFenceTests {
  private let clock = ManualClock()
  private var deadline: BootInstant { clock.now.advanced(by: .seconds(10)) }
  private let job = [UInt8](repeating: 0x41, count: 10_000)

  /// Ends a conversation, the time that it waits for late answers included.
  private func end(_ conversation: PrinterConversation, _ link: ConversationLink) async throws {
    let hasEnded = Mutex(false)
    let ending = Task {
      await conversation.end()
      hasEnded.withLock { $0 = true }
    }
    while !hasEnded.withLock({ $0 }) {
      clock.advance(by: .milliseconds(50))
      await Task.yield()
    }
    await ending.value
  }

  @Test(
    "the answer to the fence proves the print", arguments: [PrinterProfile.Fence.processID, .paperStatus])
  func proven(fence: PrinterProfile.Fence) async throws {
    let printer = ConversationPrinter()
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: fence), clock: clock)
    guard case .ready = try await conversation.gate(by: deadline) else {
      Issue.record("not ready")
      return
    }
    let asked = link.bytesAccepted
    let firstBytes = Mutex(0)
    try await conversation.send(job, by: deadline) { firstBytes.withLock { $0 += 1 } }
    #expect(firstBytes.withLock { $0 } == 1)
    #expect(await conversation.jobBytesAccepted == job.count)
    #expect(link.taken.dropFirst(asked).elementsEqual(job))
    let (clock, deadline) = (clock, deadline)
    #expect(try await moving(clock, link) { try await conversation.fence(by: deadline) } == .proven)
    try await end(conversation, link)
  }

  @Test("without an answer the fence is missing, says why, and can be waited for again")
  func missing() async throws {
    let printer = ConversationPrinter { $0.prints = false }
    let link = ConversationLink(clock: clock) { sent, _ in printer.answer(sent) }
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .processID), clock: clock)
    try await conversation.send(job, by: deadline) {}
    printer.state.withLock { $0.realTime = [0x1E, 0x32, 0x12, 0x72] }
    let (clock, deadline) = (clock, deadline)
    let fence = try await moving(clock, link) { try await conversation.fence(by: deadline) }
    guard case .missing(let status) = fence else {
      Issue.record("\(fence)")
      return
    }
    #expect(status.obstacle == "paper out")
    #expect((4...48).contains(printer.state.withLock { $0.realTimeQuestions }))
    link.say(printer.resume())
    #expect(try await conversation.fence(by: self.deadline) == .proven)
    #expect(printer.state.withLock { $0.identifiers } == 1)
    try await end(conversation, link)
  }

  @Test("answers that come behind the proof do not prove the next job on the same link")
  func answersLeftOver() async throws {
    let link = ConversationLink(clock: clock)
    let profile = try PrinterProfile.talking(dleEOT: false, fence: .paperStatus)
    let first = PrinterConversation(link: link, profile: profile, clock: clock)
    let (clock, deadline) = (clock, deadline)
    // A printer that is slow to wake: the gate's questions are open when the job is sent, so the fence is asked several
    // times, and all of its answers come at once.
    #expect(try await moving(clock, link) { try await first.gate(by: deadline) } == .silent)
    let gate = link.taken.count { $0 == 0x72 }
    try await first.send(job, by: self.deadline) {}
    let later = self.deadline
    let sent = link.bytesAccepted
    let fence = Task { try await first.fence(by: later) }
    await link.taken(atLeast: sent + 1)
    let fences = link.taken.count { $0 == 0x72 } - gate
    #expect(fences > 1)
    link.say([UInt8](repeating: 0, count: fences))
    #expect(try await fence.value == .proven)
    // They are said while the first conversation waits them out, or stay for the second.
    let ending = Task { await first.end() }
    await clock.sleepers(atLeast: 1)
    link.say([UInt8](repeating: 0, count: gate))
    await link.heard()
    clock.advance(by: .seconds(1))
    await ending.value

    let second = PrinterConversation(link: link, profile: profile, clock: clock)
    let soon = clock.now.advanced(by: .milliseconds(500))
    let answer = try await moving(clock, link) { try await second.gate(by: soon) }
    #expect(answer == .silent, "nothing has answered the second question")
    await second.end()
  }

  @Test("a printer that cannot be asked and has hung up since the last job is noticed before the next")
  func hungUp() async throws {
    let link = ConversationLink(clock: clock)
    let profile = try PrinterProfile.talking(dleEOT: false, fence: .none)
    let first = PrinterConversation(link: link, profile: profile, clock: clock)
    #expect(try await first.gate(by: deadline) == .unasked)
    try await first.send(job, by: deadline) {}
    await first.end()
    await link.close()
    let second = PrinterConversation(link: link, profile: profile, clock: clock)
    await #expect(throws: LinkError.self) { try await second.gate(by: self.deadline) }
    #expect(link.bytesAccepted == job.count)
    await second.end()
  }

  @Test("an identifier of somebody else is no proof")
  func otherIdentifier() async throws {
    let link = ConversationLink(clock: clock) { sent, _ in
      sent.starts(with: [0x1D, 0x28, 0x48])
        ? [[0x37, 0x22, 0x00], [0x37, 0x22, 0x21, 0x21, 0x21, 0x20, 0x00]] : []
    }
    let conversation = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .processID), clock: clock)
    try await conversation.send(job, by: deadline) {}
    let (clock, deadline) = (clock, deadline)
    let fence = try await moving(clock, link) { try await conversation.fence(by: deadline) }
    #expect(fence == .missing(PrinterStatus()))
    try await end(conversation, link)
  }

  @Test("an answer to GS r that nobody asked for, or that is late, is no proof")
  func lateTransmission() async throws {
    let link = ConversationLink(clock: clock)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .paperStatus), clock: clock)
    let (clock, deadline) = (clock, deadline)
    // The gate's questions stay without an answer: the printer may still be busy with them.
    #expect(try await moving(clock, link) { try await conversation.gate(by: deadline) } == .silent)
    let open = link.taken.count { $0 == 0x72 }
    let later = self.deadline
    try await conversation.send(job, by: later) {}
    link.say([UInt8](repeating: 0, count: open))
    await link.heard()
    let asked = link.taken.count
    let fence = Task { try await conversation.fence(by: later) }
    await link.taken(atLeast: asked + 3)
    await link.heard()
    #expect(link.taken.suffix(3) == [0x1D, 0x72, 0x01])
    link.say([0x00])
    #expect(try await fence.value == .proven)
    link.say([0x00, 0x00])
    await link.heard()
    try await end(conversation, link)
  }

  @Test("questions that were swallowed are made up for")
  func swallowed() async throws {
    let link = ConversationLink(clock: clock)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .paperStatus), clock: clock)
    let (clock, deadline) = (clock, deadline)
    #expect(try await moving(clock, link) { try await conversation.gate(by: deadline) } == .silent)
    let open = link.taken.count { $0 == 0x72 }
    let later = self.deadline
    try await conversation.send(job, by: later) {}
    let asked = link.taken.count
    let fence = Task { try await conversation.fence(by: later) }
    await link.taken(atLeast: asked + 3 * (open + 1))
    link.say([UInt8](repeating: 0, count: open + 1))
    #expect(try await fence.value == .proven)
    try await end(conversation, link)
  }

  @Test("as many answers as there were open questions are no proof")
  func onlyLate() async throws {
    let link = ConversationLink(clock: clock)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .paperStatus), clock: clock)
    let (clock, deadline) = (clock, deadline)
    #expect(try await moving(clock, link) { try await conversation.gate(by: deadline) } == .silent)
    let open = link.taken.count { $0 == 0x72 }
    let later = self.deadline
    try await conversation.send(job, by: later) {}
    let asked = link.taken.count
    let fence = Task { try await conversation.fence(by: later) }
    await link.taken(atLeast: asked + 3 * (open + 1))
    link.say([UInt8](repeating: 0, count: open))
    await link.heard()
    await clock.sleepers(atLeast: 1)
    guard case .missing = try await moving(clock, link, { try await fence.value }) else {
      Issue.record("proven by late answers")
      return
    }
    try await end(conversation, link)
  }

  @Test("without a back channel the link's barrier and the drain time stand in for the fence")
  func unconfirmed() async throws {
    let link = ConversationLink(clock: clock, hasBackChannel: false)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: .processID, bytesPerSecond: 2_000), clock: clock)
    let start = clock.now
    try await conversation.send(job, by: deadline) {}
    let (clock, deadline) = (clock, deadline)
    let fence = try await moving(clock, link) { try await conversation.fence(by: deadline) }
    #expect(fence == .unconfirmed)
    #expect(link.flushes == 1)
    #expect(start.duration(to: clock.now) >= .seconds(5))
    #expect(link.taken == job)
  }

  @Test("a drain time that does not fit before the deadline is not claimed")
  func drainTooLong() async throws {
    let link = ConversationLink(clock: clock, hasBackChannel: false)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: .none, bytesPerSecond: 100), clock: clock)
    try await conversation.send(job, by: deadline) {}
    let (clock, deadline) = (clock, deadline)
    let fence = try await moving(clock, link) { try await conversation.fence(by: deadline) }
    #expect(fence == .missing(PrinterStatus()))
  }

  @Test("a link that goes in mid-job says how much it took, and that the first byte went")
  func lostInMidJob() async throws {
    let link = ConversationLink(clock: clock)
    link.lose(after: 100)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .processID), clock: clock)
    let firstBytes = Mutex(0)
    let error = await #expect(throws: LinkError.self) {
      try await conversation.send(job, by: deadline) { firstBytes.withLock { $0 += 1 } }
    }
    #expect(error?.code == .lost)
    #expect(firstBytes.withLock { $0 } == 1)
    #expect(await conversation.jobBytesAccepted == 100)
    try await end(conversation, link)
  }

  @Test("a link that takes nothing says so, and the first byte is not told")
  func lostBeforeJob() async throws {
    let link = ConversationLink(clock: clock)
    link.lose(after: 0)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .processID), clock: clock)
    let firstBytes = Mutex(0)
    await #expect(throws: LinkError.self) {
      try await conversation.send(job, by: deadline) { firstBytes.withLock { $0 += 1 } }
    }
    #expect(firstBytes.withLock { $0 } == 0)
    #expect(await conversation.jobBytesAccepted == 0)
    try await end(conversation, link)
  }

  @Test("a printer that stops in mid-job is waited for, and what it told by itself is known")
  func stopsInMidJob() async throws {
    let link = ConversationLink(clock: clock)
    link.stall(after: 5_000)
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .processID), clock: clock)
    let (clock, deadline, job) = (clock, deadline, job)
    let sending = Task { try await conversation.send(job, by: deadline) {} }
    await link.taken(atLeast: 5_000)
    link.say([0x18, 0x00, 0x0C, 0x00])
    await link.heard()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let result = await sending.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    #expect(await conversation.jobBytesAccepted == 5_000)
    #expect(await conversation.status.obstacle == "paper out")
    try await end(conversation, link)
  }

  @Test("XOFF holds the job until XON")
  func flowControl() async throws {
    let link = ConversationLink(clock: clock) { _, all in all.count == 256 ? [[0x13]] : [] }
    let conversation = PrinterConversation(link: link, profile: try .talking(fence: .none), clock: clock)
    _ = try await conversation.send([UInt8](repeating: 1, count: 256), by: deadline) {}
    await link.heard()
    let (deadline, job) = (deadline, job)
    let sending = Task { try await conversation.send(job, by: deadline) {} }
    await clock.sleepers(atLeast: 1)
    #expect(link.bytesAccepted == 256)
    link.say([0x11])
    try await sending.value
    #expect(link.bytesAccepted == 256 + job.count)
    try await end(conversation, link)
  }

  @Test("the end of the conversation ends whoever waits in it")
  func end() async throws {
    let link = ConversationLink(clock: clock)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(dleEOT: false, fence: .processID), clock: clock)
    let deadline = deadline
    let waiting = Task { try await conversation.fence(by: deadline) }
    await clock.sleepers(atLeast: 1)
    try await end(conversation, link)
    let result = await waiting.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .cancelled)
    try await end(conversation, link)
  }
}
