extension PrinterConversation {
  /// More questions than an earlier host may have left behind a job, in bytes.
  private static let strangerBytes = 64
  /// So many more unanswered questions in a job than parts on their way, and no new one is asked: the printer stands still, or
  /// does not answer.
  private static let spareQuestions = 2
  /// Less of a job is not worth a question.
  private static let leastPart = 256
  /// From how long an answer is on its way questions are asked more often: what waits for one is then as short as may be.
  /// Each costs processor time, so where answers come at once they are fewer.
  private static let farAnswerTime = Duration.milliseconds(25)
  private static let (partsNearby, partsFarAway) = (2, 5)
  /// About what a question takes, so that a part and its question fill up what they share.
  private static let questionLength = 12

  /// The job in parts, with questions between them where they speed up the link.
  ///
  /// The printer must have answered the same question at the gate.
  func parts(of job: [UInt8], seams: [Int]) -> [JobParts.Part] {
    guard link.proofWindow != nil, link.hasBackChannel, profile.fence != .none, ledger.answers > 0
    else { return JobParts(whole: job).parts }
    // On a link that nothing was proven on, an answer to `GS r` may be one to a question in the middle of a lost job, the
    // rest of which the printer still holds.
    if isWarm || profile.fence == .processID { link.trustProofs() }
    guard let window = link.proofWindow, job.count > window else { return JobParts(whole: job).parts }
    // Several parts on their way: while the answer to one is coming, the others keep the radio busy.
    let length = max(Self.leastPart, window / partsOnTheirWay - Self.questionLength)
    return JobParts(job, seams: seams, length: length, window: window).parts
  }

  private var partsOnTheirWay: Int {
    answerTime.map { $0 >= Self.farAnswerTime } ?? false ? Self.partsFarAway : Self.partsNearby
  }

  /// A question behind the first `position` accepted bytes, of which the link is told; empty when none should be asked now.
  func midJobQuestion(behind position: Int) -> [UInt8] {
    guard midJobQuestions.count < partsOnTheirWay + Self.spareQuestions,
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
    let usual = gatePassedAt.advanced(by: Self.quietTime + time(toTake: Self.strangerBytes))
    // One that was asked in the middle of a job is asked more than once, so one answer too many shows that there may be more,
    // as far apart as what the printer holds.
    guard let strayedAt else { return usual }
    return max(usual, strayedAt.advanced(by: Self.quietTime + time(toTake: Self.heldBytes)))
  }

  /// Whether an answer that came now might be one to an earlier host's question.
  var strangersMaySpeak: Bool { strangersEnd.map { clock.now < $0 } ?? false }

  /// Lets answers to an earlier host's questions come before anything is asked that they could be taken to answer: a process
  /// that was killed behind its own fence has left that in the printer's buffer, and the answer to it looks like any other
  /// (`GS r`). They come with the gate's, for nothing stands between them, and are passed over as long as nothing else is
  /// asked. The job is on its way meanwhile, so that this seldom takes any time.
  func outwaitStrangers(by deadline: BootInstant) async throws(LinkError) {
    while let end = strangersEnd.map({ min(deadline, $0) }), clock.now < end {
      _ = try await wait(until: end, for: { false })
    }
  }
}
