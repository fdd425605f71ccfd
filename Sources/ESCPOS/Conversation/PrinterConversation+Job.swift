extension PrinterConversation {
  /// How often the status is asked while the fence is waited for.
  static let pollTime = Duration.seconds(1)
  private static let patientPolls = 3
  private static let firstChunk = 256
  private static let chunk = 4_096
  /// More questions than an earlier host may have left behind a job, in bytes.
  private static let strangerBytes = 64

  /// Sends the job.
  ///
  /// A printer that runs out of paper or is opened in mid-job goes offline and stops taking data. Nothing is thrown
  /// away then: the bytes wait in the link, this call waits for the printer, and when the deadline comes it fails with
  /// `.deadline` while ``status`` says what the printer told by itself. Questions are never mixed into the job,
  /// since a raster would swallow them. Between chunks, `XOFF` holds the job until `XON`.
  ///
  /// - Parameters:
  ///   - bytes: The rendered job.
  ///   - deadline: No new write starts after it.
  ///   - firstByte: Called once, when the link has taken the first byte: from then on something may be on paper.
  /// - Throws: ``LinkError``; ``jobBytesAccepted`` says how much of the job the link took before.
  public func send(
    _ bytes: [UInt8], by deadline: BootInstant, firstByte: @Sendable () -> Void
  ) async throws(LinkError) {
    startReading()
    try await put([], by: deadline)
    let accepted = link.bytesAccepted
    var told = false
    func note() {
      let count = link.bytesAccepted - accepted
      guard count > 0 else { return }
      job = (job?.start ?? clock.now, count)
      if !told { firstByte() }
      told = true
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      guard try await wait(until: deadline, for: { !isPaused }) else {
        throw LinkError(.deadline, "the printer asked for a pause (XOFF) and did not end it")
      }
      let part = rest.prefix(told ? Self.chunk : Self.firstChunk)
      do throws(LinkError) {
        try await link.send(part, by: deadline)
      } catch {
        note()
        throw error
      }
      note()
      rest = rest.dropFirst(part.count)
    }
  }

  /// Waits for the proof that the job is on paper.
  ///
  /// A printer with a fence is asked behind the job and answers when it gets there; meanwhile its real-time status is
  /// asked now and then, so that ``Fence/missing(_:)`` can say why. Called again after `.missing`, it goes on waiting
  /// for the same answer. Without a fence, the link's barrier is waited for, and then for the time that the printer
  /// takes for the job's bytes by its profile.
  ///
  /// - Returns: ``Fence``; `.missing` when `deadline` came before the answer or before the drain time was over.
  /// - Throws: ``LinkError`` with `.lost`, `.cancelled`, or `.deadline` when not even the link's barrier was reached:
  ///   the job may be on paper in part.
  public func fence(by deadline: BootInstant) async throws(LinkError) -> Fence {
    guard link.hasBackChannel, profile.fence != .none else { return try await drainTime(by: deadline) }
    startReading()
    guard let question = try await askFence(by: deadline) else { return .missing(status) }
    while true {
      let poll = min(deadline, clock.now.advanced(by: Self.pollTime))
      if try await wait(until: poll, for: { ledger.isAnswered(question) }) {
        leavesLink = true
        return .proven
      }
      guard clock.now < deadline else { return .missing(status) }
      try await pollStatus(by: deadline)
    }
  }

  private func askFence(by deadline: BootInstant) async throws(LinkError) -> FenceLedger.Question? {
    if let fenceQuestion { return fenceQuestion }
    try await outwaitStrangers(by: deadline)
    guard let question = ledger.question(profile.fence) else { return nil }
    do throws(LinkError) {
      try await link.send(question.command[...], by: deadline)
    } catch {
      guard error.code == .deadline else { throw error }
      return nil
    }
    fenceQuestion = question
    return question
  }

  /// Lets answers to an earlier host's questions come before the fence is asked: a process that was killed behind its own
  /// fence has left that in the printer's buffer, and the answer to it looks like any other (`GS r`). They come with
  /// the gate's, for nothing stands between them, and are passed over as long as nothing else is asked. The job is on its
  /// way meanwhile, so that this seldom takes any time.
  private func outwaitStrangers(by deadline: BootInstant) async throws(LinkError) {
    guard profile.fence == .paperStatus, let gatePassedAt else { return }
    let quiet = gatePassedAt.advanced(by: Self.quietTime + time(toTake: Self.strangerBytes))
    _ = try await wait(until: min(deadline, quiet), for: { false })
  }

  private func pollStatus(by deadline: BootInstant) async throws(LinkError) {
    guard profile.status.dleEOT else { return }
    // Answers that are late are waited for, since a new question would make them look like its own.
    if !parser.questions.isEmpty, missedPolls < Self.patientPolls {
      missedPolls += 1
      return
    }
    missedPolls = 0
    do throws(LinkError) {
      try await ask([1, 2, 3, 4], by: deadline)
    } catch {
      // At the deadline the printer takes nothing more, and the wait for the fence is over too.
      guard error.code == .deadline else { throw error }
    }
  }

  private func drainTime(by deadline: BootInstant) async throws(LinkError) -> Fence {
    try await link.flush(by: deadline)
    guard let job else { return .unconfirmed }
    let seconds = Double(job.bytes) / Double(max(1, profile.bytesPerSecond))
    let drained = job.start.advanced(by: .seconds(seconds))
    _ = try await wait(until: min(drained, deadline), for: { false })
    return drained <= deadline ? .unconfirmed : .missing(status)
  }
}
