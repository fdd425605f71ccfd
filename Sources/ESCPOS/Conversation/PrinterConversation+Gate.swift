extension PrinterConversation {
  /// How long an answer may take before it counts as not coming: a BLE connection interval, its retries, and a
  /// printer that wakes from sleep.
  static let replyTime = Duration.milliseconds(800)
  /// How long it must be quiet before late answers are taken to be over.
  static let quietTime = Duration.milliseconds(150)
  /// What a printer may still hold of an earlier job when its link is opened: the usual receive buffer.
  static let heldBytes = 4_096

  /// Asks the printer whether it can print.
  ///
  /// First its real-time status is asked (`DLE EOT 1…4`), which it answers even when it is offline. When nothing
  /// stands against printing, it is asked once more in turn with the print data, in the way of its fence: a printer
  /// that was left in the middle of a raster answers the first, and not the second. So does one that still prints what it
  /// had before; it is given the time for that by its profile. Only then the half-received raster is filled up with NUL
  /// bytes, which do nothing to a printer that waits for a command, at the pace of the printer.
  ///
  /// On a link that a job was proven on, nothing is filled up: the printer holds nothing, and a link that has died since is
  /// better opened anew. A printer that has answered both questions on such a link, one after the other, is asked both in one
  /// go from then on, which takes one turn of the radio instead of two; one that then answers the first alone is asked
  /// the second by itself, and is never asked so again.
  ///
  /// - Parameters:
  ///   - deadline: When it comes, the gate is decided by what is known.
  ///   - drains: Whether a raster may be filled up now. A caller who gave up a silent printer says no until the printer has
  ///     had the time for the last ``nulsSent``.
  /// - Returns: ``Gate``; no byte of a job has been sent. After ``Gate/busy(_:)`` the gate may be asked again in this
  ///   conversation.
  /// - Throws: ``LinkError`` with `.lost` or `.cancelled`.
  public func gate(by deadline: BootInstant, drains: Bool = true) async throws(LinkError) -> Gate {
    guard canAnswer else {
      if link.hasBackChannel, link.bytesAccepted > 0 { try await listen(by: deadline) }
      return .unasked
    }
    startReading()
    let joins = isWarm && joining == .promising && profile.status.dleEOT && profile.fence != .none
    // Only a gate that is passed makes it worth a try again.
    if joining == .promising { joining = .unknown }
    do throws(LinkError) {
      try await put([], by: deadline)
      var tries = 0
      repeat {
        tries += 1
        let isJoint = joins && tries == 1
        let isAnswered = try await askRealTime(isJoint: isJoint, by: deadline)
        if isAnswered, status.obstacle != nil { return notReady }
        if isJoint { judgeJoint() }
        if isAnswered {
          if try await askInTurn(by: deadline) { return passed }
        }
      } while try await goesOn(after: tries, drains: drains, by: deadline)
      if isAlive, try await wait(until: deadline, for: { ledger.answers > 0 }) { return passed }
    } catch {
      // At the deadline, what is known by now decides.
      guard error.code == .deadline else { throw error }
    }
    if status.obstacle != nil { return notReady }
    return isAlive ? .busy(status) : .silent
  }

  /// Whether the printer is asked again after a try without an answer.
  private func goesOn(after tries: Int, drains: Bool, by deadline: BootInstant) async throws(LinkError)
    -> Bool
  {
    if isWarm { return !isAlive && tries < 2 }
    return drains ? try await drain(by: deadline) : false
  }

  private var passed: Gate {
    if !isWarm { gatePassedAt = clock.now }
    guard status.obstacle == nil else { return notReady }
    if joining == .unknown, answersAtOnce { joining = .promising }
    return .ready(status)
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
  /// All four go out together, and when it `isJoint` the question in turn behind them, which is then waited for as well, but
  /// where something stands against printing: that question may then be answered much later. When only some answers come,
  /// nobody can tell to which questions they belong, so each is asked again by itself.
  private func askRealTime(isJoint: Bool, by deadline: BootInstant) async throws(LinkError) -> Bool {
    guard profile.status.dleEOT else { return true }
    let before = board
    answersAtOnce = false
    let asked = clock.now
    if isJoint {
      try await askAll(by: deadline)
    } else {
      try await ask([1, 2, 3, 4], by: deadline)
    }
    let patience = min(deadline, clock.now.advanced(by: Self.replyTime))
    let hasAll = try await wait(until: patience) {
      parser.questions.isEmpty && (!isJoint || ledger.answers > 0 || status.obstacle != nil)
    }
    if hasAll || parser.questions.isEmpty {
      isAlive = true
      answersAtOnce = true
      answerTime = asked.duration(to: clock.now)
      return true
    }
    guard parser.questions.count < 4 else { return false }
    board = before
    var answered = false
    for question in 1...4 {
      try await settle(by: deadline)
      try await ask([question], by: deadline)
      let patience = min(deadline, clock.now.advanced(by: Self.replyTime))
      answered = try await wait(until: patience, for: { parser.questions.isEmpty }) || answered
    }
    if answered { isAlive = true }
    return answered
  }

  /// Asks both of the gate's questions in one go.
  ///
  /// The printer holds nothing that could keep them from it, and the answers tell that they have come.
  private func askAll(by deadline: BootInstant) async throws(LinkError) {
    forgetQuestions()
    for question in 1...4 { parser.asked(question) }
    gatePatience = clock.now.advanced(by: Self.replyTime)
    let both = Self.realTime([1, 2, 3, 4]) + ledger.probe(profile.fence)
    try await put(both, isAhead: true, by: deadline)
  }

  /// Sees to it that a printer which has not answered all that it was asked in one go is asked the rest by itself.
  private func judgeJoint() {
    if !answersAtOnce || ledger.answers == 0 { joining = .failing }
    if ledger.answers == 0 { gatePatience = nil }
  }

  private static func realTime(_ questions: [Int]) -> [UInt8] {
    questions.flatMap { [0x10, 0x04, UInt8($0)] }
  }

  func ask(_ questions: [Int], by deadline: BootInstant) async throws(LinkError) {
    forgetQuestions()
    for question in questions { parser.asked(question) }
    try await put(Self.realTime(questions), by: deadline)
  }

  /// Asks in turn with the print data; true when the printer has got there, or has no such question.
  ///
  /// It is asked once in a conversation: the answer comes when what the printer holds is printed. Any answer in turn will
  /// do, since one that is late shows no less that the printer takes commands.
  private func askInTurn(by deadline: BootInstant) async throws(LinkError) -> Bool {
    guard profile.fence != .none else { return true }
    if gatePatience == nil {
      let held = isWarm ? .zero : time(toTake: Self.heldBytes)
      gatePatience = clock.now.advanced(by: Self.replyTime + held)
      try await put(ledger.probe(profile.fence), by: deadline)
    }
    let patience = min(deadline, gatePatience ?? deadline)
    return try await wait(until: patience, for: { ledger.answers > 0 })
  }

  func forgetQuestions() {
    if !parser.questions.isEmpty { gaveUpQuestions = true }
    parser.forgetQuestions()
  }

  /// The time that the printer takes for `bytes` by its profile.
  func time(toTake bytes: Int) -> Duration {
    .seconds(Double(bytes) / Double(max(1, profile.bytesPerSecond)))
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
