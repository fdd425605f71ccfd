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
  /// Remembers that a payment is being announced; nil when it was before. What a claim adds to one that was known is
  /// remembered, too.
  func claim(_ payment: PaymentClaim, at time: Double) throws(JournalError) -> PaymentKey? {
    let known = try all(
      "SELECT payment, payment_id, amount FROM announcement WHERE subject = ? ORDER BY at, payment",
      .text(payment.subject)
    ) { row in
      (
        key: PaymentKey(text: row.text(0)),
        claim: PaymentClaim(subject: payment.subject, id: row.optionalText(1), amount: row.optionalText(2))
      )
    }
    if let same = known.first(where: { payment.isSame(as: $0.claim) }) {
      let completed = same.claim.completed(by: payment)
      guard completed != same.claim else { return nil }
      try run(
        "UPDATE announcement SET payment_id = ?, amount = ? WHERE payment = ?", .text(completed.id),
        .text(completed.amount), .text(same.key.text))
      return nil
    }
    let key = payment.nextKey(besides: known.map(\.key))
    try run(
      "INSERT INTO announcement (payment, at, subject, payment_id, amount) VALUES (?, ?, ?, ?, ?)",
      .text(key.text), .real(time), .text(payment.subject), .text(payment.id), .text(payment.amount))
    return key
  }
}
