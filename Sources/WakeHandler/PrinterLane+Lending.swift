import ESCPOS
import PrintJobs

/// A printer that somebody else works on for a while: `printd printers pair`, which must not share its link with a job.
extension PrinterLane {
  /// Why nothing is printed meanwhile.
  static let lentReason = "the printer is being set up (printd printers pair)"

  /// Why nothing is printed on a printer that is not configured any longer.
  static func removed(_ name: String) -> String { "printer \"\(name)\" is not in the configuration" }

  /// What came of the wish for a loan.
  enum Lending {
    /// The printer was let go of for this loan.
    case lent
    /// The borrower had it already.
    case prolonged
    /// It has not ended its job in hand in time, or is stopping; it goes on as before.
    case kept
    /// This loan was given back before, or meanwhile.
    case givenBack
  }

  /// Whether somebody else has the printer now.
  var isLent: Bool { loans.end(after: floor.now) != nil }

  /// Whether the printer, as it is set up now, is to be left alone from now on, also in the middle of connecting.
  var isBarred: Bool { isLent || isReplaced }

  /// Lets go of the printer: the job in hand is finished, then the link is closed, and none is opened for `time`, which
  /// begins when that is done. To a borrower that has it, it begins at once.
  ///
  /// - Parameter deadline: When the job in hand must have ended.
  func lend(to token: String, for time: Duration, by deadline: BootInstant) async -> Lending {
    let isPrompt = hasLetGo && loans.has(token, at: floor.now)
    // A printer that a borrower has stays its own while we stop.
    guard !isStopping else { return isPrompt ? .prolonged : .kept }
    let end = isPrompt ? floor.deadline(in: time) : deadline.advanced(by: time)
    guard loans.lend(to: token, until: end, at: floor.now) else { return .givenBack }
    nudge()
    if isPrompt { return .prolonged }
    let waiting = Doorbell(clock: floor.clock)
    borrowers.append(waiting)
    defer { borrowers.removeAll { $0 === waiting } }
    while !hasLetGo, loans.has(token, at: floor.now), !isStopping, floor.now < deadline {
      await waiting.wait(until: deadline)
    }
    // One that was taken out of the configuration meanwhile is left alone without a loan.
    if setup == nil { return .lent }
    guard loans.has(token, at: floor.now) else { return .givenBack }
    guard hasLetGo else {
      withdraw(token)
      return .kept
    }
    return prolong(token, for: time) ? .lent : .givenBack
  }

  /// Begins the time of a loan anew.
  ///
  /// - Returns: Whether the borrower still has the printer; a loan that was given back is not made again.
  func prolong(_ token: String, for time: Duration) -> Bool {
    guard loans.has(token, at: floor.now) else { return setup == nil }
    let isLent = loans.lend(to: token, until: floor.deadline(in: time), at: floor.now)
    nudge()
    return isLent
  }

  /// Ends a loan before its time, and for good: a request for it that is still under way lends nothing.
  func takeBack(_ token: String) {
    let had = loans.has(token, at: floor.now)
    loans.giveBack(token, at: floor.now)
    if had { loansHaveEnded() }
  }

  /// Ends a loan that has not come about.
  func withdraw(_ token: String) {
    loans.withdraw(token)
    loansHaveEnded()
  }

  /// Ends all loans: there is nothing to lend any more.
  func endLoans() {
    loans.withdrawAll()
    loansHaveEnded()
  }

  private func loansHaveEnded() {
    for borrower in borrowers { borrower.ring() }
    nudge()
  }

  /// Takes the printer for the line's own again once nobody has it; does nothing where it is.
  func resumeAfterLoan() {
    guard hasLetGo else { return }
    hasLetGo = false
    guard obstacle == Self.lentReason else { return }
    obstacle = nil
    failures = 0
    say("waits for its turn at \(name)")
  }

  /// Leaves the printer to who has it, until the next ring or the end of the loan.
  func restWhileLent() async {
    await giveUpDoubt()
    await giveUpConnecting()
    await closeLink()
    for test in tests { test.reply.resume(returning: .notPrinted(Self.lentReason)) }
    tests = []
    retryAt = nil
    if obstacle != Self.lentReason {
      obstacle = Self.lentReason
      floor.ports.note(HandlerEvent(.notice, "waiting: \(Self.lentReason)", printer: name))
    }
    for ticket in line where ticket.order != .awaited {
      floor.wakes.note(ticket.id, .queued(Self.lentReason), ticket.timeline)
    }
    hasLetGo = true
    for borrower in borrowers { borrower.ring() }
    floor.progress.expect(name, by: nil)
    if let end = loans.end(after: floor.now) {
      await bell.wait(until: nextExpiry.map { min($0, end) } ?? end)
    }
  }
}
