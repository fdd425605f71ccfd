extension PrinterConversation {
  /// How long an answer may take before it counts as not coming: a BLE connection interval, its retries, and a
  /// printer that wakes from sleep.
  static let replyTime = Duration.milliseconds(800)
  /// How long it must be quiet before late answers are taken to be over.
  static let quietTime = Duration.milliseconds(150)
  /// The most NUL bytes of one drain; no raster command of common printers is longer.
  static let drainLimit = 65_536
  /// How often a printer is drained before it counts as silent.
  static let drains = 3
  private static let drainChunk = 4_096

  /// Asks the printer whether it can print.
  ///
  /// First its real-time status is asked (`DLE EOT 1…4`), which it answers even when it is offline. When nothing
  /// stands against printing, it is asked once more in turn with the print data, in the way of its fence: a printer
  /// that was left in the middle of a raster answers the first, and not the second. On silence the half-received
  /// raster is filled up with NUL bytes, which do nothing to a printer that waits for a command, and all is asked again.
  ///
  /// - Parameter deadline: When it comes, the gate is decided by what is known.
  /// - Returns: ``Gate``; no byte of a job has been sent.
  /// - Throws: ``LinkError`` with `.lost` or `.cancelled`.
  public func gate(by deadline: BootInstant) async throws(LinkError) -> Gate {
    guard canAnswer else {
      if link.hasBackChannel, link.bytesAccepted > 0 { try await listen(by: deadline) }
      return .unasked
    }
    startReading()
    do throws(LinkError) {
      for attempt in 0...Self.drains {
        if attempt > 0 { try await drain(by: deadline) }
        guard try await askRealTime(by: deadline) else { continue }
        if status.obstacle != nil { return notReady }
        guard try await askInTurn(by: deadline) else { continue }
        return status.obstacle == nil ? .ready(status) : notReady
      }
    } catch {
      // At the deadline, what is known by now decides.
      guard error.code == .deadline else { throw error }
    }
    return status.obstacle == nil ? .silent : notReady
  }

  /// Notices a printer that has hung up since the last job; what is sent to it would count as taken.
  private func listen(by deadline: BootInstant) async throws(LinkError) {
    do throws(LinkError) {
      hear(try await link.receive(by: min(deadline, clock.now.advanced(by: .milliseconds(1)))))
    } catch {
      guard error.code == .deadline else { throw error }
    }
  }

  /// The caller keeps the link and asks again later.
  private var notReady: Gate {
    leavesLink = true
    return .notReady(status)
  }

  /// Asks `DLE EOT 1…4`; true when the printer answered, or need not be asked.
  ///
  /// All four go out together. When only some answers come, nobody can tell to which questions they belong, so each is
  /// asked again by itself.
  private func askRealTime(by deadline: BootInstant) async throws(LinkError) -> Bool {
    guard profile.status.dleEOT else { return true }
    let before = board
    try await ask([1, 2, 3, 4], by: deadline)
    let patience = min(deadline, clock.now.advanced(by: Self.replyTime))
    if try await wait(until: patience, for: { parser.questions.isEmpty }) { return true }
    guard parser.questions.count < 4 else { return false }
    board = before
    var answered = false
    for question in 1...4 {
      try await settle(by: deadline)
      try await ask([question], by: deadline)
      let patience = min(deadline, clock.now.advanced(by: Self.replyTime))
      answered = try await wait(until: patience, for: { parser.questions.isEmpty }) || answered
    }
    return answered
  }

  func ask(_ questions: [Int], by deadline: BootInstant) async throws(LinkError) {
    forgetQuestions()
    for question in questions { parser.asked(question) }
    try await link.send(questions.flatMap { [0x10, 0x04, UInt8($0)] }[...], by: deadline)
  }

  /// Asks in turn with the print data; true when the printer answered, or has no such question.
  private func askInTurn(by deadline: BootInstant) async throws(LinkError) -> Bool {
    guard let question = ledger.question(profile.fence) else { return true }
    try await link.send(question.command[...], by: deadline)
    let patience = min(deadline, clock.now.advanced(by: Self.replyTime))
    return try await wait(until: patience, for: { ledger.isAnswered(question) })
  }

  /// Fills up whatever the printer still waits for, until it says anything.
  private func drain(by deadline: BootInstant) async throws(LinkError) {
    let before = replies
    let nuls = [UInt8](repeating: 0, count: Self.drainChunk)
    var sent = 0
    while sent < Self.drainLimit, replies == before {
      var bytes = nuls
      bytes += ledger.probe(profile.fence)
      if profile.status.dleEOT, status == PrinterStatus() {
        parser.asked(1)
        bytes += [0x10, 0x04, 0x01]
      }
      try await link.send(bytes[...], by: deadline)
      sent += nuls.count
      await Task.yield()
    }
    try await settle(by: deadline)
    forgetQuestions()
  }

  private func forgetQuestions() {
    if !parser.questions.isEmpty { gaveUpQuestions = true }
    parser.forgetQuestions()
  }

  /// Waits until the printer has been quiet for a while, so that late answers are not taken for new ones.
  func settle(by deadline: BootInstant) async throws(LinkError) {
    while true {
      let before = replies
      let quiet = min(deadline, clock.now.advanced(by: Self.quietTime))
      guard try await wait(until: quiet, for: { replies != before }) else { return }
    }
  }
}
