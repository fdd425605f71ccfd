import Glibc
import PrintJobs

/// The C library's words for an error number.
func errorText(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

/// The journal's place on the disk: the database `path`, SQLite's `path-wal` and `path-shm`, and `path.lock`.
struct JournalFile {
  var path: String

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private var lockPath: String { "\(path).lock" }

  /// Makes this process the journal's only owner.
  ///
  /// - Throws: `.storage`, with the remedy.
  func own() throws(JournalError) -> Ownership {
    let descriptor = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", lockPath) }
    let ownership = Ownership(descriptor: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw failure("lock", lockPath) }
      throw JournalError(
        .storage,
        """
        The journal \(path) belongs to another printd that is running\(ownership.holder). Stop that one, or give \
        this one a journal of its own.
        """)
    }
    ownership.sign()
    return ownership
  }

  /// Makes the database file, empty, where there is none; and takes from all others the right to
  /// read it and what belongs to it.
  ///
  /// - Throws: `.storage`, with the remedy.
  func create() throws(JournalError) {
    guard access(folder, W_OK | X_OK) == 0 else { throw failure("write to the folder", folder) }
    // Never opened here when it exists: closing any descriptor of a file drops SQLite's locks on it.
    let created = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if created >= 0 {
      close(created)
      try syncFolder()
    } else if errno != EEXIST {
      throw failure("make the journal", path)
    }
    for name in [path, "\(path)-wal", "\(path)-shm"] {
      var status = stat()
      guard stat(name, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      guard chmod(name, status.st_mode & 0o700) == 0 else { throw failure("make private", name) }
    }
  }

  /// Where a journal is made that is to take this one's place; nothing is there.
  func successor() throws(JournalError) -> JournalFile {
    let file = JournalFile(path: "\(path).new")
    for suffix in ["", "-wal", "-shm"] where access("\(file.path)\(suffix)", F_OK) == 0 {
      guard unlink("\(file.path)\(suffix)") == 0 else { throw failure("delete", "\(file.path)\(suffix)") }
    }
    return file
  }

  /// Keeps the damaged database and its log under another name, and puts `successor`, which is closed, in its place.
  ///
  /// There is a journal at the path at every moment, so that no start takes it for a new one.
  ///
  /// - Returns: The new path of the damaged database.
  /// - Throws: `.storage`; then the damaged database stands where it stood.
  func moveAside(for successor: JournalFile, at time: Int64) throws(JournalError) -> String {
    guard access("\(successor.path)-wal", F_OK) != 0 else {
      throw JournalError(.storage, "\(successor.path) could not be finished. Free space on its file system.")
    }
    var aside = "\(path).damaged-\(time)"
    var number = 1
    while access(aside, F_OK) == 0 {
      number += 1
      aside = "\(path).damaged-\(time)-\(number)"
    }
    guard link(path, aside) == 0 else { throw failure("keep", path) }
    // The log goes before the new database comes: it would be taken for its own.
    for suffix in ["-wal", "-shm"] where access("\(path)\(suffix)", F_OK) == 0 {
      guard rename("\(path)\(suffix)", "\(aside)\(suffix)") == 0 else {
        throw failure("move aside", "\(path)\(suffix)")
      }
    }
    try syncFolder()
    guard rename(successor.path, path) == 0 else { throw failure("put in its place", successor.path) }
    try syncFolder()
    return aside
  }

  private func syncFolder() throws(JournalError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open the folder", folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync the folder", folder) }
  }

  private func failure(_ act: String, _ name: String) -> JournalError {
    let code = errno
    let remedy =
      switch code {
      case ENOENT: "Make the folder \(folder) first."
      case EACCES, EPERM: "Make it writable for the user that printd runs as."
      case EROFS: "The file system is read-only: mount it writable, or look in the kernel's log for faults."
      case ENOSPC, EDQUOT: "Free space on its file system."
      default: "Check the path of the journal."
      }
    return JournalError(.storage, "Cannot \(act) \(name): \(errorText(code)). \(remedy)")
  }
}

/// The lock that makes a process the only owner of a journal; gone with the object or the process.
final class Ownership: Sendable {
  private let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // A child that is just being started has the descriptor, too, until it runs its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// ` (process 812)`, or nothing when the file does not say.
  fileprivate var holder: String {
    var digits = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &digits, digits.count, 0)
    guard count > 0, let process = Int(String(decoding: digits[..<count], as: UTF8.self)) else { return "" }
    return " (process \(process))"
  }

  /// Writes this process's number into the file, for whoever is refused; the lock holds without it, too.
  fileprivate func sign() {
    let digits = [UInt8]("\(getpid())".utf8)
    guard ftruncate(descriptor, 0) == 0 else { return }
    _ = pwrite(descriptor, digits, digits.count, 0)
  }
}
