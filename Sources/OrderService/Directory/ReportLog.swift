import Glibc
import PrintJobs

/// The file of reports, one JSON line each. Opened anew for each report, so that it may be rotated. All calls block.
struct ReportLog: Sendable {
  let path: String

  /// Appends a line with one write and waits for the disk. After an error the file is as it was.
  func append(_ line: [UInt8]) throws(OrderServiceError) {
    var isNew = false
    var file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    if file < 0, errno == ENOENT {
      file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0o640)
      isNew = true
    }
    guard file >= 0 else { throw failure("opened") }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    var last: UInt8 = 0x0A
    guard size >= 0, size == 0 || pread(file, &last, 1, size - 1) == 1 else { throw failure("read") }
    // A line that a power cut has torn gets its end, so that it does not take this one with it.
    let bytes = (last == 0x0A ? [] : [0x0A]) + line + [0x0A]
    errno = ENOSPC  // What a write that stops halfway means.
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      let error = failure("written")
      ftruncate(file, size)
      throw error
    }
    if isNew { try syncFolder() }
  }

  /// Makes the new file's name durable.
  private func syncFolder() throws(OrderServiceError) {
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("made durable") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure("made durable") }
  }

  private func failure(_ what: String) -> OrderServiceError {
    OrderServiceError(
      .unavailable,
      "the report file \(path) cannot be \(what): \(String(cString: strerror(errno))); mend the disk or the path"
    )
  }
}
