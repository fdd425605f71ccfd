import ESCPOS
import PrintTestKit
import Synchronization
import Testing

@Suite("Questions in the middle of a job", .timeLimit(.minutes(1)))
struct ConversationProofTests {
  private let clock = ManualClock()
  private var deadline: BootInstant { clock.now.advanced(by: .seconds(10)) }
  /// 300 lines of 33 bytes.
  private let job = [[UInt8]](repeating: [UInt8](repeating: 0x41, count: 32) + [0x0A], count: 300).flatMap {
    $0
  }
  private let seams = Array(stride(from: 33, through: 9_900, by: 33))

  /// A conversation on a link that a job was proven on, behind its gate.
  private func conversation(
    _ link: ConversationLink, _ fence: PrinterProfile.Fence
  ) async throws -> PrinterConversation {
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: fence), clock: clock, past: .init(isProven: true))
    guard case .ready = try await conversation.gate(by: deadline) else {
      Issue.record("not ready")
      return conversation
    }
    return conversation
  }

  private func link(_ printer: ConversationPrinter, window: Int? = 2_048) -> ConversationLink {
    ConversationLink(clock: clock, proofWindow: window) { sent, _ in printer.answer(sent) }
  }

  @Test(
    "the first bytes of a job are one write, and the peer's word is waited for behind the last of all alone",
    arguments: [PrinterProfile.Fence.processID, .paperStatus, .none])
  func ahead(fence: PrinterProfile.Fence) async throws {
    let printer = ConversationPrinter()
    let link = ConversationLink(clock: clock, writeLimit: 182) { sent, _ in printer.answer(sent) }
    let conversation = try await conversation(link, fence)
    let gate = link.sends.count
    let told = Mutex<[Int]>([])
    try await conversation.send(job, by: deadline) { told.withLock { $0.append(link.bytesAccepted) } }
    let sends = link.sends.dropFirst(gate)
    #expect(sends.map(\.bytes.count) == [182, 4_096, 4_096, 1_526])
    #expect(sends.map(\.isAhead) == [true, true, true, fence != .none])
    #expect(told.withLock { $0.count } == 1)
    #expect(
      told.withLock { $0.first } == link.bytesAccepted - job.count + 182, "and the first byte is told then")
    let (clock, deadline) = (clock, deadline)
    _ = try await moving(clock, link) { try await conversation.fence(by: deadline) }
    #expect(link.sends.last?.isAhead == false)
    await conversation.end()
  }

  @Test("stand closer the longer answers are on their way", arguments: [(0, 2), (24, 2), (25, 5), (60, 5)])
  func distance(milliseconds: Int, parts: Int) async throws {
    let printer = ConversationPrinter()
    let clock = clock
    let link = ConversationLink(clock: clock, proofWindow: 3_584) { sent, _ in
      if sent.starts(with: [0x10, 0x04]) { clock.advance(by: .milliseconds(milliseconds)) }
      return printer.answer(sent)
    }
    let conversation = try await conversation(link, .processID)
    try await conversation.send(job, seams: seams, by: deadline) {}
    let gaps = zip(link.expected, link.expected.dropFirst()).map { $1 - $0 }
    #expect(!gaps.isEmpty)
    // Seams are 33 bytes apart, and the question's own bytes come on top.
    #expect(gaps.allSatisfy { (3_584 / parts - 45...3_584 / parts + 12).contains($0) }, "\(gaps)")
    await conversation.end()
  }

  @Test(
    "stand between the parts of a long job, are told to the link, and so are their answers",
    arguments: [PrinterProfile.Fence.processID, .paperStatus])
  func asked(fence: PrinterProfile.Fence) async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = try await conversation(link, fence)
    let gate = link.bytesAccepted
    for line in 0..<10 {
      // The printer's answers are heard between one send and the next.
      let before = link.bytesAccepted
      try await conversation.send(job, seams: seams, by: deadline) {}
      await link.heard()
      let wire = link.taken.dropFirst(before)
      #expect(
        wire.count - job.count == wire.count { $0 == 0x1D } * (fence == .processID ? 11 : 3), "job \(line)")
      #expect(await conversation.jobBytesAccepted == job.count)
    }
    let expected = link.expected
    #expect(expected.count >= 10)
    for position in expected {
      #expect(link.taken[position - 1] == 0x0A, "behind a line")
      #expect(link.taken[position] == 0x1D, "a question")
    }
    let (clock, deadline) = (clock, deadline)
    #expect(try await moving(clock, link) { try await conversation.fence(by: deadline) } == .proven)
    let proofs = link.proofs
    #expect(proofs.dropLast().allSatisfy { expected.contains($0) })
    #expect(proofs == proofs.sorted())
    #expect(proofs.last.map { $0 > gate && link.bytesAccepted - $0 <= 12 } == true, "the fence proves it all")
    await conversation.end()
  }

  @Test("are not asked where the link gains nothing, the printer cannot answer, or the job fits anyway")
  func unasked() async throws {
    let short = Array(job.prefix(2_048))
    for (window, fence, bytes, seams) in [
      (nil, PrinterProfile.Fence.paperStatus, job, self.seams), (2_048, .none, job, self.seams),
      (2_048, .paperStatus, short, self.seams), (2_048, .processID, job, []),
      (20_000, .processID, job, self.seams),
    ] {
      let link = link(ConversationPrinter(), window: window)
      let conversation = try await conversation(link, fence)
      let before = link.bytesAccepted
      try await conversation.send(bytes, seams: seams, by: deadline) {}
      #expect(link.taken.dropFirst(before).elementsEqual(bytes))
      #expect(link.expected.isEmpty)
      await conversation.end()
    }
    // Nobody has asked the printer yet.
    let link = link(ConversationPrinter())
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: .paperStatus), clock: clock)
    try await conversation.send(job, seams: seams, by: deadline) {}
    #expect(link.taken == job)
    await conversation.end()
  }

  @Test("do not count as the job's bytes, wherever the link is lost")
  func lost() async throws {
    for count in stride(from: 1, through: 9_900, by: 397) {
      let link = link(ConversationPrinter())
      let conversation = try await conversation(link, .paperStatus)
      let before = link.bytesAccepted
      link.lose(after: before + count)
      let (job, seams, deadline) = (job, seams, deadline)
      let sending = Task { try await conversation.send(job, seams: seams, by: deadline) {} }
      let result = await sending.result
      let error = #expect(throws: LinkError.self) { try result.get() }
      #expect(error?.code == .lost)
      let own = link.taken.dropFirst(before).filter { $0 == 0x41 || $0 == 0x0A }.count
      #expect(await conversation.jobBytesAccepted == own)
      await conversation.end()
    }
  }

  @Test("are few while none is answered, and an answer said twice proves nothing more")
  func silentAndDoubled() async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = try await conversation(link, .paperStatus)
    printer.state.withLock { $0.prints = false }
    try await conversation.send(job, seams: seams, by: deadline) {}
    let expected = link.expected
    #expect(expected.count == 4)
    link.say([0])
    await link.heard()
    #expect(link.proofs.isEmpty, "one of two")
    link.say([0])
    await link.heard()
    #expect(link.proofs == [expected[0]])
    link.say([0, 0, 0])
    await link.heard()
    #expect(link.proofs == [expected[0], expected[1]])
    // The eighth answer may be the seventh, said twice: it proves the fourth question, and not the job.
    link.say([0, 0, 0])
    await link.heard()
    #expect(link.proofs.last == expected[3])
    let soon = clock.now.advanced(by: .milliseconds(500))
    let clock = clock
    let fence = try await moving(clock, link) { try await conversation.fence(by: soon) }
    guard case .missing = fence else {
      Issue.record("\(fence)")
      return
    }
    // One answer more than was asked for in the job, or three, and the fence is still not answered; with its own four it is.
    link.say([0, 0, 0])
    await link.heard()
    let later = clock.now.advanced(by: .milliseconds(500))
    guard case .missing = try await moving(clock, link, { try await conversation.fence(by: later) }) else {
      Issue.record("proven by an answer to a question before it")
      return
    }
    link.say([0])
    #expect(try await conversation.fence(by: self.deadline) == .proven)
    await conversation.end()
  }

  @Test("end with an answer that no question can have")
  func stray() async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = try await conversation(link, .paperStatus)
    link.say([0])
    await link.heard()
    let before = link.bytesAccepted
    try await conversation.send(job, seams: seams, by: deadline) {}
    #expect(link.taken.dropFirst(before).elementsEqual(job))
    await conversation.end()
  }

  @Test("wait on a new link until an earlier host's answers must be over, while the job is on its way")
  func strangers() async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: .paperStatus), clock: clock)
    guard case .ready = try await conversation.gate(by: deadline) else {
      Issue.record("not ready")
      return
    }
    let before = link.bytesAccepted
    let (job, seams, deadline) = (job, seams, deadline)
    let sending = Task { try await conversation.send(job, seams: seams, by: deadline) {} }
    await clock.sleepers(atLeast: 1)
    #expect(link.expected.isEmpty)
    #expect(link.taken.dropFirst(before).elementsEqual(job.prefix(link.bytesAccepted - before)))
    #expect(link.bytesAccepted - before > 900)
    // The earlier host's answer.
    link.say([0])
    await link.heard()
    let clock = clock
    try await moving(clock, link) { try await sending.value }
    #expect(link.taken.dropFirst(before).elementsEqual(job), "nothing is asked any more")
    await conversation.end()
  }

  @Test(
    "let more go ahead only where an answer is surely to a question of this conversation, or the link has proven a job",
    arguments: [PrinterProfile.Fence.processID, .paperStatus, .none], [true, false])
  func trusted(fence: PrinterProfile.Fence, isWarm: Bool) async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: fence), clock: clock, past: .init(isProven: isWarm))
    let (clock, deadline, job, seams) = (clock, deadline, job, seams)
    try await moving(clock, link) {
      _ = try await conversation.gate(by: deadline)
      try await conversation.send(job, seams: seams, by: deadline) {}
    }
    #expect((link.trusts > 0) == (fence == .processID || (fence == .paperStatus && isWarm)))
    await conversation.end()
  }

  @Test("that a lost link has left open are settled by the next job that is proven")
  func settled() async throws {
    let printer = ConversationPrinter()
    let link = link(printer)
    let conversation = PrinterConversation(
      link: link, profile: try .talking(fence: .paperStatus), clock: clock,
      past: .init(openQuestions: 8, isProven: true))
    let (clock, deadline, job, seams) = (clock, deadline, job, seams)
    guard case .ready = try await conversation.gate(by: deadline) else {
      Issue.record("not ready")
      return
    }
    let before = link.bytesAccepted
    try await conversation.send(job, seams: seams, by: deadline) {}
    #expect(link.taken.dropFirst(before).elementsEqual(job), "too many are open to ask in mid-job")
    #expect(try await moving(clock, link) { try await conversation.fence(by: deadline) } == .proven)
    #expect(await conversation.openQuestions == 8)
    let ending = Task { await conversation.end() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(150))
    await ending.value
    #expect(await conversation.openQuestions == 0)
  }

  @Test("XOFF holds a job with questions until XON")
  func flowControl() async throws {
    let link = link(ConversationPrinter())
    let conversation = try await conversation(link, .processID)
    link.say([0x13])
    await link.heard()
    let before = link.bytesAccepted
    let (job, seams, deadline) = (job, seams, deadline)
    let sending = Task { try await conversation.send(job, seams: seams, by: deadline) {} }
    await clock.sleepers(atLeast: 1)
    #expect(link.bytesAccepted == before)
    link.say([0x11])
    try await sending.value
    #expect(link.bytesAccepted >= before + job.count)
    await conversation.end()
  }
}
