import Glibc
import OrderService
import PrintJobs
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DirectoryOrderServiceTests {
  private let folder: TemporaryFolder
  private let service: DirectoryOrderService

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/orders", 0o755)
    service = DirectoryOrderService(orders: folder.path + "/orders", reports: folder.path + "/reports.jsonl")
  }

  @Test("An order is its file", arguments: ["17", "20261130-000187", "a b", "实收", "a.b", "-rf", "%2F"])
  func order(id: String) async throws {
    try folder.write("orders/\(id).json", #"{"id":"x"}"#)
    #expect(try await service.order(id, by: within(40)) == Array(#"{"id":"x"}"#.utf8))
  }

  @Test(
    "Ids that are no file names are refused",
    arguments: [
      "", ".", "..", ".hidden", "../17", "a/b", "/etc/passwd", "a\0", "a\nb",
      String(repeating: "x", count: 201),
    ])
  func awkwardIDs(id: String) async throws {
    try folder.write("orders/.hidden.json", "{}")
    #expect(await code { try await service.order(id, by: within(40)) } == .refused)
  }

  @Test("What is not there is not found")
  func missing() async throws {
    #expect(await code { try await service.order("17", by: within(40)) } == .notFound)
  }

  @Test("Links, folders and pipes are no orders, and do not block")
  func notFiles() async throws {
    try folder.write("secret.json", "{}")
    symlink(folder.path + "/secret.json", folder.path + "/orders/link.json")
    mkdir(folder.path + "/orders/folder.json", 0o755)
    mkfifo(folder.path + "/orders/pipe.json", 0o644)
    for id in ["link", "folder", "pipe"] {
      #expect(await code { try await service.order(id, by: within(40)) } == .refused, "\(id)")
    }
    rmdir(folder.path + "/orders/folder.json")
  }

  @Test("A file that is no JSON may be in the making for ten seconds, and is refused after them")
  func half() async throws {
    try folder.write("orders/17.json", #"{"id":"#)
    #expect(await code { try await service.order("17", by: within(40)) } == .unavailable)
    folder.setTime("orders/17.json", 1_700_000_000)
    #expect(await code { try await service.order("17", by: within(40)) } == .refused)
  }

  @Test("A file of more than 1 MiB is refused")
  func huge() async throws {
    try folder.write("orders/17.json", "{\"a\":\"" + String(repeating: "x", count: 1 << 20) + "\"}")
    #expect(await code { try await service.order("17", by: within(40)) } == .refused)
  }

  @Test("A folder that is not there is unavailable, and the message says what to do")
  func noFolder() async throws {
    let service = DirectoryOrderService(orders: folder.path + "/none", reports: "/nowhere/reports")
    #expect(await code { try await service.order("17", by: within(40)) } == .unavailable)
    #expect(await code { try await service.pending(after: nil, by: within(40)) } == .unavailable)
    let report = try #require(Report(.printed))
    #expect(await code { try await service.report(report, by: within(40)) } == .unavailable)
  }

  @Test("After the deadline nothing is read or written")
  func deadline() async throws {
    let report = try #require(Report(.printed))
    #expect(await code { try await service.report(report, by: within(-1)) } == .deadline)
    #expect(folder.read("reports.jsonl") == nil)
  }

  @Test("Reports are lines with their key, and a torn line does not take the next one with it")
  func reports() async throws {
    let report = try #require(Report(.printed))
    try await service.report(report, by: within(40))
    try folder.write("reports.jsonl", (folder.read("reports.jsonl") ?? "") + #"{"torn":"#)
    try await service.report(report, by: within(40))
    let lines = (folder.read("reports.jsonl") ?? "").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first == lines.last)
    #expect(lines.first?.contains(#""idempotency_key":"17/receipt/1#printed""#) == true)
    #expect(lines.first?.contains(#""order_id":"17""#) == true)
    #expect(lines.first?.contains(#""outcome":"printed""#) == true)
  }

  @Test("Reports that come at once stay whole lines")
  func concurrentReports() async throws {
    let report = try #require(Report(.printed))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { [service] in try await service.report(report, by: within(30)) } }
      try await group.waitForAll()
    }
    let lines = (folder.read("reports.jsonl") ?? "").split(separator: "\n")
    #expect(lines.count == 50)
    #expect(Set(lines).count == 1)
  }

  @Test("Every file is pending once it is there, whatever its date, and other things are not")
  func pending() async throws {
    for name in ["b.json", "a.json", ".hidden.json", "c.json.new", "d.txt"] {
      try folder.write("orders/\(name)", "{}")
    }
    mkdir(folder.path + "/orders/folder.json", 0o755)
    let first = try await service.pending(after: nil, by: within(40))
    #expect(first.orderIDs == ["b", "a"])
    try folder.write("old.json", "{}")
    folder.setTime("old.json", 1_000_000_000)
    rename(folder.path + "/old.json", folder.path + "/orders/old.json")
    let second = try await service.pending(after: first.cursor, by: within(40))
    #expect(second.orderIDs.last == "old")
    rmdir(folder.path + "/orders/folder.json")
  }

  @Test(
    "A cursor of another service lists everything",
    arguments: ["", "17", "d1:", "d1:x", "d1:1:2", "d2:1", "d1:1:x:y"])
  func foreignCursor(cursor: String) async throws {
    try folder.write("orders/a.json", "{}")
    #expect(try await service.pending(after: cursor, by: within(40)).orderIDs == ["a"])
  }
}
