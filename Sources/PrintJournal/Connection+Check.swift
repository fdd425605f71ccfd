import PrintJobs

extension Connection {
  /// What opening a file found.
  enum Checked {
    case sound(Connection)
    /// With SQLite's first finding.
    case damaged(String)
  }

  /// Opens, checks and migrates the file at `path`, which exists.
  ///
  /// - Throws: `.storage` for all that is wrong but damage; nothing stays open, the file is as it was.
  static func checked(path: String) throws(JournalError) -> Checked {
    let connection = try Connection(path: path)
    do throws(JournalError) {
      let version = try Schema.identify(connection)
      try connection.configure()
      if let finding = try connection.damage() { return .damaged(finding) }
      try Schema.migrate(connection, from: version)
      return .sound(connection)
    } catch {
      guard connection.isDamaged else { throw error }
      return .damaged(error.message)
    }
  }

  /// Sets what the promises of the journal rest on, and reads it back.
  private func configure() throws(JournalError) {
    try require("PRAGMA journal_mode = WAL", "wal")
    // One sync per commit: what a call has returned from survives the loss of power.
    try run("PRAGMA synchronous = FULL")
    try require("PRAGMA synchronous", "2")
    try run("PRAGMA foreign_keys = ON")
    try require("PRAGMA foreign_keys", "1")
    try require("PRAGMA cell_size_check", set: "PRAGMA cell_size_check = ON", "1")
    try require("PRAGMA trusted_schema", set: "PRAGMA trusted_schema = OFF", "0")
    // Bounds the log on disk after a burst, in bytes.
    try require("PRAGMA journal_size_limit = 4194304", "4194304")
  }

  private func require(_ pragma: String, set: String? = nil, _ wanted: String) throws(JournalError) {
    if let set { try run(set) }
    let found = try first(pragma) { $0.text(0) } ?? "nothing"
    guard found == wanted else {
      throw JournalError(
        .storage,
        """
        \(path): \(pragma) gives \(found) instead of \(wanted). The journal needs a local file system that SQLite's \
        write-ahead log works on (no network share).
        """)
    }
  }

  private func damage() throws(JournalError) -> String? {
    let findings = try all("PRAGMA quick_check(1)") { $0.text(0) }
    return findings == ["ok"] ? nil : findings.first ?? "no answer to quick_check"
  }
}
