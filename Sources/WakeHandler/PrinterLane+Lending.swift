import ESCPOS
import PrintJobs

/// A printer that somebody else works on for a while: `printd printers pair`, which must not share its link with a job.
extension PrinterLane {
  /// Why nothing is printed meanwhile.
  static let lentReason = "the printer is being set up (printd printers pair)"

  /// Why nothing is printed on a printer that is not configured any longer.
  static func removed(_ name: String) -> String { "printer \"\(name)\" is not in the configuration" }

  /// Whether somebody else has the printer now.
  var isLent: Bool { lentUntil.map { $0 > floor.now } ?? false }

  /// Whether the printer, as it is set up now, is to be left alone from now on, also in the middle of connecting.
  var isBarred: Bool { isLent || isReplaced }

  /// Lets go of the printer: the job in hand is finished, then the link is closed, and none is opened for `time`, which
  /// begins when that is done.
  ///
  /// - Returns: Whether the line has let go by `deadline`; if not, it goes on as before.
  func lend(for time: Duration, by deadline: BootInstant) async -> Bool {
    guard !isStopping else { return false }
    lentUntil = deadline.advanced(by: time)
    nudge()
    let waiting = Doorbell(clock: floor.clock)
    borrowers.append(waiting)
    defer { borrowers.removeAll { $0 === waiting } }
    while !hasLetGo, lentUntil != nil, !isStopping, floor.now < deadline {
      await waiting.wait(until: deadline)
    }
    if hasLetGo {
      lentUntil = floor.deadline(in: time)
      nudge()
      return true
    }
    // One that was taken out of the configuration meanwhile is left alone without a loan.
    if setup == nil { return true }
    takeBack()
    return false
  }

  /// Ends a loan before its time.
  func takeBack() {
    guard lentUntil != nil else { return }
    lentUntil = nil
    for borrower in borrowers { borrower.ring() }
    nudge()
  }

  /// Takes the printer for the line's own again; does nothing where it is.
  func endLoan() {
    lentUntil = nil
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
    if isLent { await bell.wait(until: [lentUntil, nextExpiry].compactMap(\.self).min()) }
  }
}
