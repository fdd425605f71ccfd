import PrintJobs

/// The tables, and the way from each version of them to the next.
enum Schema {
  /// Marks the file as a journal of printd: "prtd".
  static let applicationID: Int64 = 0x7072_7464

  /// The version that this program reads and writes; `PRAGMA user_version` holds a file's.
  static var version: Int64 { Int64(steps.count) }

  /// Gives the announcements of version 3, which have none, their subjects; a refund's key is "refund:", the order's id, ":" and
  /// the amount.
  static let subjects = """
    UPDATE announcement SET subject = payment WHERE subject = '' AND payment NOT LIKE 'refund:%';
    UPDATE announcement SET
      subject = substr(payment, 1, length(rtrim(payment, '0123456789')) - 1),
      amount = nullif(substr(payment, length(rtrim(payment, '0123456789')) + 1), '')
    WHERE subject = '';
    """

  /// `steps[n]` makes version n + 1 out of version n. A step that has been released is never changed.
  static let steps = [
    """
    CREATE TABLE job (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      order_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      copy INTEGER NOT NULL,
      printer TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT NOT NULL DEFAULT '',
      confirmation TEXT,
      attempt INTEGER NOT NULL DEFAULT 0,
      received_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      finished_at REAL,
      reported_at REAL,
      bytes_total INTEGER NOT NULL DEFAULT 0,
      order_json BLOB NOT NULL DEFAULT x'',
      UNIQUE (order_id, kind, copy)
    ) STRICT;
    CREATE TABLE event (
      job INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      at REAL NOT NULL,
      from_state TEXT,
      to_state TEXT NOT NULL,
      why TEXT NOT NULL DEFAULT '',
      PRIMARY KEY (job, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    PRAGMA application_id = 0x70727464;
    PRAGMA user_version = 1;
    """,

    // The order moves to a table of its own: a change of state then writes one small row, however long the order.
    """
    CREATE TABLE document (
      job INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
      order_json BLOB NOT NULL
    ) STRICT;
    INSERT INTO document (job, order_json) SELECT id, order_json FROM job WHERE length(order_json) > 0;
    ALTER TABLE job DROP COLUMN order_json;
    ALTER TABLE job ADD COLUMN originals INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE job ADD COLUMN bytes_accepted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE job ADD COLUMN ms_received REAL;
    ALTER TABLE job ADD COLUMN ms_fetched REAL;
    ALTER TABLE job ADD COLUMN ms_connected REAL;
    ALTER TABLE job ADD COLUMN ms_first_byte REAL;
    ALTER TABLE job ADD COLUMN ms_fence REAL;
    ALTER TABLE job ADD COLUMN ms_reported REAL;
    ALTER TABLE job ADD COLUMN ms_completed REAL;
    ALTER TABLE event ADD COLUMN boot_at REAL;
    CREATE TABLE delivery (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX job_unfinished ON job (id)
      WHERE state IN ('received', 'fetched', 'rendered', 'intent', 'sending');
    CREATE INDEX job_unreported ON job (id) WHERE reported_at IS NULL AND finished_at IS NOT NULL;
    CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
    PRAGMA user_version = 2;
    """,

    // A report that the backend refuses does not keep its job for ever. A payment is announced once. `payment` is "order:"
    // and the order's id, "refund:" with that and an amount, or "delivery:" and the delivery's id; `word` is empty until it
    // has ended.
    """
    CREATE TABLE announcement (
      payment TEXT PRIMARY KEY,
      at REAL NOT NULL,
      word TEXT NOT NULL DEFAULT '',
      reason TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE job ADD COLUMN report_refused_at REAL;
    PRAGMA user_version = 3;
    """,

    // Two payments of one order are two announcements, told apart by their ids or amounts. `subject` is "order:", "refund:" or
    // "delivery:" and the id; `payment` is the key of one of its announcements (`PaymentClaim.key`).
    """
    ALTER TABLE announcement ADD COLUMN subject TEXT NOT NULL DEFAULT '';
    ALTER TABLE announcement ADD COLUMN payment_id TEXT;
    ALTER TABLE announcement ADD COLUMN amount TEXT;
    \(subjects)
    CREATE INDEX announcement_subject ON announcement (subject);
    PRAGMA user_version = 4;
    """,
  ]

  /// Checks that the file is a journal, or empty, and of a version that this program knows.
  ///
  /// - Returns: The file's version; 0 for an empty file.
  /// - Throws: `.storage`, with the remedy; the file is untouched.
  static func identify(_ connection: Connection) throws(JournalError) -> Int64 {
    let found = try connection.integer("PRAGMA user_version")
    let mark = try connection.integer("PRAGMA application_id")
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
    guard mark == applicationID || (mark == 0 && found == 0 && tables == 0) else {
      throw JournalError(
        .storage, "\(connection.path) is a database of another program. Give the journal a path of its own.")
    }
    guard (0...version).contains(found) else {
      throw JournalError(
        .storage,
        """
        The journal \(connection.path) was written by a newer printd (schema \(found); this one knows up to \
        \(version)). Install that version again, or give this one a journal of its own.
        """)
    }
    return found
  }

  /// Brings a file of version `found` to today's, in one transaction.
  ///
  /// - Throws: `.storage`; the file then still has its old version, whole.
  static func migrate(_ connection: Connection, from found: Int64) throws(JournalError) {
    guard found < version else { return }
    do {
      try connection.run("BEGIN IMMEDIATE")
      for step in steps.dropFirst(Int(found)) { try connection.script(step) }
      try connection.run("COMMIT")
    } catch {
      connection.rollback()
      throw error
    }
  }
}

extension Connection {
  /// The first column of the first row, as a number; 0 where there is none.
  func integer(_ sql: String) throws(JournalError) -> Int64 {
    try first(sql) { $0.integer(0) } ?? 0
  }
}
