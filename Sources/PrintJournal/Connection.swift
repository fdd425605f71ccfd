import CSQLite
import PrintJobs

/// A value bound to a parameter of a statement.
enum Value {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  static func integer(_ number: Int) -> Value { .integer(Int64(number)) }
  static func real(_ number: Double?) -> Value { number.map { .real($0) } ?? .null }
  static func text(_ string: String?) -> Value { string.map { .text($0) } ?? .null }
}

/// The row that a statement stands on; valid inside the closure that is given it.
struct Row {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func count(_ column: Int32) -> Int { Int(clamping: integer(column)) }
  func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
  func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }
  func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }
}

/// One SQLite connection with its prepared statements; used on the journal's thread only.
///
/// Every value is bound; the SQL of a statement is a constant of the program.
final class Connection {
  /// How long a statement waits for another program that has the file locked, milliseconds.
  static let busyTimeout: Int32 = 2000

  let path: String
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  /// Whether a statement has met a page that cannot be one of this file.
  private(set) var isDamaged = false

  /// Opens a database file that exists.
  ///
  /// - Throws: `.storage`; nothing stays open.
  init(path: String) throws(JournalError) {
    self.path = path
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else { throw fault(code) }
    // SQLite falls back to reading alone, without a word, when it may not write.
    guard sqlite3_db_readonly(handle, "main") == 0 else { throw fault(SQLITE_READONLY) }
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    // Defensive: no SQL can damage the file, whatever a schema in it says. And a file that is only looked at (damaged,
    // newer) is not written to when it is closed.
    for option in [SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE] {
      let code = csqlite_set(handle, option, 1)
      guard code == SQLITE_OK else { throw fault(code) }
    }
  }

  deinit { close() }

  /// Folds the log into the file, where the disk allows it (if not, the next start reads the log), and closes it.
  func finish() {
    csqlite_set(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    close()
  }

  /// Closes the file as it is; further calls throw `.storage`.
  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// - Throws: `.storage` when the file is no longer at its path: what is written to it would be gone with the process.
  func requireInPlace() throws(JournalError) {
    var hasMoved: Int32 = 0
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0
    else { return }
    throw JournalError(
      .storage, "\(path) was moved, deleted or replaced while printd runs. Put it back, or start printd anew."
    )
  }

  /// Rows changed by the last `run`.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The number of the row that the last insert made.
  var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs a statement to its end.
  func run(_ sql: String, _ values: Value...) throws(JournalError) {
    try each(sql, values) { _ throws(JournalError) in }
  }

  /// The first row's reading, or nil where there is no row.
  func first<Reading>(
    _ sql: String, _ values: Value..., read: (Row) throws(JournalError) -> Reading
  ) throws(JournalError) -> Reading? {
    var reading: Reading?
    try each(sql, values) { row throws(JournalError) in
      if reading == nil { reading = try read(row) }
    }
    return reading
  }

  /// Every row's reading.
  func all<Reading>(
    _ sql: String, _ values: Value..., read: (Row) throws(JournalError) -> Reading
  ) throws(JournalError) -> [Reading] {
    var readings: [Reading] = []
    try each(sql, values) { row throws(JournalError) in readings.append(try read(row)) }
    return readings
  }

  /// Runs several statements without parameters: schema changes.
  func script(_ sql: String) throws(JournalError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// Undoes the open transaction, if SQLite has not done so by itself after a fault of the disk.
  func rollback() {
    guard handle != nil, sqlite3_get_autocommit(handle) == 0 else { return }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  private func each(
    _ sql: String, _ values: [Value], _ body: (Row) throws(JournalError) -> Void
  ) throws(JournalError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1), of: statement)
      guard code == SQLITE_OK else { throw fault(code) }
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw fault(code) }
      try body(Row(statement: statement))
    }
  }

  private func prepared(_ sql: String) throws(JournalError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    guard handle != nil else { throw JournalError(.storage, "The journal \(path) is closed.") }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw fault(code) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .real(let number): return sqlite3_bind_double(statement, index, number)
    case .text(var string):
      return string.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(statement, index, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        csqlite_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
  }

  private func fault(_ code: Int32) -> JournalError {
    let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    let fault = StorageFault(code: code, text: text.map { String(cString: $0) } ?? "no text")
    if fault.isDamage { isDamaged = true }
    return JournalError(.storage, fault.message(about: path))
  }
}
