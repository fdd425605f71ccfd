import PrintJobs
import Testing

@testable import PrintJournal

struct PruneTests {
  let scratch: Scratch
  let time = SetTime()
  init() throws { scratch = try Scratch() }

  private func open(historyDays: Int = 30) async throws(JournalError) -> Journal {
    let time = time
    return try await Journal.open(path: scratch.path, historyDays: historyDays, now: { time.now })
  }

  @Test func `what has ended and was reported is forgotten after the history's days, not before`()
    async throws
  {
    let journal = try await open()
    let job = try await journal.make("A", .toPrinted)
    _ = try await journal.receive([], deliveryID: "push-1", cursor: nil)
    try await journal.reported(job.id, as: .printed, timeline: Timeline())
    time.now += 30 * 86400 - 1
    #expect(try await journal.prune(now: time.now) == 0)
    #expect(try await journal.receive([], deliveryID: "push-1", cursor: nil).replayed)
    time.now += 2
    #expect(try await journal.prune(now: time.now) == 1)
    #expect(try await journal.history(limit: 9).isEmpty)
    #expect(try await !journal.receive([], deliveryID: "push-1", cursor: nil).replayed)
    let next = try await journal.make("B")
    #expect(next.id > job.id, "a number is never given to another job")
  }

  @Test func `a long history is forgotten whole, with all that belongs to it`() async throws {
    let journal = try await open()
    let orders = (0..<250).map { NewJob.receipt("\($0)", order: [0x20]) }
    for entry in try await journal.receive(orders, deliveryID: nil, cursor: "c").entries {
      _ = try await journal.advance(entry.job.id, through: [.cancelled], change: .nothing)
      try await journal.reported(entry.job.id, as: .cancelled, timeline: Timeline())
    }
    let kept = try await journal.make("kept")
    #expect(try await journal.prune(now: time.now + 31 * 86400) == 250)
    #expect(try await journal.history(limit: .max).map(\.id) == [kept.id])
    #expect(try await journal.number("SELECT count(*) FROM document") == 0)
    #expect(try await journal.number("SELECT count(*) FROM event") == 1)
    #expect(try await journal.cursor() == "c")
  }

  @Test func `what waits, or was never reported, is never forgotten`() async throws {
    let journal = try await open(historyDays: 0)
    _ = try await journal.make("waits", [.fetched])
    _ = try await journal.make("lost", .toIntent + [.unknown])
    _ = try await journal.make("printed", .toPrinted)
    time.now += 400 * 86400
    #expect(try await journal.prune(now: time.now) == 0)
    #expect(try await journal.history(limit: 9).count == 3)
    #expect(journal.historyDays == 1)
  }

  @Test func `what the backend refuses to hear of is forgotten with the rest, unless it went on since`()
    async throws
  {
    let journal = try await open()
    let refused = try await journal.make("refused", .toPrinted)
    try await journal.reportRefused(refused.id, as: .printed)
    let settled = try await journal.make("settled", .toIntent + [.unknown])
    try await journal.reportRefused(settled.id, as: .unknown)
    _ = try await journal.advance(settled.id, through: [.printed], change: .nothing)
    let error = await journalError { () async throws(JournalError) in
      try await journal.reportRefused(settled.id, as: .unknown)
    }
    #expect(error?.code == .conflict)
    #expect(
      try await journal.unreported(limit: 9).map(\.id) == [refused.id, settled.id], "both are still tried")
    time.now += 30 * 86400 - 1
    #expect(try await journal.prune(now: time.now) == 0)
    time.now += 2
    #expect(try await journal.prune(now: time.now) == 1)
    #expect(try await journal.history(limit: 9).map(\.id) == [settled.id])
  }

  @Test func `a job that ended before the clock was set is remembered from now on`() async throws {
    time.now = 40
    let journal = try await open()
    let job = try await journal.make("A", .toPrinted)
    _ = try await journal.receive([], deliveryID: "push-1", cursor: nil)
    try await journal.reported(job.id, as: .printed, timeline: Timeline())
    #expect(try await journal.prune(now: 100) == 0)
    time.now = 1_796_000_000
    #expect(try await journal.prune(now: time.now) == 0)
    #expect(try await journal.receive([], deliveryID: "push-1", cursor: nil).replayed)
    #expect(
      try await journal.receive([.receipt("A")], deliveryID: nil, cursor: nil).entries.map(\.isNew) == [false]
    )
    #expect(try await journal.prune(now: time.now + 31 * 86400) == 1)
  }
}
