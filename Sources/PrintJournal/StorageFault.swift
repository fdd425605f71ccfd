/// A result code of SQLite with its name and the remedy. Source: "Result and Error Codes", sqlite.org/rescode.html.
struct StorageFault {
  /// The extended result code.
  var code: Int32
  /// SQLite's own words.
  var text: String

  /// Whether the file is damaged, or no database at all.
  var isDamage: Bool { primary == 11 || primary == 26 }

  private var primary: Int32 { code & 0xFF }

  /// `SQLITE_FULL`, `SQLITE_IOERR_WRITE`; an extended code without a name here gives its primary one's and the number.
  var name: String {
    if let name = Self.extended[code] { return name }
    guard let name = Self.primary[primary] else { return "SQLite code \(code)" }
    return code == primary ? name : "\(name) (\(code))"
  }

  /// What happened to the file at `path` and what to do.
  func message(about path: String) -> String { "\(path): \(name), \(text). \(remedy)" }

  private var remedy: String {
    switch primary {
    case 13: "Free space on its file system; the journal goes on by itself then."
    case 3, 8, 14, 23: "Make the file and its folder writable for the user that printd runs as."
    case 5, 6: "Another program has it locked: close that one."
    case 10: "Look in the kernel's log for faults of the disk."
    case 11, 26: "The file is damaged: stop printd and see its start-up message for the ways out."
    case 7: "The machine is out of memory."
    default: "This is a fault of printd: please report it with this line."
    }
  }

  private static let primary: [Int32: String] = [
    1: "SQLITE_ERROR", 2: "SQLITE_INTERNAL", 3: "SQLITE_PERM", 4: "SQLITE_ABORT", 5: "SQLITE_BUSY",
    6: "SQLITE_LOCKED", 7: "SQLITE_NOMEM", 8: "SQLITE_READONLY", 9: "SQLITE_INTERRUPT", 10: "SQLITE_IOERR",
    11: "SQLITE_CORRUPT", 12: "SQLITE_NOTFOUND", 13: "SQLITE_FULL", 14: "SQLITE_CANTOPEN",
    15: "SQLITE_PROTOCOL",
    17: "SQLITE_SCHEMA", 18: "SQLITE_TOOBIG", 19: "SQLITE_CONSTRAINT", 20: "SQLITE_MISMATCH",
    21: "SQLITE_MISUSE",
    22: "SQLITE_NOLFS", 23: "SQLITE_AUTH", 25: "SQLITE_RANGE", 26: "SQLITE_NOTADB",
  ]

  private static let extended: [Int32: String] = [
    266: "SQLITE_IOERR_READ", 522: "SQLITE_IOERR_SHORT_READ", 778: "SQLITE_IOERR_WRITE",
    1034: "SQLITE_IOERR_FSYNC", 1290: "SQLITE_IOERR_DIR_FSYNC", 1546: "SQLITE_IOERR_TRUNCATE",
    1802: "SQLITE_IOERR_FSTAT", 2058: "SQLITE_IOERR_UNLOCK", 2314: "SQLITE_IOERR_RDLOCK",
    2570: "SQLITE_IOERR_DELETE", 3082: "SQLITE_IOERR_NOMEM", 3338: "SQLITE_IOERR_ACCESS",
    3594: "SQLITE_IOERR_CHECKRESERVEDLOCK", 3850: "SQLITE_IOERR_LOCK", 4106: "SQLITE_IOERR_CLOSE",
    4618: "SQLITE_IOERR_SHMOPEN", 4874: "SQLITE_IOERR_SHMSIZE", 5130: "SQLITE_IOERR_SHMLOCK",
    5386: "SQLITE_IOERR_SHMMAP", 5642: "SQLITE_IOERR_SEEK", 6154: "SQLITE_IOERR_MMAP",
    8202: "SQLITE_IOERR_DATA", 8458: "SQLITE_IOERR_CORRUPTFS", 261: "SQLITE_BUSY_RECOVERY",
    517: "SQLITE_BUSY_SNAPSHOT", 773: "SQLITE_BUSY_TIMEOUT", 526: "SQLITE_CANTOPEN_ISDIR",
    782: "SQLITE_CANTOPEN_FULLPATH", 1550: "SQLITE_CANTOPEN_SYMLINK", 523: "SQLITE_CORRUPT_SEQUENCE",
    779: "SQLITE_CORRUPT_INDEX", 264: "SQLITE_READONLY_RECOVERY", 520: "SQLITE_READONLY_CANTLOCK",
    776: "SQLITE_READONLY_ROLLBACK", 1032: "SQLITE_READONLY_DBMOVED", 1288: "SQLITE_READONLY_CANTINIT",
    1544: "SQLITE_READONLY_DIRECTORY", 275: "SQLITE_CONSTRAINT_CHECK", 787: "SQLITE_CONSTRAINT_FOREIGNKEY",
    1299: "SQLITE_CONSTRAINT_NOTNULL", 1555: "SQLITE_CONSTRAINT_PRIMARYKEY", 2067: "SQLITE_CONSTRAINT_UNIQUE",
    3091: "SQLITE_CONSTRAINT_DATATYPE",
  ]
}
