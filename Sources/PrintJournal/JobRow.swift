import PrintJobs

/// A job as the tables hold it.
enum JobRow {
  /// Columns in the order that ``read(_:)`` takes them; the order's JSON and its
  /// announcement come last.
  private static let columns = """
    job.id, order_id, kind, copy, printer, originals, state, job.reason, confirmation, attempt, received_at, expires_at, \
    finished_at, reported_at, bytes_total, bytes_accepted, ms_received, ms_fetched, ms_connected, ms_first_byte, \
    ms_fence, ms_reported, ms_completed
    """
  private static let voice =
    "LEFT JOIN announcement ON announcement.payment = 'order:' || job.order_id AND job.copy = 1"
  private static let select = """
    SELECT \(columns), order_json, announcement.word, announcement.reason FROM job
    LEFT JOIN document ON document.job = job.id \(voice)
    """
  /// Without the order's JSON, which may be long.
  private static let selectBrief =
    "SELECT \(columns), NULL, announcement.word, announcement.reason FROM job \(voice)"

  static let byID = "\(select) WHERE job.id = ?"
  static let byKey = "\(select) WHERE order_id = ? AND kind = ? AND copy = ?"
  static let byOrder = "\(select) WHERE order_id = ? ORDER BY job.id"
  static let unfinished = """
    \(select) WHERE state IN ('received', 'fetched', 'rendered', 'intent', 'sending') ORDER BY job.id
    """
  static let unreported = """
    \(selectBrief) WHERE reported_at IS NULL AND finished_at IS NOT NULL ORDER BY job.id LIMIT ?
    """
  static let attention = """
    \(selectBrief) WHERE state NOT IN ('printed', 'cancelled') OR reported_at IS NULL ORDER BY job.id LIMIT ?
    """
  static let history = "\(selectBrief) WHERE job.id < ? ORDER BY job.id DESC LIMIT ?"

  /// From a damaged file, which may have no announcements, or no orders that can be read.
  static let byIDWithoutVoice = """
    SELECT \(columns), order_json, NULL, NULL FROM job LEFT JOIN document ON document.job = job.id WHERE job.id = ?
    """
  static let byIDWithoutOrder = "SELECT \(columns), NULL, NULL, NULL FROM job WHERE job.id = ?"

  static let insert = """
    INSERT INTO job (order_id, kind, copy, printer, originals, state, received_at, expires_at)
    VALUES (?, ?, ?, ?, ?, 'received', ?, ?)
    """
  static let restore = """
    INSERT INTO job (id, order_id, kind, copy, printer, originals, state, received_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
    """
  static let insertDocument = """
    INSERT INTO document (job, order_json) VALUES (?, ?)
    ON CONFLICT (job) DO UPDATE SET order_json = excluded.order_json
    """
  static let insertEvent = """
    INSERT INTO event (job, seq, at, boot_at, from_state, to_state, why)
    VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM event WHERE job = ?1), ?, ?, ?, ?, ?)
    """
  private static let update = """
    UPDATE job SET state = ?, reason = ?, confirmation = ?, attempt = ?, expires_at = ?, finished_at = ?,
      reported_at = ?, bytes_total = ?, bytes_accepted = ?, ms_received = ?, ms_fetched = ?, ms_connected = ?,
      ms_first_byte = ?, ms_fence = ?, ms_reported = ?, ms_completed = ?, report_refused_at = NULL
    WHERE id = ?
    """

  /// - Throws: `.storage` when the row holds a word that is not one of ours.
  static func read(_ row: Row) throws(JournalError) -> Job {
    let id = row.integer(0)
    let word = row.text(6)
    guard let state = JobState(rawValue: word) else { throw foreign(word, "state", of: id) }
    var confirmation: Confirmation?
    if let word = row.optionalText(8) {
      guard let known = Confirmation(rawValue: word) else { throw foreign(word, "confirmation", of: id) }
      confirmation = known
    }
    let voice = try row.optionalText(24).map { word throws(JournalError) in
      if word.isEmpty { return Voice.pending }
      guard let end = VoiceEnd(word: word, reason: row.text(25)) else { throw foreign(word, "voice", of: id) }
      return .ended(end)
    }
    var timeline = Timeline()
    timeline.received = row.optionalReal(16)
    timeline.fetched = row.optionalReal(17)
    timeline.connected = row.optionalReal(18)
    timeline.firstByte = row.optionalReal(19)
    timeline.fence = row.optionalReal(20)
    timeline.reported = row.optionalReal(21)
    timeline.completed = row.optionalReal(22)
    return Job(
      id: id, key: JobKey(orderID: row.text(1), kind: row.text(2), copy: row.count(3)), printer: row.text(4),
      originals: row.count(5), state: state, reason: row.text(7), confirmation: confirmation,
      attempt: row.count(9), receivedAt: row.real(10), expiresAt: row.real(11),
      finishedAt: row.optionalReal(12), reportedAt: row.optionalReal(13), order: row.blob(23),
      bytesTotal: row.count(14), bytesAccepted: row.count(15), timeline: timeline, voice: voice)
  }

  /// Writes all that may change in a job, but its order. A refusal of its report was about the job as it was.
  static func write(_ job: Job, to connection: Connection) throws(JournalError) {
    let timeline = job.timeline
    try connection.run(
      update, .text(job.state.rawValue), .text(job.reason), .text(job.confirmation?.rawValue),
      .integer(job.attempt), .real(job.expiresAt), .real(job.finishedAt), .real(job.reportedAt),
      .integer(job.bytesTotal), .integer(job.bytesAccepted), .real(timeline.received),
      .real(timeline.fetched),
      .real(timeline.connected), .real(timeline.firstByte), .real(timeline.fence), .real(timeline.reported),
      .real(timeline.completed), .integer(job.id))
  }

  private static func foreign(_ word: String, _ column: String, of id: Int64) -> JournalError {
    JournalError(.storage, "Job \(id) has the \(column) \"\(word)\", which this printd does not know.")
  }
}
