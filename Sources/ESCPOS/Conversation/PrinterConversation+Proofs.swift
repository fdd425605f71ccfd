extension PrinterConversation {
  /// More questions than an earlier host may have left behind a job, in bytes.
  private static let strangerBytes = 64
  /// More unanswered questions in a job, and no new one is asked: the printer stands still, or does not answer.
  private static let mostMidJobQuestions = 4
  /// Less of a job is not worth a question.
  private static let leastPart = 256
  /// About what a question takes, so that a part and its question fill up what they share.
  private static let questionLength = 12

  /// The job in parts, with questions between them where they speed up the link.
  ///
  /// The printer must have answered the same question at the gate.
  func parts(of job: [UInt8], seams: [Int]) -> [JobParts.Part] {
    guard let window = link.proofWindow, link.hasBackChannel, profile.fence != .none, ledger.answers > 0
    else { return JobParts(whole: job).parts }
    link.trustProofs()
    guard job.count > window else { return JobParts(whole: job).parts }
    // Two parts on their way: while the answer to one is coming, the other keeps the radio busy.
    let length = max(Self.leastPart, window / 2 - Self.questionLength)
    return JobParts(job, seams: seams, length: length, window: window).parts
  }

  /// A question behind the first `position` accepted bytes, of which the link is told; empty when none should be asked now.
  func midJobQuestion(behind position: Int) -> [UInt8] {
    guard midJobQuestions.count < Self.mostMidJobQuestions,
      let question = ledger.midJobQuestion(profile.fence)
    else { return [] }
    midJobQuestions.append((question, position))
    link.expectProof(of: position, askedBy: position + question.command.count)
    return question.command
  }

  /// Tells the link what the answers so far prove.
  func tellProofs() {
    guard ledger.showsInMidJob(profile.fence),
      let last = midJobQuestions.lastIndex(where: { ledger.isAnswered($0.question) })
    else { return }
    link.prove(upTo: midJobQuestions[last].position)
    midJobQuestions.removeFirst(last + 1)
  }

  /// Until when answers to an earlier host's questions may come.
  private var strangersEnd: BootInstant? {
    guard profile.fence == .paperStatus, let gatePassedAt else { return nil }
    return gatePassedAt.advanced(by: Self.quietTime + time(toTake: Self.strangerBytes))
  }

  /// Whether an answer that came now might be one to an earlier host's question.
  var strangersMaySpeak: Bool { strangersEnd.map { clock.now < $0 } ?? false }

  /// Lets answers to an earlier host's questions come before anything is asked that they could be taken to answer: a process
  /// that was killed behind its own fence has left that in the printer's buffer, and the answer to it looks like any other
  /// (`GS r`). They come with the gate's, for nothing stands between them, and are passed over as long as nothing else is
  /// asked. The job is on its way meanwhile, so that this seldom takes any time.
  func outwaitStrangers(by deadline: BootInstant) async throws(LinkError) {
    guard let strangersEnd else { return }
    _ = try await wait(until: min(deadline, strangersEnd), for: { false })
  }
}
