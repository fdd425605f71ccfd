import PrintJobs
import Testing

@testable import PrintJournal

struct AnnounceTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private let payment = PaymentKey(orderID: "A")

  @Test func `a payment is announced once, whatever the delivery, also after a restart`() async throws {
    var journal = try await Journal.open(path: scratch.path)
    let first = try await journal.receive(
      [.receipt("A")], deliveryID: "push-1", cursor: nil, announcing: payment)
    let again = try await journal.receive(
      [.receipt("A")], deliveryID: "push-2", cursor: nil, announcing: payment)
    #expect(first.announces && !again.announces)
    #expect(try await !journal.receive([], deliveryID: nil, cursor: nil).announces, "nobody asked")
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    #expect(try await !journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces)
    let other = PaymentKey(deliveryID: "A")
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: other).announces)
  }

  @Test func `a delivery seen before announces nothing`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([], deliveryID: "push-1", cursor: nil)
    let replay = try await journal.receive([], deliveryID: "push-1", cursor: nil, announcing: payment)
    #expect(replay.replayed && !replay.announces)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces)
  }

  @Test(
    arguments: [.played, .muted, .expired, .noDevice, .failed("the server is gone"), .silent] as [VoiceEnd])
  func `every job of the order shows how its announcement ended, and a copy does not`(end: VoiceEnd)
    async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    let kitchen = NewJob(key: JobKey(orderID: "A", kind: "kitchen"), printer: "k", expiresAt: 9)
    let received = try await journal.receive(
      [.receipt("A"), kitchen], deliveryID: nil, cursor: nil, announcing: payment)
    #expect(received.entries.map(\.job.voice) == [.pending, .pending])
    try await journal.announced(payment, end)
    _ = try await journal.receive([.receipt("A", copy: 2), .receipt("B")], deliveryID: nil, cursor: nil)
    #expect(try await journal.history(limit: 9).map(\.voice) == [nil, nil, .ended(end), .ended(end)])
    #expect(try await journal.job(1)?.voice == .ended(end))
    #expect(try await journal.unfinished().map(\.voice) == [.ended(end), .ended(end), nil, nil])
  }

  @Test func `the last word about an announcement stays`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([.receipt("A")], deliveryID: nil, cursor: nil, announcing: payment)
    try await journal.announced(payment, .failed("late"))
    try await journal.announced(payment, .played)
    #expect(try await journal.job(1)?.voice == .ended(.played))
    let error = await journalError { () async throws(JournalError) in
      try await journal.announced(PaymentKey(orderID: "nobody"), .played)
    }
    #expect(error?.code == .notFound)
  }

  @Test func `what a dead process was saying has failed, and is not said again`() async throws {
    var journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([.receipt("A")], deliveryID: nil, cursor: nil, announcing: payment)
    _ = try await journal.receive(
      [.receipt("B")], deliveryID: nil, cursor: nil, announcing: PaymentKey(orderID: "B"))
    try await journal.announced(PaymentKey(orderID: "B"), .played)
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive(
      [.receipt("C")], deliveryID: nil, cursor: nil, announcing: PaymentKey(orderID: "C"))
    try await journal.endLostAnnouncements()
    #expect(
      try await journal.unfinished().map(\.voice) == [
        .ended(.failed("printd or the power failed while it was said")), .ended(.played), .pending,
      ])
    #expect(try await !journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces)
  }

  @Test func `announcements are forgotten with the history`() async throws {
    let time = SetTime()
    let journal = try await Journal.open(path: scratch.path, now: { time.now })
    _ = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment)
    try await journal.prune(now: time.now + 30 * 86400 - 1)
    #expect(try await !journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces)
    try await journal.prune(now: time.now + 30 * 86400 + 1)
    #expect(try await journal.number("SELECT count(*) FROM announcement") == 0)
  }

  @Test func `a rejected job begins anew in the transaction of the delivery, where that is asked for`()
    async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    let job = try await journal.make("A", [.rejected])
    try await journal.reported(job.id, as: .rejected, timeline: Timeline())
    let listed = try await journal.receive([.receipt("A")], deliveryID: nil, cursor: "c1")
    #expect(listed.entries.map(\.isNew) == [false] && listed.entries.first?.job.state == .rejected)
    var mended = NewJob.receipt("A", order: [0x7B, 0x7D])
    mended.expiresAt = 7
    let received = try await journal.receive(
      [mended], deliveryID: "push-1", cursor: nil, restartsRejected: true)
    let again = try #require(received.entries.first)
    #expect(again.isNew && again.job.id == job.id && again.job.state == .received)
    #expect(again.job.order == [0x7B, 0x7D] && again.job.expiresAt == 7)
    #expect(again.job.reportedAt == nil && again.job.finishedAt == nil && again.job.reason == "")
    let replay = try await journal.receive(
      [mended], deliveryID: "push-1", cursor: nil, restartsRejected: true)
    #expect(replay.replayed && replay.entries.map(\.isNew) == [false])
  }
}
