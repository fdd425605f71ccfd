public import PrintJobs

extension Journal {
  /// Jobs that somebody may want to know of: under way, waiting for a person or refused, or not reported yet.
  ///
  /// Printed and reported ones, and those that were called off, are not among them. Oldest first, at most `limit`,
  /// without their orders.
  public func attention(limit: Int) async throws(JournalError) -> [Job] {
    try reading { connection throws(JournalError) in
      try connection.all(JobRow.attention, .integer(max(0, limit)), read: JobRow.read)
    }
  }
}
