import ESCPOS
import PrintJobs

extension PrinterLane {
  /// Ends a job that has not been printed: rejected, expired or cancelled. The line goes on without it.
  func end(_ id: Int64, as state: JobState, reason: String) async {
    guard let ticket = ticket(id) else { return }
    var change = JobChange()
    change.reason = reason
    change.expiresAt = ticket.job.expiresAt
    change.timeline = ticket.timeline
    if let inHand, inHand.id == id, ticket.order != .journal { change.order = inHand.order }
    do {
      await finish(id, try await floor.jobs.advance(id, through: [state], change: change))
    } catch {
      guard error.code == .storage else { return await forgetMoved(id) }
      block("the journal cannot be written: \(error.message)")
      endRetryAt = retryAt
    }
  }

  /// Takes a job that has ended out of the line and has it reported.
  func finish(_ id: Int64, _ job: Job) async {
    guard var ticket = ticket(id) else { return }
    ticket.keep(job)
    line.removeAll { $0.id == id }
    if inHand?.id == id { inHand = nil }
    floor.wakes.note(id, job.outcome, ticket.timeline)
    floor.tally.count { $0.ended[job.state.rawValue, default: 0] += 1 }
    floor.ports.note(
      HandlerEvent(
        job.state == .printed ? .notice : .warning,
        job.reason.isEmpty ? job.state.rawValue : "\(job.state.rawValue): \(job.reason)",
        job: id, order: job.key.orderID, printer: name))
    await fetcher.forget(id)
    await reporter.report(ticket)
  }

  /// Lets go of a job that somebody else has moved (cancelled by a person), as it stands.
  func forgetMoved(_ id: Int64) async {
    guard let ticket = ticket(id) else { return }
    let job = try? await floor.jobs.job(id)
    await drop(id)
    let outcome = job?.outcome ?? .unknown("the job is not in the journal any longer")
    floor.wakes.note(id, outcome, ticket.timeline, settled: true)
  }

  /// Writes what has happened on the paper and cannot be undone; tries until the journal takes it.
  ///
  /// The printer prints nothing else meanwhile: what it did last would be forgotten.
  ///
  /// - Returns: The job, or nil when the daemon stops first or the job was moved by somebody else.
  func record(_ id: Int64, _ states: [JobState], _ change: JobChange) async -> Job? {
    var tries = 0
    while true {
      do {
        return try await floor.jobs.advance(id, through: states, change: change)
      } catch {
        guard error.code == .storage, !isStopping else { return nil }
        tries += 1
        if tries == 1 {
          floor.ports.note(
            HandlerEvent(.error, "the journal cannot be written: \(error.message)", job: id, printer: name))
        }
        obstacle = "the journal cannot be written: \(error.message)"
        let next = floor.deadline(in: floor.policies.delay(after: tries))
        floor.progress.expect(name, by: next)
        try? await floor.clock.sleep(until: next, tolerance: nil)
      }
    }
  }

  /// Ends every job in the line whose time is over; one that the journal does not take is tried again later.
  func expireOverdue() async {
    if let endRetryAt, endRetryAt > floor.now { return }
    endRetryAt = nil
    for id in line.filter({ remaining($0) <= .zero }).map(\.id) where endRetryAt == nil {
      await expire(id)
    }
  }

  /// Ends a job whose time is over.
  func expire(_ id: Int64) async {
    let waitedFor = obstacle.map { "; it waited for: \($0)" } ?? ""
    await end(id, as: .expired, reason: "too old to be printed without a person\(waitedFor)")
  }

  /// How long a job may still be printed without a person.
  ///
  /// A job that came before the date was set (a box without a clock of its own boots in 1970) has an expiry that says
  /// nothing until the payment's time is known; its age is measured on the boot clock. So is the age of every other,
  /// since a date that is set back must not make it young again.
  func remaining(_ ticket: Ticket) -> Duration {
    let byAge = floor.policies.expiry - ticket.origin.duration(to: floor.now)
    let date = floor.policies.date()
    guard date >= Policies.earliestDate else { return byAge }
    let byDate = Duration.clampedSeconds(ticket.job.expiresAt - date)
    // Received with a date, an expiry in the distant past is one that is over, not one that says nothing.
    if ticket.job.receivedAt >= Policies.earliestDate { return min(byDate, byAge) }
    return ticket.job.expiresAt >= Policies.earliestDate ? byDate : byAge
  }

  /// When the next job in the line expires; an hour at most, since the date may be set meanwhile. While the journal
  /// does not take an end, not before that is tried again.
  var nextExpiry: BootInstant? {
    let next = line.map { floor.deadline(in: min(remaining($0), .seconds(60 * 60))) }.min()
    return next.map { max($0, endRetryAt ?? $0) }
  }
}
