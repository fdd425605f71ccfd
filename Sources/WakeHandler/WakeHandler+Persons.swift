public import ESCPOS
public import PrintJobs

/// What a person says about a job that waits for one.
public enum Verdict: String, Sendable, CaseIterable {
  /// It is on paper.
  case printed
  /// Print it again, as a marked copy.
  case reprint
  /// Let it be.
  case discard
}

extension WakeHandler {
  /// Prints a marked copy of an order of the past.
  ///
  /// The order is taken from the journal, so that it works while the order service is down; one that the journal does
  /// not have (any longer) is fetched, and marked all the same, for it may have been printed before.
  ///
  /// - Returns: The new job and the completion of its print.
  /// - Throws: ``Refusal``.
  public func reprint(
    orderID: String, kind: String = "receipt"
  ) async throws(Refusal) -> (job: Job, completion: Completion) {
    if let fault = OrderID.fault(in: orderID) { throw Refusal(.badWake, fault) }
    let earlier = try await journal { () async throws(JournalError) in
      try await self.floor.jobs.jobs(orderID: orderID)
    }.filter { $0.key.kind == kind }
    await turnstile.enter()
    defer { turnstile.leave() }
    return try await makeCopy(of: earlier, JobKey(orderID: orderID, kind: kind))
  }

  /// Settles a job that is `unknown` or `expired`.
  ///
  /// - Returns: The completion of the copy's print for ``Verdict/reprint``, else nil.
  /// - Throws: ``Refusal`` when there is no such job or it does not wait for a person.
  public func resolve(_ id: Int64, as verdict: Verdict) async throws(Refusal) -> Completion? {
    // Of two persons at a time, the second finds what the first has done.
    await turnstile.enter()
    defer { turnstile.leave() }
    let job = try await existing(id)
    guard job.state == .unknown || (job.state == .expired && verdict != .printed) else {
      throw Refusal(
        .conflict, "job \(id) is \(job.state.rawValue); only an unknown or expired one can be resolved")
    }
    switch verdict {
    case .printed:
      try await settle(job, .printed, reason: "", confirmation: .person)
      return nil
    case .discard:
      try await settle(job, .cancelled, reason: "discarded by a person", confirmation: nil)
      return nil
    case .reprint:
      let earlier = try await journal { () async throws(JournalError) in
        try await self.floor.jobs.jobs(orderID: job.key.orderID)
      }.filter { $0.key.kind == job.key.kind }
      let (copy, completion) = try await makeCopy(of: earlier, job.key)
      try await settle(job, .cancelled, reason: "printed again as copy \(copy.key.copy)", confirmation: nil)
      return completion
    }
  }

  /// Calls off a job that has not begun to print, or has expired.
  ///
  /// - Throws: ``Refusal`` when there is no such job or it is too late.
  public func cancel(_ id: Int64) async throws(Refusal) {
    await turnstile.enter()
    defer { turnstile.leave() }
    let job = try await existing(id)
    guard JobState.cancelled.follows(job.state), job.state != .unknown else {
      throw Refusal(.conflict, "job \(id) is \(job.state.rawValue) and cannot be cancelled")
    }
    try await settle(job, .cancelled, reason: "cancelled by a person", confirmation: nil)
    await lane(job.printer).drop(id)
  }

  /// Prints a page that belongs to no order, in turn with the jobs of the printer.
  ///
  /// - Parameters:
  ///   - deadline: When whoever asked for it ceases to wait; a page that has not begun by then is not printed.
  ///   - page: Makes the page's bytes from what the printer has just said at the gate; not called when it cannot print.
  /// - Returns: `.printed`, `.notPrinted` or `.unknown`, with the reason.
  /// - Throws: ``Refusal`` when the printer is not configured.
  public func testPrint(
    _ printer: String, by deadline: BootInstant,
    _ page: @escaping @Sendable (PrinterConversation.Gate) throws -> [UInt8]
  ) async throws(Refusal) -> Outcome {
    guard configured.contains(printer), let lane = lanes[printer] else {
      let nearest = nearestWord(to: printer, among: configured).map { "; did you mean \"\($0)\"?" } ?? ""
      throw Refusal(.notFound, "no printer is called \"\(printer)\"\(nearest)")
    }
    return await lane.testPrint(page, by: deadline)
  }

  /// Lets go of printers for a while, so that somebody else can work on them: their jobs in hand are finished and their
  /// links closed; what comes meanwhile waits. To a borrower that has them, the time begins anew at once.
  ///
  /// - Parameters:
  ///   - token: The borrower's name for this loan; several may have a printer, and it is left alone as long as one has.
  ///   - time: So long after they were let go of, the printers are taken back, whatever has become of the borrower.
  ///   - deadline: When the jobs in hand must have ended.
  /// - Returns: Whether one was let go of for this, so that its link may be about to close.
  /// - Throws: ``Refusal`` when one has not ended its job, and when the loan was given back before, or meanwhile; then nothing
  ///   is lent.
  public func lend(
    _ printers: [String], to token: String, for time: Duration, by deadline: BootInstant
  ) async throws(Refusal) -> Bool {
    var isNew = false
    var lent: [PrinterLane] = []
    for name in printers {
      guard let lane = lanes[name] else { continue }
      switch await lane.lend(to: token, for: time, by: deadline) {
      case .lent: isNew = true
      case .prolonged: break
      case .kept:
        for lane in lent { await lane.withdraw(token) }
        throw Refusal(.conflict, "\(name) is in the middle of a job, and has not ended it in time")
      case .givenBack: throw Self.givenBack
      }
      lent.append(lane)
    }
    return isNew
  }

  /// Begins the time of a loan anew; unlike ``lend(_:to:for:by:)`` it makes none.
  ///
  /// - Throws: ``Refusal`` when it was given back, or is over.
  public func prolong(_ printers: [String], _ token: String, for time: Duration) async throws(Refusal) {
    for name in printers {
      guard let lane = lanes[name] else { continue }
      guard await lane.prolong(token, for: time) else { throw Self.givenBack }
    }
  }

  private static let givenBack = Refusal(
    .conflict, "this loan was given back; a new one needs a token of its own")

  /// Ends a loan before its time, and for good: a request for it that is under way, or comes late, lends nothing. Does
  /// nothing to printers that others have.
  public func takeBack(_ token: String) async {
    for lane in lanes.values { await lane.takeBack(token) }
  }

  /// Called with the turnstile entered.
  private func makeCopy(
    of earlier: [Job], _ key: JobKey
  ) async throws(Refusal) -> (job: Job, completion: Completion) {
    guard !isStopping else { throw Refusal(.stopping, "printd is stopping") }
    let last = earlier.last
    let route = effectiveRoutes.first { $0.kind == key.kind }
    guard let printer = route?.printer ?? last?.printer else {
      throw Refusal(.notFound, "no route prints documents of the kind \"\(key.kind)\"")
    }
    let budget = Budget(acceptedAt: floor.now, limits: floor.policies.budget)
    let new = NewJob(
      key: JobKey(
        orderID: key.orderID, kind: key.kind, copy: (earlier.map(\.key.copy).max() ?? 1) + 1),
      printer: printer, originals: 1,
      expiresAt: floor.policies.date() + Double(floor.policies.expiry.components.seconds),
      order: earlier.last { !$0.order.isEmpty }?.order ?? [])
    let received = try await journal { () async throws(JournalError) in
      try await self.floor.jobs.receive([new], deliveryID: nil, cursor: nil)
    }
    guard let entry = received.entries.first, entry.isNew else {
      throw Refusal(.conflict, "a copy of this order is being made already")
    }
    let (number, completion) = floor.wakes.open(budget, fallback: .ignored("nothing to print"))
    await begin(received.entries, wakes: [number], budget)
    floor.wakes.release(number)
    return (entry.job, completion)
  }

  /// Moves a job to its end by a person's word, and has that reported.
  private func settle(
    _ job: Job, _ state: JobState, reason: String, confirmation: Confirmation?
  ) async throws(Refusal) {
    var change = JobChange()
    change.reason = reason
    change.confirmation = confirmation
    let ended = try await journal { [change] () async throws(JournalError) in
      try await self.floor.jobs.advance(job.id, through: [state], change: change)
    }
    floor.tally.count { $0.ended[state.rawValue, default: 0] += 1 }
    floor.wakes.note(ended.id, ended.outcome, ended.timeline)
    await reporter.report(Ticket(ended, origin: floor.origin(of: ended), budget: nil))
  }

  private func existing(_ id: Int64) async throws(Refusal) -> Job {
    let job = try await journal { () async throws(JournalError) in try await self.floor.jobs.job(id) }
    guard let job else { throw Refusal(.notFound, "there is no job \(id)") }
    return job
  }

  private func journal<T: Sendable>(
    _ call: () async throws(JournalError) -> T
  ) async throws(Refusal) -> T {
    do {
      return try await call()
    } catch {
      switch error.code {
      case .storage: throw Refusal(.storage, error.message)
      case .conflict: throw Refusal(.conflict, error.message)
      case .notFound: throw Refusal(.notFound, error.message)
      }
    }
  }
}
