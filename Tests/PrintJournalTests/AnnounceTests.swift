import PrintJobs
import Testing

@testable import PrintJournal

struct AnnounceTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private let payment = PaymentClaim(orderID: "A")
  private let key = PaymentKey(orderID: "A")

  @Test func `a payment is announced once, whatever the delivery, also after a restart`() async throws {
    var journal = try await Journal.open(path: scratch.path)
    let first = try await journal.receive(
      [.receipt("A")], deliveryID: "push-1", cursor: nil, announcing: payment)
    let again = try await journal.receive(
      [.receipt("A")], deliveryID: "push-2", cursor: nil, announcing: payment)
    #expect(first.announces == key && again.announces == nil)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil).announces == nil, "nobody asked")
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces == nil)
    let other = PaymentClaim(deliveryID: "A")
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: other).announces != nil)
  }

  @Test func `a delivery seen before announces nothing`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([], deliveryID: "push-1", cursor: nil)
    let replay = try await journal.receive([], deliveryID: "push-1", cursor: nil, announcing: payment)
    #expect(replay.replayed && replay.announces == nil)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces != nil)
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
    try await journal.announced(key, end)
    _ = try await journal.receive([.receipt("A", copy: 2), .receipt("B")], deliveryID: nil, cursor: nil)
    #expect(try await journal.history(limit: 9).map(\.voice) == [nil, nil, .ended(end), .ended(end)])
    #expect(try await journal.job(1)?.voice == .ended(end))
    #expect(try await journal.unfinished().map(\.voice) == [.ended(end), .ended(end), nil, nil])
  }

  @Test(
    arguments: zip(
      [.noDevice, .queueFull, .stopping, .played, .muted, .expired, .failed("x"), .silent] as [VoiceEnd],
      [true, true, true, false, false, false, false, false]))
  func `what nothing can have sounded of is announced again, as old as at first`(
    end: VoiceEnd, isAgain: Bool
  ) async throws {
    let time = SetTime()
    let start = time.now
    let journal = try await Journal.open(path: scratch.path, now: { time.now })
    let first = try await journal.receive(
      [.receipt("A")], deliveryID: nil, cursor: nil, announcing: payment)
    #expect(first.firstAskedAt == nil)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces == nil)
    try await journal.announced(key, end)
    time.now += 20
    let named = PaymentClaim(orderID: "A", id: "p1")
    let again = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: named)
    #expect(again.announces == (isAgain ? key : nil) && again.firstAskedAt == (isAgain ? start : nil))
    #expect(try await journal.job(1)?.voice == (isAgain ? .pending : .ended(end)))
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: named).announces == nil)
    #expect(try await journal.number("SELECT count(*) FROM announcement WHERE payment_id = 'p1'") == 1)
  }

  @Test func `a claim is told by its id before its amount, and by that before nothing`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    func claim(_ id: String?, _ amount: String?) async throws -> PaymentKey? {
      let claim = PaymentClaim(orderID: "A", id: id, amount: amount.flatMap { Money($0) })
      return try await journal.receive([], deliveryID: nil, cursor: nil, announcing: claim).announces
    }
    #expect(try await claim(nil, "3.00") != nil)
    #expect(try await claim("p1", "4.00") != nil)
    #expect(try await claim("p1", nil) == nil, "the second one, and the first has no id still")
    #expect(try await claim("p2", "3.00") == nil, "the first one")
    #expect(try await claim("p3", "3.00") != nil, "another one of as much")
  }

  @Test func `the last word about an announcement stays`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive([.receipt("A")], deliveryID: nil, cursor: nil, announcing: payment)
    try await journal.announced(key, .failed("late"))
    try await journal.announced(key, .played)
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
      [.receipt("B")], deliveryID: nil, cursor: nil, announcing: PaymentClaim(orderID: "B"))
    try await journal.announced(PaymentKey(orderID: "B"), .played)
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    _ = try await journal.receive(
      [.receipt("C")], deliveryID: nil, cursor: nil, announcing: PaymentClaim(orderID: "C"))
    #expect(try await journal.endLostAnnouncements() == [key])
    #expect(try await journal.endLostAnnouncements().isEmpty)
    #expect(
      try await journal.unfinished().map(\.voice) == [
        .ended(.failed("printd or the power failed while it was said")), .ended(.played), .pending,
      ])
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces == nil)
  }

  @Test(arguments: [PaymentClaim.init(orderID:id:amount:), PaymentClaim.init(refundOf:id:amount:)])
  func
    `what is told apart by id or amount is announced each by itself, and a delivery of the same again is not`(
      claim: @Sendable (String, String?, Money?) -> PaymentClaim
    ) async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    let told: [(id: String?, amount: String?, isNew: Bool, why: String)] = [
      ("p1", "3.00", true, "the first"), ("p1", "3.00", false, "the same"),
      (nil, "3.0", false, "by a channel that knows no ids"),
      ("p1", nil, false, "by one that knows no amounts"),
      (nil, nil, false, "by one that knows neither"), ("p2", "3.00", true, "as much again"),
      ("p2", "3", false, "the same"), (nil, "5.00", true, "another part"),
      ("p3", "-5.0000", false, "whose id comes later"), ("p4", "5.00", true, "so that this one is another"),
    ]
    for (id, amount, isNew, why) in told {
      let payment = claim("A", id, amount.flatMap { Money($0) })
      let received = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment)
      #expect((received.announces != nil) == isNew, "\(why)")
    }
    #expect(try await journal.number("SELECT count(*) FROM announcement") == 4)
  }

  @Test func `every announcement of an order has an end of its own, and its jobs tell of the first`()
    async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    var keys: [PaymentKey] = []
    for amount in ["3.00", "4.00", "5.00"] {
      let claim = PaymentClaim(orderID: "A", amount: Money(amount))
      keys.append(
        try #require(
          await journal.receive([.receipt("A")], deliveryID: nil, cursor: nil, announcing: claim).announces))
    }
    keys.append(
      try #require(
        await journal.receive([], deliveryID: nil, cursor: nil, announcing: PaymentClaim(refundOf: "A"))
          .announces))
    #expect(keys.map(\.text) == ["order:A", "payment:A#2", "payment:A#3", "refund:A#1"])
    for (key, end) in zip(keys, [.muted, .played, .noDevice, .expired] as [VoiceEnd]) {
      try await journal.announced(key, end)
    }
    #expect(try await journal.job(1)?.voice == .ended(.muted))
    let other = PaymentClaim(orderID: "A#2", amount: Money("3.00"))
    let next = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: other)
    #expect(next.announces?.text == "order:A#2")
    // What was forgotten leaves its number to another.
    try await journal.run("DELETE FROM announcement WHERE payment = 'payment:A#2'")
    let fourth = PaymentClaim(orderID: "A", amount: Money("6.00"))
    #expect(
      try await journal.receive([], deliveryID: nil, cursor: nil, announcing: fourth).announces?.text
        == "payment:A#2")
  }

  @Test func `announcements are forgotten with the history`() async throws {
    let time = SetTime()
    let journal = try await Journal.open(path: scratch.path, now: { time.now })
    _ = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment)
    try await journal.prune(now: time.now + 30 * 86400 - 1)
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces == nil)
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
