import PrintJobs

/// Takes over from a damaged journal what can still be read, above all the keys of what was printed.
struct Salvage {
  /// The damaged file, which is only read.
  let damaged: Connection
  /// The new journal's.
  let fresh: Connection

  /// Copies every job that can be read, with its number and its order where that can be read, too; then the
  /// deliveries, the announcements and the cursor. Of rows that damage has doubled the first is taken.
  ///
  /// - Returns: The number of jobs saved; 0 where the file is none of this version's, or the damage is at its root.
  /// - Throws: `.storage` when the new journal cannot be written.
  func run() throws(JournalError) -> Int {
    guard let last = lastID() else { return 0 }
    var saved = 0
    do {
      try fresh.run("BEGIN IMMEDIATE")
      // One by one: a damaged page takes only the jobs on it.
      for id in stride(from: 1, through: last, by: 1) {
        guard let job = readable(id) else { continue }
        try fresh.restore(job)
        saved += 1
      }
      for (id, time) in rest("SELECT id, at FROM delivery", { ($0.text(0), $0.real(1)) }) {
        try fresh.run(
          "INSERT INTO delivery (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(id), .real(time))
      }
      for (payment, time, end, claim) in announcements() {
        try fresh.run(
          """
          INSERT INTO announcement (payment, at, word, reason, subject, payment_id, amount)
          VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
          """, .text(payment), .real(time), .text(end.word), .text(end.reason), .text(claim.subject),
          .text(claim.id), .text(claim.amount))
      }
      try fresh.script(Schema.subjects)
      for (name, value) in rest("SELECT name, value FROM meta", { ($0.text(0), $0.text(1)) }) {
        try fresh.run(
          "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(name), .text(value))
      }
      try fresh.run("COMMIT")
    } catch {
      fresh.rollback()
      throw error
    }
    return saved
  }

  /// The highest number that a job may have.
  private func lastID() -> Int64? {
    // The announcements and what tells them apart are all that is newer than version 2.
    guard let version = try? damaged.integer("PRAGMA user_version"), (2...Schema.version).contains(version)
    else { return nil }
    // What a damaged page says may be anything; no journal gets this far.
    let plausible = Int64(1)..<100_000_000
    let said = try? damaged.integer("SELECT seq FROM sqlite_sequence WHERE name = 'job'")
    if let said, plausible.contains(said) { return said }
    let found = try? damaged.integer("SELECT max(id) FROM job")
    return found.flatMap { plausible.contains($0) ? $0 : nil }
  }

  private func readable(_ id: Int64) -> Job? {
    if let job = (try? damaged.first(JobRow.byIDWithoutVoice, .integer(id), read: JobRow.read)) ?? nil {
      return job
    }
    return (try? damaged.first(JobRow.byIDWithoutOrder, .integer(id), read: JobRow.read)) ?? nil
  }

  private func announcements() -> [(
    payment: String, at: Double, end: (word: String, reason: String), claim: PaymentClaim
  )] {
    let version = (try? damaged.integer("PRAGMA user_version")) ?? 0
    let claim = version >= 4 ? "subject, payment_id, amount" : "'', NULL, NULL"
    return rest("SELECT payment, at, word, reason, \(claim) FROM announcement") {
      (
        $0.text(0), $0.real(1), Self.end($0.text(2), $0.text(3)),
        PaymentClaim(subject: $0.text(4), id: $0.optionalText(5), amount: $0.optionalText(6))
      )
    }
  }

  /// How an announcement ended; a word that is none has been damaged, and no job could be read with it.
  private static func end(_ word: String, _ reason: String) -> (word: String, reason: String) {
    if word.isEmpty || VoiceEnd(word: word, reason: reason) != nil { return (word, reason) }
    let damaged = VoiceEnd.failed("how it ended could not be read from a damaged journal")
    return (damaged.word, damaged.reason ?? "")
  }

  /// The rows up to the first damaged page.
  private func rest<Reading>(_ sql: String, _ read: (Row) -> Reading) -> [Reading] {
    var readings: [Reading] = []
    _ = try? damaged.all(sql) { row throws(JournalError) in readings.append(read(row)) }
    return readings
  }
}

extension Connection {
  /// Puts in a job as it stood in another journal; one whose key is here already (damage can double rows) is not.
  fileprivate func restore(_ job: Job) throws(JournalError) {
    try run(
      JobRow.restore, .integer(job.id), .text(job.key.orderID), .text(job.key.kind), .integer(job.key.copy),
      .text(job.printer), .integer(job.originals), .text(job.state.rawValue), .real(job.receivedAt),
      .real(job.expiresAt))
    guard changes == 1 else { return }
    try JobRow.write(job, to: self)
    if !job.order.isEmpty { try run(JobRow.insertDocument, .integer(job.id), .blob(job.order)) }
    try note(job.id, from: nil, to: job.state, why: "saved from a damaged journal", at: job.receivedAt)
  }
}
