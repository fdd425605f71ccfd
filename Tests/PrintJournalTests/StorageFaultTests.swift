import Testing

@testable import PrintJournal

struct StorageFaultTests {
  @Test(
    arguments: [
      (13, "SQLITE_FULL"), (778, "SQLITE_IOERR_WRITE"), (1034, "SQLITE_IOERR_FSYNC"), (8, "SQLITE_READONLY"),
      (1032, "SQLITE_READONLY_DBMOVED"), (2067, "SQLITE_CONSTRAINT_UNIQUE"),
      (10 | 99 << 8, "SQLITE_IOERR (25354)"),
      (99, "SQLite code 99"),
    ] as [(Int32, String)])
  func `a code has its name`(code: Int32, name: String) {
    #expect(StorageFault(code: code, text: "").name == name)
  }

  @Test func `a message says what, where and what to do`() {
    #expect(
      StorageFault(code: 13, text: "database or disk is full").message(about: "/var/lib/printd/journal.db")
        == """
        /var/lib/printd/journal.db: SQLITE_FULL, database or disk is full. Free space on its file system; the journal \
        goes on by itself then.
        """)
  }
}
