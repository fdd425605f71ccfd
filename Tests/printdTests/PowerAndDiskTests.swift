import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing
import VirtualPrinter

@testable import printd

@Suite("Power cuts and full disks lose nothing and print nothing twice", .timeLimit(.minutes(2)))
struct PowerAndDiskTests {
  @Test("SIGKILL in mid-receipt: the job is unknown at the next start and is not printed again")
  func killed() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.printsSlowly() }
    let rig = try await DaemonRig(orders: orders.path, printers: "[\(counter.entry())]")
    try orders.add("one", item: "Oolong")
    try orders.add("two", item: "Sencha")
    for order in ["one", "two"] {
      let response = try await rig.post(Wakes.naming(order), more: [("Prefer", "respond-async")])
      #expect(response.status == 202)
    }
    try await counter.stopsInMidReceipt()
    await rig.kill()
    // Still far slower than its profile says, and in the middle of whatever command it was.
    counter.printer.set { $0.bytesPerSecond = 100 }
    let next = try await DaemonRig(in: rig.folder, orders: orders.path, printers: "[\(counter.entry())]")
    // The one that had only been accepted prints by itself.
    #expect(try await next.untilPrinted("two"))
    let jobs = try await next.jobs(of: "one")
    #expect(jobs.map(\.state) == [.unknown])
    #expect(jobs.first?.reason?.isEmpty == false)
    #expect(try await next.wake("one").outcome != "printed")
    try await DaemonRig.until { try next.reports().count == 2 }
    #expect(try next.reports().first { $0.orderID == "one" }?.outcome == "unknown")
    await next.stop()
    #expect(counter.count(of: "Oolong") <= 1 && counter.count(of: "Sencha") == 1)
    counter.server.stop()
  }

  @Test("SIGKILL after 202: the order is printed by the next life, once", arguments: 0..<3)
  func killedAfterAcceptance(round: Int) async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.paper = .end }
    let rig = try await DaemonRig(orders: orders.path, printers: "[\(counter.entry())]")
    try orders.add("one", item: "Oolong")
    let response = try await rig.post(Wakes.naming("one"), more: [("Prefer", "respond-async")])
    #expect(response.status == 202)
    // At once, or after the order, or after the printer's refusal is in the journal.
    if round > 0 {
      let state: JobState = round == 1 ? .received : .rendered
      try await DaemonRig.until {
        guard let now = try await rig.jobs(of: "one").first?.state else { return false }
        return now == state || now == .rendered
      }
    }
    await rig.kill()
    counter.printer.set { $0.paper = .present }
    let next = try await DaemonRig(in: rig.folder, orders: orders.path, printers: "[\(counter.entry())]")
    #expect(try await next.untilPrinted("one"))
    await next.stop()
    #expect(counter.count(of: "Oolong") == 1)
    counter.server.stop()
  }

  @Test("A limit on the size of files: 507, nothing is taken or printed; then it goes on by itself")
  func fileSizeLimit() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try await fullDisk(rig, orders) { isFull in
      var log = stat()
      guard !isFull || stat(rig.folder.path("state/journal.sqlite-wal"), &log) == 0 else { return false }
      // The soft limit alone, so that it can be taken back.
      let limit = isFull ? "\(log.st_size)" : "unlimited"
      let words = ["--pid", "\(rig.daemon.pid)", "--fsize=\(limit):unlimited"]
      return try await ChildProcess("prlimit", words).end == .exit(0)
    }
  }

  @Test(
    "A full disk: 507, nothing is taken or printed; then it goes on by itself",
    .enabled(if: SmallDisk.isAllowed, "mounting needs root"))
  func fullDisk() async throws {
    let orders = try Orders()
    let folder = try TemporaryFolder()
    try Files.makeFolder(folder.path("state"))
    let disk = try SmallDisk(at: folder.path("state"))
    let rig = try await DaemonRig(in: folder, orders: orders.path)
    try await fullDisk(rig, orders) { isFull in isFull ? disk.fill() : disk.clear() }
    disk.unmount()
  }

  private func fullDisk(
    _ rig: DaemonRig, _ orders: Orders, _ setFull: (Bool) async throws -> Bool
  ) async throws {
    try orders.add("one", item: "Oolong")
    #expect(try await setFull(true))
    for _ in 0..<2 {
      let refused = try await rig.post(Wakes.naming("one"), id: "msg_full")
      let text = String(decoding: refused.body, as: UTF8.self)
      #expect(refused.status == 507, "\(text)")
      #expect(text.contains("journal"), "\(text)")
      #expect(text.contains("send it again"), "\(text)")
    }
    #expect(try rig.paper().isEmpty)
    #expect(try await setFull(false))
    let taken = try await rig.post(Wakes.naming("one"), id: "msg_full")
    #expect(taken.status == 200, "a delivery that was not taken is no replay")
    let completion = try DocumentReader.read(CompletionMessage.self, from: taken.body)
    #expect(completion.outcome == "printed", "\(completion)")
    #expect(await rig.stop() == .exit(0))
    #expect(try rig.paper().count == 1)
  }
}

/// A file system of its own in memory that can be filled up.
private final class SmallDisk {
  private let path: String
  private var isMounted = true

  /// Whether this process may mount.
  static let isAllowed: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
    guard mount("none", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(folder.path, Int32(MNT_DETACH)) == 0
  }()

  init(at path: String) throws {
    guard mount("none", path, "tmpfs", 0, "size=2m") == 0 else { throw Fixtures.Missing(path: path) }
    self.path = path
  }

  func fill() -> Bool {
    let file = open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    let block = [UInt8](repeating: 0, count: 4096)
    while write(file, block, block.count) > 0 {}
    return errno == ENOSPC
  }

  func clear() -> Bool { unlink("\(path)/filler") == 0 }

  func unmount() {
    if isMounted { umount2(path, Int32(MNT_DETACH)) }
    isMounted = false
  }

  deinit { unmount() }
}
