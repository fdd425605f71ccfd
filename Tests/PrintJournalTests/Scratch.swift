import Glibc
import PrintJobs
import Synchronization

@testable import PrintJournal

/// A folder of its own for one test; gone afterwards.
final class Scratch: Sendable {
  let folder: String
  var path: String { "\(folder)/journal.db" }

  init() throws {
    var template = Array("/tmp/printd-journal-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw JournalError(.storage, errorText(errno)) }
    folder = String(cString: made)
  }

  deinit {
    for name in Self.names(in: folder) { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func write(_ bytes: [UInt8], to name: String = "journal.db") throws {
    // "e": a child that another test starts must not keep the file, and its room on the disk, when it is deleted.
    guard let file = fopen("\(folder)/\(name)", "wbe") else { throw JournalError(.storage, errorText(errno)) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw JournalError(.storage, errorText(errno))
    }
  }

  func bytes(of name: String = "journal.db") throws -> [UInt8] {
    guard let file = fopen("\(folder)/\(name)", "rb") else { throw JournalError(.storage, errorText(errno)) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}

/// A time of day that the test sets.
final class SetTime: Sendable {
  private let seconds = Mutex(1_796_000_000.0)
  var now: Double {
    get { seconds.withLock { $0 } }
    set { seconds.withLock { $0 = newValue } }
  }
}

/// The error that `body` throws, or nil.
func journalError(_ body: () async throws(JournalError) -> some Any) async -> JournalError? {
  do throws(JournalError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension NewJob {
  static func receipt(_ orderID: String, copy: Int = 1, order: [UInt8] = []) -> NewJob {
    NewJob(
      key: JobKey(orderID: orderID, kind: "receipt", copy: copy), printer: "counter",
      expiresAt: 2_000_000_000,
      order: order)
  }
}

extension JobChange {
  static let nothing = JobChange()
  static func because(_ reason: String) -> JobChange {
    var change = JobChange()
    change.reason = reason
    return change
  }
}

extension Journal {
  /// Receives one job and moves it through `states`.
  func make(_ orderID: String, _ states: [JobState] = []) async throws(JournalError) -> Job {
    let received = try await receive([.receipt(orderID)], deliveryID: nil, cursor: nil)
    guard let entry = received.entries.first else { throw JournalError(.notFound, orderID) }
    return try await advance(entry.job.id, through: states, change: .nothing)
  }

  func run(_ sql: String) throws(JournalError) {
    try reading { connection throws(JournalError) in try connection.run(sql) }
  }
}

extension [JobState] {
  static let toIntent: [JobState] = [.fetched, .rendered, .intent]
  static let toPrinted: [JobState] = [.fetched, .rendered, .intent, .sending, .printed]
}
