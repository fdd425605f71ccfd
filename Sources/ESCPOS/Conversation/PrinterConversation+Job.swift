extension PrinterConversation {
  /// How often the status is asked while the fence is waited for.
  static let pollTime = Duration.seconds(1)
  private static let patientPolls = 3
  /// The first bytes go alone, so that it is soon known that they went: what one write takes, or so many.
  private static let firstChunk = 256
  private static let chunk = 4_096

  /// Sends the job.
  ///
  /// A printer that runs out of paper or is opened in mid-job goes offline and stops taking data. Nothing is thrown
  /// away then: the bytes wait in the link, this call waits for the printer, and when the deadline comes it fails with
  /// `.deadline` while ``status`` says what the printer told by itself. Between chunks, `XOFF` holds the job until `XON`.
  ///
  /// On a link that is faster with the printer's word for what it has taken (``PrinterLink/proofWindow``), the question of
  /// the printer's fence stands at some of the job's seams, nowhere else, since a raster would swallow it. The job is sent
  /// on without waiting for the answers; the link is told of them as they come. On all other links, and where the job has no
  /// seams or goes out without the printer's word anyway, exactly `bytes` are sent.
  ///
  /// - Parameters:
  ///   - bytes: The rendered job.
  ///   - seams: Where the printer may be asked, as ``RenderedReceipt/seams``.
  ///   - deadline: No new write starts after it.
  ///   - firstByte: Called once, when the link has taken the first byte: from then on something may be on paper.
  /// - Throws: ``LinkError``; ``jobBytesAccepted`` says how much of the job the link took before.
  public func send(
    _ bytes: [UInt8], seams: [Int] = [], by deadline: BootInstant, firstByte: @Sendable () -> Void
  ) async throws(LinkError) {
    startReading()
    try await put([], by: deadline)
    // The fence's question tells that all has arrived.
    let isAskedBehind = link.hasBackChannel && profile.fence != .none
    var sent = 0
    var told = false
    for part in parts(of: bytes, seams: seams) {
      let before = link.bytesAccepted
      let end = before + part.bytes.count
      func note() {
        let count = sent + part.own(link.bytesAccepted - before)
        guard count > 0 else { return }
        job = (job?.start ?? clock.now, count)
        if !told { firstByte() }
        told = true
      }
      var rest = part.bytes[...]
      var isAsked = !part.isAsked
      while true {
        if !isAsked, rest.isEmpty || !strangersMaySpeak {
          try await outwaitStrangers(by: deadline)
          rest += midJobQuestion(behind: end)
          isAsked = true
        }
        guard !rest.isEmpty else { break }
        guard try await wait(until: deadline, for: { !isPaused }) else {
          throw LinkError(.deadline, "the printer asked for a pause (XOFF) and did not end it")
        }
        let chunk = rest.prefix(told ? Self.chunk : link.writeLimit ?? Self.firstChunk)
        do throws(LinkError) {
          if isAskedBehind || chunk.count < rest.count {
            try await link.sendAhead(chunk, by: deadline)
          } else {
            try await link.send(chunk, by: deadline)
          }
        } catch {
          note()
          throw error
        }
        note()
        rest = rest.dropFirst(chunk.count)
      }
      sent += part.own(part.bytes.count)
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
        isProven = true
        link.prove(upTo: fencePosition)
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
    fencePosition = link.bytesAccepted
    do throws(LinkError) {
      try await link.send(question.command[...], by: deadline)
    } catch {
      guard error.code == .deadline else { throw error }
      return nil
    }
    fenceQuestion = question
    return question
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
