import PrintJobs
public import PrintJournal
import Testing
public import WakeHandler

// The journal is the port that the story of a wake asks for.
extension Journal: JobPort {}

struct ReceiveTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `an order becomes a job once, whatever the channel and however often`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let port: any JobPort = journal
    let first = try await port.receive([.receipt("A")], deliveryID: "push-1", cursor: nil)
    let again = try await port.receive([.receipt("A"), .receipt("B")], deliveryID: nil, cursor: "c1")
    #expect(first.entries.map(\.isNew) == [true])
    #expect(again.entries.map(\.isNew) == [false, true])
    #expect(again.entries.first?.job == first.entries.first?.job)
    #expect(try await journal.cursor() == "c1")
  }

  @Test func `a job asked for twice in one call is made once`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let received = try await journal.receive([.receipt("A"), .receipt("A")], deliveryID: nil, cursor: nil)
    #expect(received.entries.map(\.isNew) == [true, false])
  }

  @Test func `a delivery seen before makes nothing and leaves the cursor, also after a restart`() async throws
  {
    var journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([.receipt("A")], deliveryID: "push-1", cursor: "c1")
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    let replay = try await journal.receive(
      [.receipt("B"), .receipt("A")], deliveryID: "push-1", cursor: "c2")
    #expect(replay.replayed)
    #expect(replay.entries.map(\.job.key.orderID) == ["A"])
    #expect(replay.entries.map(\.isNew) == [false])
    #expect(try await journal.cursor() == "c1")
    #expect(try await journal.jobs(orderID: "B").isEmpty)
  }

  @Test func `kinds and copies of an order are jobs of their own, and the next copy is counted`() async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.nextCopy(orderID: "A", kind: "receipt") == 1)
    let kitchen = NewJob(key: JobKey(orderID: "A", kind: "kitchen"), printer: "k", originals: 2, expiresAt: 9)
    let made = try await journal.receive(
      [.receipt("A"), kitchen, .receipt("A", copy: 2)], deliveryID: nil, cursor: nil)
    #expect(made.entries.map(\.isNew) == [true, true, true])
    #expect(made.entries.map(\.job.originals) == [1, 2, 1])
    #expect(try await journal.nextCopy(orderID: "A", kind: "receipt") == 3)
    #expect(try await journal.nextCopy(orderID: "A", kind: "kitchen") == 2)
    #expect(
      try await journal.jobs(orderID: "A").map(\.key.description) == [
        "A/receipt/1", "A/kitchen/1", "A/receipt/2",
      ])
  }

  @Test(arguments: [
    "", "a\u{0}b", "'; DROP TABLE job; --", "单号-187", "e\u{301}", String(repeating: "x", count: 70_000),
  ])
  func `an order's id is kept as it came`(id: String) async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([.receipt(id, order: Array(id.utf8))], deliveryID: id, cursor: id)
    let jobs = try await journal.jobs(orderID: id)
    #expect(jobs.map { Array($0.key.orderID.utf8) } == [Array(id.utf8)])
    #expect(jobs.map(\.order) == [Array(id.utf8)])
    #expect(try await journal.cursor().map { Array($0.utf8) } == Array(id.utf8))
    #expect(try await journal.receive([], deliveryID: id, cursor: nil).replayed)
  }
}
