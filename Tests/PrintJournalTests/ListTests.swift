import PrintJobs
import PrintJournal
import Testing

struct ListTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `lists give the oldest first, the history the newest first and page by page`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let a = try await journal.make("A", .toPrinted)
    let b = try await journal.make("B", [.expired])
    let c = try await journal.make("C", [.fetched])
    let d = try await journal.make("D")
    _ = try await journal.advance(d.id, through: [.fetched], change: order([1, 2, 3]))
    #expect(try await journal.unfinished().map(\.id) == [c.id, d.id])
    #expect(try await journal.unfinished().last?.order == [1, 2, 3])
    #expect(try await journal.unreported(limit: 10).map(\.id) == [a.id, b.id])
    #expect(try await journal.unreported(limit: 1).map(\.id) == [a.id])
    #expect(try await journal.unreported(limit: -1).isEmpty)
    let newest = try await journal.history(limit: 3)
    #expect(newest.map(\.id) == [d.id, c.id, b.id])
    #expect(newest.allSatisfy { $0.order.isEmpty })
    #expect(try await journal.history(limit: 3, before: b.id).map(\.id) == [a.id])
  }

  @Test func `counts tell states, reports to come and the oldest that waits`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.counts() == JournalCounts(jobs: [:], unreported: 0, oldestUnfinished: nil))
    let printed = try await journal.make("A", .toPrinted)
    _ = try await journal.make("B", .toPrinted)
    let waiting = try await journal.make("C")
    try await journal.reported(printed.id, as: .printed, timeline: Timeline())
    #expect(
      try await journal.counts()
        == JournalCounts(
          jobs: [.printed: 2, .received: 1], unreported: 1, oldestUnfinished: waiting.receivedAt))
  }

  private func order(_ bytes: [UInt8]) -> JobChange {
    var change = JobChange()
    change.order = bytes
    return change
  }
}
