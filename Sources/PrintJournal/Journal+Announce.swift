public import PrintJobs

extension Journal {
  /// Notes how a payment's announcement ended; the last word stays, since one that was given up may still be played.
  ///
  /// - Throws: ``JournalError``: `.notFound` when it never began, `.storage`.
  public func announced(_ payment: PaymentKey, _ end: VoiceEnd) async throws(JournalError) {
    try await writing { connection throws(JournalError) in
      try connection.run(
        "UPDATE announcement SET word = ?, reason = ? WHERE payment = ?", .text(end.word),
        .text(end.reason ?? ""), .text(payment.text))
      guard connection.changes == 1 else {
        throw JournalError(.notFound, "There is no announcement of \(payment.text).")
      }
    }
  }

  /// Ends the announcements that a dead process has begun, as failed: whether they were heard nobody knows, and they are
  /// not begun again. Those of this process are not touched.
  ///
  /// - Throws: ``JournalError`` with `.storage`.
  public func endLostAnnouncements() async throws(JournalError) {
    let lost = lostAnnouncements
    guard !lost.isEmpty else { return }
    let end = VoiceEnd.failed("printd or the power failed while it was said")
    try await writing { connection throws(JournalError) in
      for payment in lost {
        try connection.run(
          "UPDATE announcement SET word = ?, reason = ? WHERE payment = ? AND word = ''", .text(end.word),
          .text(end.reason ?? ""), .text(payment))
      }
    }
    lostAnnouncements = []
  }
}

extension Connection {
  /// Remembers that a payment is being announced; false when it was before.
  func claim(_ payment: PaymentKey, at time: Double) throws(JournalError) -> Bool {
    try run(
      "INSERT INTO announcement (payment, at) VALUES (?, ?) ON CONFLICT (payment) DO NOTHING",
      .text(payment.text), .real(time))
    return changes == 1
  }
}
