public import PrintJobs

extension Journal {
  /// Makes jobs that do not exist yet, and remembers the delivery, the cursor and the announcement, in one transaction.
  ///
  /// - Parameters:
  ///   - jobs: The jobs wanted; one whose key is known is not made again.
  ///   - deliveryID: The channel's id of the delivery, unique among all channels, or nil where it has none.
  ///   - cursor: The order service's cursor behind these jobs, or nil to leave it.
  ///   - restartsRejected: Whether a job that is known and rejected begins anew, with the order and the expiry given here.
  ///   - payment: What is to be announced, or nil; ``Received/announces`` has its key when it is to be said.
  /// - Returns: The jobs in the order asked, each new or as it stands. When the delivery was known, `replayed` is set,
  ///   nothing was made, the cursor is where it was, and a job that does not exist is left out.
  /// - Throws: ``JournalError`` with `.storage`; nothing of the call has happened, so the delivery must be refused.
  public func receive(
    _ jobs: [NewJob], deliveryID: String?, cursor: String?, restartsRejected: Bool = false,
    announcing payment: PaymentClaim? = nil
  ) async throws(JournalError) -> Received {
    let now = now
    return try await writing { connection throws(JournalError) in
      let time = now()
      if let deliveryID {
        try connection.run(
          "INSERT INTO delivery (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", .text(deliveryID),
          .real(time))
        if connection.changes == 0 { return try connection.replay(of: jobs) }
      }
      // Before the jobs, which are given back with it.
      let announces = try payment.flatMap { payment throws(JournalError) in
        try connection.claim(payment, at: time)
      }
      var entries: [Received.Entry] = []
      for job in jobs {
        entries.append(try connection.make(job, restartsRejected: restartsRejected, at: time))
      }
      if let cursor {
        try connection.run(
          "INSERT INTO meta (name, value) VALUES ('cursor', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
          .text(cursor))
      }
      return Received(
        entries: entries, announces: announces?.key, firstAskedAt: announces?.firstAskedAt)
    }
  }

  /// The order service's cursor, or nil at the very first time.
  ///
  /// - Throws: ``JournalError`` with `.storage`.
  public func cursor() async throws(JournalError) -> String? {
    try reading { connection throws(JournalError) in
      try connection.first("SELECT value FROM meta WHERE name = 'cursor'") { $0.text(0) }
    }
  }

  /// The number that the next copy of an order's document has: 1 when there is none yet.
  ///
  /// Of two that ask at the same time, one finds its copy made by the other: ``receive(_:deliveryID:cursor:)`` says so.
  ///
  /// - Throws: ``JournalError`` with `.storage`.
  public func nextCopy(orderID: String, kind: String) async throws(JournalError) -> Int {
    try reading { connection throws(JournalError) in
      try connection.first(
        "SELECT coalesce(max(copy), 0) + 1 FROM job WHERE order_id = ? AND kind = ?", .text(orderID),
        .text(kind)
      ) { $0.count(0) } ?? 1
    }
  }
}

extension Connection {
  fileprivate func job(with key: JobKey) throws(JournalError) -> Job? {
    try first(
      JobRow.byKey, .text(key.orderID), .text(key.kind), .integer(key.copy), read: JobRow.read)
  }

  fileprivate func replay(of jobs: [NewJob]) throws(JournalError) -> Received {
    var entries: [Received.Entry] = []
    for wanted in jobs {
      if let job = try job(with: wanted.key) { entries.append(Received.Entry(job: job, isNew: false)) }
    }
    return Received(entries: entries, replayed: true)
  }

  fileprivate func make(
    _ new: NewJob, restartsRejected: Bool, at time: Double
  ) throws(JournalError) -> Received.Entry {
    // Looked for first: an insert that meets a job would use up a number.
    if let job = try job(with: new.key) {
      guard restartsRejected, job.state == .rejected else { return Received.Entry(job: job, isNew: false) }
      var change = JobChange()
      change.reason = ""
      change.order = new.order
      change.expiresAt = new.expiresAt
      change.timeline = Timeline()
      return Received.Entry(
        job: try advance(job.id, through: [.received], change: change, at: time), isNew: true)
    }
    try run(
      JobRow.insert, .text(new.key.orderID), .text(new.key.kind), .integer(new.key.copy), .text(new.printer),
      .integer(new.originals), .real(time), .real(new.expiresAt))
    let id = lastInsertedID
    if !new.order.isEmpty { try run(JobRow.insertDocument, .integer(id), .blob(new.order)) }
    try note(id, from: nil, to: .received, why: "", at: time)
    return Received.Entry(job: try known(id), isNew: true)
  }

  /// Notes a move of a job in its history.
  func note(_ id: Int64, from: JobState?, to: JobState, why: String, at time: Double) throws(JournalError) {
    try run(
      JobRow.insertEvent, .integer(id), .real(time), .real(Journal.bootTime), .text(from?.rawValue),
      .text(to.rawValue), .text(why))
  }
}
