import Glibc
import PrintJobs
import Testing

@testable import PrintJournal

struct FullDiskTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private static let mayMount: Bool = {
    guard getuid() == 0, let scratch = try? Scratch() else { return false }
    guard mount("printd-test", scratch.folder, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(scratch.folder, Int32(MNT_DETACH)) == 0
  }()

  private let order = [UInt8](repeating: 0x20, count: 8192)

  /// Receives orders until one is refused.
  private func fill(_ journal: Journal) async -> (taken: Int, error: JournalError?) {
    for number in 0..<5000 {
      let error = await journalError { () async throws(JournalError) in
        try await journal.receive(
          [.receipt("\(number)", order: order)], deliveryID: "d\(number)", cursor: "\(number)")
      }
      if let error { return (number, error) }
    }
    return (5000, nil)
  }

  private func check(refused error: JournalError?, _ name: String) {
    #expect(error?.code == .storage)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "not refused")")
  }

  @Test func `a full file refuses the wake, half does nothing, and goes on when there is space`() async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    let job = try await journal.make("before", [.fetched, .rendered])
    try await journal.run("PRAGMA max_page_count = 60")
    let (taken, error) = await fill(journal)
    check(refused: error, "SQLITE_FULL")
    #expect(error?.message.contains("Free space") == true)
    #expect(taken > 0)
    try await holds(journal, taken)
    var large = JobChange()
    large.order = order
    let moved = await journalError { () async throws(JournalError) in
      try await journal.advance(job.id, through: [.intent], change: large)
    }
    check(refused: moved, "SQLITE_FULL")
    #expect(try await journal.job(job.id) == job)
    try await journal.run("PRAGMA max_page_count = 100000")
    try await goesOn(journal, taken)
  }

  @Test func `an order too large for what is left takes no other with it`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    try await journal.run("PRAGMA max_page_count = 100")
    let large = [UInt8](repeating: 0x20, count: 1 << 20)
    let taken = await withTaskGroup(of: (Int, Bool).self) { group in
      for number in 0..<40 {
        let order = number % 10 == 3 ? large : [0x20]
        group.addTask {
          let error = await journalError { () async throws(JournalError) in
            try await journal.receive([.receipt("\(number)", order: order)], deliveryID: nil, cursor: nil)
          }
          return (number, error == nil)
        }
      }
      return await group.reduce(into: Set<Int>()) { taken, entry in if entry.1 { taken.insert(entry.0) } }
    }
    #expect(taken == Set((0..<40).filter { $0 % 10 != 3 }))
    #expect(try await journal.history(limit: 99).count == taken.count)
  }

  @Test func `a journal that may not be written refuses the wake, and goes on when it may`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    try await journal.run("PRAGMA query_only = ON")
    let (taken, error) = await fill(journal)
    check(refused: error, "SQLITE_READONLY")
    #expect(error?.message.contains("writable") == true)
    #expect(taken == 0)
    #expect(try await journal.history(limit: 9).isEmpty)
    try await journal.run("PRAGMA query_only = OFF")
    try await goesOn(journal, taken)
  }

  @Test func `a file that may not grow refuses the wake, and goes on when it may`() async throws {
    let end = try await VictimProcess.run(["limit", scratch.path, "400000"])
    #expect(end.exitCode == 0, "\(end.lines)")
    let lines = end.lines.map { $0.split(separator: " ").map(String.init) }
    try #require(lines.map(\.first) == ["refused", "cursor", "taken"], "\(end.lines)")
    let taken = try #require(Int(lines[0][1]))
    #expect(taken > 0)
    #expect(lines[0][2] == "storage:")
    #expect(end.lines[0].contains("SQLITE_IOERR_WRITE") || end.lines[0].contains("SQLITE_FULL"))
    #expect(lines[1][1] == "\(taken - 1)")
    #expect(end.lines[2] == "taken \(taken) true")
    let journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.history(limit: .max).count == taken + 1)
  }

  @Test func `a read-only file is refused at the start with the remedy`() async throws {
    await (try Journal.open(path: scratch.path)).close()
    let user: uid_t = getuid() == 0 ? 65534 : getuid()
    for name in [scratch.folder, scratch.path, "\(scratch.path).lock"] where getuid() == 0 {
      #expect(chown(name, user, user) == 0)
    }
    #expect(chmod(scratch.path, 0o400) == 0)
    let end = try await VictimProcess.run(["open", scratch.path, "\(user)"])
    #expect(end.exitCode == 1)
    let line = try #require(end.lines.first)
    #expect(line.contains("storage: \(scratch.path): SQLITE_READONLY"), "\(line)")
    #expect(line.contains("writable for the user that printd runs as"))
    #expect(chmod(scratch.path, 0o600) == 0)
    #expect(try await VictimProcess.run(["open", scratch.path, "\(user)"]).lines == ["opened"])
  }

  @Test func `a read-only folder is refused at the start with the remedy`() async throws {
    let user: uid_t = getuid() == 0 ? 65534 : getuid()
    #expect(chmod(scratch.folder, 0o555) == 0)
    let end = try await VictimProcess.run(["open", scratch.path, "\(user)"])
    #expect(end.exitCode == 1)
    #expect(
      end.lines.first?.contains("Cannot open \(scratch.path).lock: Permission denied. Make it writable")
        == true)
    #expect(chmod(scratch.folder, 0o755) == 0)
  }

  @Test(.enabled(if: mayMount, "this user may not mount a file system"))
  func `a full file system refuses the wake, and goes on when there is space`() async throws {
    let folder = "\(scratch.folder)/small"
    #expect(mkdir(folder, 0o700) == 0)
    try #require(mount("printd-test", folder, "tmpfs", 0, "size=1m") == 0)
    defer {
      umount2(folder, Int32(MNT_DETACH))
      rmdir(folder)
    }
    try scratch.write([UInt8](repeating: 0, count: 400_000), to: "small/ballast")
    let journal = try await Journal.open(path: "\(folder)/journal.db")
    let (taken, error) = await fill(journal)
    check(refused: error, "SQLITE_FULL")
    #expect(taken > 0)
    try await holds(journal, taken)
    #expect(unlink("\(folder)/ballast") == 0)
    try await goesOn(journal, taken)
    await journal.close()
    let again = try await Journal.open(path: "\(folder)/journal.db")
    try await holds(again, taken + 1)
    await again.close()
  }

  @Test(.enabled(if: mayMount, "this user may not mount a file system"))
  func `a damaged journal stays in its place when the disk has no room for a new one`() async throws {
    let folder = "\(scratch.folder)/small"
    #expect(mkdir(folder, 0o700) == 0)
    try #require(mount("printd-test", folder, "tmpfs", 0, "size=1m") == 0)
    defer {
      umount2(folder, Int32(MNT_DETACH))
      rmdir(folder)
    }
    let path = "\(folder)/journal.db"
    let text = Array(String(repeating: "not a database at all\n", count: 100).utf8)
    try scratch.write(text, to: "small/journal.db")
    try scratch.write([UInt8](repeating: 0, count: 1_000_000), to: "small/ballast")
    let error = await journalError { () async throws(JournalError) in
      try await Journal.open(path: path, damage: .moveAside)
    }
    #expect(error?.code == .storage)
    #expect(try scratch.bytes(of: "small/journal.db") == text)
    #expect(unlink("\(folder)/ballast") == 0)
    let journal = try await Journal.open(path: path, damage: .moveAside)
    #expect(await journal.movedAside?.savedJobs == 0)
    await journal.close()
    #expect(try await Journal.open(path: path).history(limit: 9).isEmpty)
  }

  @Test(.enabled(if: mayMount, "this user may not mount a file system"))
  func `a read-only file system is refused at the start with the remedy`() async throws {
    let folder = "\(scratch.folder)/small"
    #expect(mkdir(folder, 0o700) == 0)
    try #require(mount("printd-test", folder, "tmpfs", UInt(MS_RDONLY), "size=1m") == 0)
    defer {
      umount2(folder, Int32(MNT_DETACH))
      rmdir(folder)
    }
    let error = await journalError { () async throws(JournalError) in
      try await Journal.open(path: "\(folder)/journal.db")
    }
    check(refused: error, "The file system is read-only")
  }

  /// The journal holds orders 0 up to `taken`, and no trace of the one refused.
  private func holds(_ journal: Journal, _ taken: Int) async throws {
    let numbers = try await journal.history(limit: .max).compactMap { Int($0.key.orderID) }
    #expect(numbers == (0..<taken).reversed())
    #expect(try await journal.cursor() == "\(taken - 1)")
    #expect(try await journal.jobs(orderID: "\(taken - 1)").map(\.order) == [order])
    #expect(try await journal.number("SELECT count(*) FROM delivery") == Int64(taken))
  }

  /// The order refused is taken now, as a new one.
  private func goesOn(_ journal: Journal, _ taken: Int) async throws {
    let received = try await journal.receive(
      [.receipt("\(taken)", order: order)], deliveryID: "d\(taken)", cursor: "\(taken)")
    #expect(received.entries.map(\.isNew) == [true] && !received.replayed)
    let job = try #require(received.entries.first?.job)
    #expect(try await journal.advance(job.id, through: .toIntent, change: .nothing).state == .intent)
  }
}
