public import PrintJobs

extension Journal {
  /// Moves a job through `states` in turn, in one transaction.
  ///
  /// A job that leaves a final state (a late answer, a person, another wake) is to be reported again.
  ///
  /// - Parameters:
  ///   - id: The journal's number of the job.
  ///   - states: Each must follow the one before; none, to change the job's fields alone.
  ///   - change: What else changes; its reason is noted with the last move.
  /// - Returns: The job as it stands then.
  /// - Throws: ``JournalError``: `.conflict` when the job is not in a state that the first may follow, `.notFound`,
  ///   `.storage`. Nothing of the call has happened; after `.storage` for `.intent`, nothing may be sent.
  public func advance(
    _ id: Int64, through states: [JobState], change: JobChange
  ) async throws(JournalError) -> Job {
    let now = now
    return try await writing { connection throws(JournalError) in
      try connection.advance(id, through: states, change: change, at: now())
    }
  }

  /// Notes that the report about the job in `state` was acknowledged; once more is no harm, the first time stays.
  ///
  /// A job can go on from `unknown` or `expired` while its report is on the way. The acknowledgement then says nothing
  /// about the new state: the job stays unreported.
  ///
  /// - Throws: ``JournalError``: `.conflict` when the job has another state by now or has not ended, `.notFound`, `.storage`.
  public func reported(_ id: Int64, as state: JobState, timeline: Timeline) async throws(JournalError) {
    let now = now
    try await writing { connection throws(JournalError) in
      var job = try connection.known(id)
      guard job.state.isFinal, job.state == state else {
        throw JournalError(
          .conflict, "Job \(id) is \(job.state.rawValue) now: this report is not about that.")
      }
      guard job.reportedAt == nil else { return }
      job.reportedAt = now()
      job.timeline = timeline
      try JobRow.write(job, to: connection)
    }
  }

  /// Notes that the backend has refused the report about the job in `state`: it is still tried, and the job is forgotten
  /// with the history all the same.
  ///
  /// - Throws: ``JournalError``: `.conflict` when the job has another state by now, `.notFound`, `.storage`.
  public func reportRefused(_ id: Int64, as state: JobState) async throws(JournalError) {
    let now = now
    try await writing { connection throws(JournalError) in
      let job = try connection.known(id)
      guard job.state.isFinal, job.state == state else {
        throw JournalError(
          .conflict, "Job \(id) is \(job.state.rawValue) now: this report is not about that.")
      }
      try connection.run(
        "UPDATE job SET report_refused_at = ? WHERE id = ? AND reported_at IS NULL", .real(now()),
        .integer(id))
    }
  }

  /// Moves every job that a dead process was printing to `unknown`, in one transaction.
  ///
  /// To be called once after opening, before anything is printed; jobs that this process prints are not touched. After
  /// a clean shutdown there are none.
  ///
  /// - Returns: These jobs as they stand now, oldest first.
  /// - Throws: ``JournalError`` with `.storage`; nothing has changed, and nothing may be printed.
  public func recoverAfterCrash() async throws(JournalError) -> [Job] {
    let ids = interrupted
    guard !ids.isEmpty else { return [] }
    let now = now
    let jobs = try await writing { connection throws(JournalError) -> [Job] in
      var change = JobChange()
      change.reason = "printd or the power failed while it was printing: look whether it is on paper"
      var jobs: [Job] = []
      for id in ids {
        guard let job = try connection.job(id), !job.state.isFinal else { continue }
        jobs.append(try connection.advance(id, through: [.unknown], change: change, at: now()))
      }
      return jobs
    }
    interrupted = []
    return jobs
  }
}

extension Connection {
  func job(_ id: Int64) throws(JournalError) -> Job? {
    try first(JobRow.byID, .integer(id), read: JobRow.read)
  }

  func known(_ id: Int64) throws(JournalError) -> Job {
    guard let job = try job(id) else { throw JournalError(.notFound, "There is no job \(id).") }
    return job
  }

  func advance(
    _ id: Int64, through states: [JobState], change: JobChange, at time: Double
  ) throws(JournalError) -> Job {
    var job = try known(id)
    for (index, state) in states.enumerated() {
      guard state.follows(job.state) else {
        throw JournalError(
          .conflict, "Job \(id) is \(job.state.rawValue) and cannot become \(state.rawValue).")
      }
      let why = index == states.count - 1 ? change.reason ?? "" : ""
      try note(id, from: job.state, to: state, why: why, at: time)
      job.state = state
      job.finishedAt = state.isFinal ? time : nil
      job.reportedAt = nil
    }
    job.apply(change)
    try JobRow.write(job, to: self)
    if let order = change.order { try run(JobRow.insertDocument, .integer(id), .blob(order)) }
    return job
  }
}

extension Job {
  fileprivate mutating func apply(_ change: JobChange) {
    reason = change.reason ?? reason
    confirmation = change.confirmation ?? confirmation
    attempt = change.attempt ?? attempt
    expiresAt = change.expiresAt ?? expiresAt
    order = change.order ?? order
    bytesTotal = change.bytesTotal ?? bytesTotal
    bytesAccepted = change.bytesAccepted ?? bytesAccepted
    timeline = change.timeline ?? timeline
  }
}
