public import PrintJobs

/// How many jobs a journal holds, for status and metrics.
public struct JournalCounts: Equatable, Sendable {
  /// Jobs by state; a state that no job is in is left out.
  public var jobs: [JobState: Int]
  /// Jobs that have ended and whose report was not acknowledged.
  public var unreported: Int
  /// When the oldest job that has not ended was received, seconds since 1970; nil when there is none.
  public var oldestUnfinished: Double?

  /// Creates counts.
  public init(jobs: [JobState: Int], unreported: Int, oldestUnfinished: Double?) {
    self.jobs = jobs
    self.unreported = unreported
    self.oldestUnfinished = oldestUnfinished
  }
}

// Readings of what is committed. All throw JournalError with .storage alone.
extension Journal {
  /// The job with this number, or nil.
  public func job(_ id: Int64) async throws(JournalError) -> Job? {
    try reading { connection throws(JournalError) in try connection.job(id) }
  }

  /// All copies of an order's documents, oldest first.
  public func jobs(orderID: String) async throws(JournalError) -> [Job] {
    try reading { connection throws(JournalError) in
      try connection.all(JobRow.byOrder, .text(orderID), read: JobRow.read)
    }
  }

  /// Jobs that have not ended, oldest first.
  public func unfinished() async throws(JournalError) -> [Job] {
    try reading { connection throws(JournalError) in try connection.all(JobRow.unfinished, read: JobRow.read)
    }
  }

  /// Jobs that have ended and whose report was not acknowledged, oldest first, at most `limit`, without their orders: a
  /// backend that takes no report for days would fill the memory with them.
  public func unreported(limit: Int) async throws(JournalError) -> [Job] {
    try reading { connection throws(JournalError) in
      try connection.all(JobRow.unreported, .integer(max(0, limit)), read: JobRow.read)
    }
  }

  /// Jobs with a number below `before`, newest first, without their orders (`order` is empty): a page of the history.
  ///
  /// - Parameters:
  ///   - limit: The most jobs to give.
  ///   - before: The last number of the page before; nil for the newest jobs.
  public func history(limit: Int, before: Int64? = nil) async throws(JournalError) -> [Job] {
    try reading { connection throws(JournalError) in
      try connection.all(
        JobRow.history, .integer(before ?? .max), .integer(max(0, limit)), read: JobRow.read)
    }
  }

  /// How many jobs there are, by state.
  public func counts() async throws(JournalError) -> JournalCounts {
    try reading { connection throws(JournalError) in
      var counts = JournalCounts(jobs: [:], unreported: 0, oldestUnfinished: nil)
      let byState = try connection.all("SELECT state, count(*) FROM job GROUP BY state") { row in
        (JobState(rawValue: row.text(0)), row.count(1))
      }
      for case (let state?, let count) in byState { counts.jobs[state] = count }
      counts.unreported = Int(
        try connection.integer(
          "SELECT count(*) FROM job WHERE reported_at IS NULL AND finished_at IS NOT NULL"))
      counts.oldestUnfinished =
        try connection.first(
          """
          SELECT min(received_at) FROM job WHERE state IN ('received', 'fetched', 'rendered', 'intent', 'sending')
          """
        ) { $0.optionalReal(0) } ?? nil
      return counts
    }
  }
}
