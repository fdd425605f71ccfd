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
  /// - Returns: Which payments' they were.
  /// - Throws: ``JournalError`` with `.storage`.
  public func endLostAnnouncements() async throws(JournalError) -> [PaymentKey] {
    let lost = lostAnnouncements
    guard !lost.isEmpty else { return [] }
    let end = VoiceEnd.failed("printd or the power failed while it was said")
    let ended = try await writing { connection throws(JournalError) in
      var ended: [PaymentKey] = []
      for payment in lost {
        try connection.run(
          "UPDATE announcement SET word = ?, reason = ? WHERE payment = ? AND word = ''", .text(end.word),
          .text(end.reason ?? ""), .text(payment))
        if connection.changes == 1 { ended.append(PaymentKey(text: payment)) }
      }
      return ended
    }
    lostAnnouncements = []
    return ended
  }
}

extension Connection {
  /// Remembers that a payment is being announced; nil when it was before, unless that ended before anything could sound.
  /// What a claim adds to one that was known is remembered, too.
  func claim(
    _ payment: PaymentClaim, at time: Double
  ) throws(JournalError) -> (key: PaymentKey, firstAskedAt: Double?)? {
    let known = try all(
      """
      SELECT payment, payment_id, amount, word, reason, at FROM announcement WHERE subject = ?
      ORDER BY at, payment
      """, .text(payment.subject)
    ) { row in
      (
        key: PaymentKey(text: row.text(0)),
        claim: PaymentClaim(subject: payment.subject, id: row.optionalText(1), amount: row.optionalText(2)),
        end: VoiceEnd(word: row.text(3), reason: row.text(4)), at: row.real(5)
      )
    }
    if let same = payment.place(among: known.map(\.claim)).map({ known[$0] }) {
      let completed = same.claim.completed(by: payment)
      if completed != same.claim {
        try run(
          "UPDATE announcement SET payment_id = ?, amount = ? WHERE payment = ?", .text(completed.id),
          .text(completed.amount), .text(same.key.text))
      }
      guard same.end?.mayBeAskedForAgain == true else { return nil }
      try run(
        "UPDATE announcement SET word = '', reason = '' WHERE payment = ?", .text(same.key.text))
      return (same.key, same.at)
    }
    let key = payment.nextKey(besides: known.map(\.key))
    try run(
      "INSERT INTO announcement (payment, at, subject, payment_id, amount) VALUES (?, ?, ?, ?, ?)",
      .text(key.text), .real(time), .text(payment.subject), .text(payment.id), .text(payment.amount))
    return (key, nil)
  }
}
