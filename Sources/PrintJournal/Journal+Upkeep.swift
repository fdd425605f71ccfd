public import PrintJobs

extension Journal {
  /// Forgets jobs that ended more than the history's days ago, deliveries and announcements of that age, and folds the log into the
  /// file. To be called at start and once in a few hours.
  ///
  /// A job that has not ended, or whose report was neither acknowledged nor refused, is never forgotten. A job that ended before the
  /// machine's clock was set counts from now: forgotten at once, its order would print again when it is named again.
  ///
  /// - Returns: The number of jobs forgotten.
  /// - Throws: ``JournalError`` with `.storage`; some may have been forgotten, each with all that belongs to it.
  @discardableResult
  public func prune(now time: Double) async throws(JournalError) -> Int {
    let limit = time - Double(historyDays) * 86400
    try await writing { connection throws(JournalError) in
      if time >= Self.firstTime {
        try connection.run(
          "UPDATE job SET finished_at = ? WHERE finished_at < ?", .real(time), .real(Self.firstTime))
        try connection.run("UPDATE delivery SET at = ? WHERE at < ?", .real(time), .real(Self.firstTime))
        try connection.run("UPDATE announcement SET at = ? WHERE at < ?", .real(time), .real(Self.firstTime))
      }
      try connection.run("DELETE FROM delivery WHERE at < ?", .real(limit))
      try connection.run("DELETE FROM announcement WHERE at < ?", .real(limit))
    }
    var count = 0
    while true {
      // A few at a time, so that a wake does not wait for the end of it.
      let forgotten = try await writing { connection throws(JournalError) in
        try connection.run(Self.forget, .real(limit), .integer(Self.pruneBatch))
        return connection.changes
      }
      count += forgotten
      guard forgotten == Self.pruneBatch else { break }
    }
    checkpoint()
    return count
  }

  private static let pruneBatch = 200

  private static let forget = """
    DELETE FROM job WHERE id IN
      (SELECT id FROM job WHERE finished_at < ?
        AND (reported_at IS NOT NULL OR report_refused_at IS NOT NULL) LIMIT ?)
    """

  /// Folds the log into the file and empties it; for an idle moment. Nothing is lost when the disk does not let it.
  public func checkpoint() {
    try? reading { connection throws(JournalError) in try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// No clock that is set is before this: 1 January 2026, older than the first printd.
  private static let firstTime: Double = 1_767_225_600
}
