import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct RestartTests {
  private static func left(_ id: Int64, _ order: String, _ state: JobState, holding: String = "") -> Job {
    Job(
      id: id, key: JobKey(orderID: order, kind: "receipt"), printer: "front", state: state,
      receivedAt: Scene.opening - 60, expiresAt: Scene.opening + 60, order: Array(holding.utf8))
  }

  @Test("what a dead process was printing is in doubt, what was waiting is printed")
  func recover() async throws {
    let scene = try Scene()
    for job in [
      Self.left(1, "bread", .intent, holding: "bread"), Self.left(2, "milk", .sending, holding: "milk"),
      Self.left(3, "eggs", .received), Self.left(4, "salt", .fetched, holding: "salt"),
      Self.left(5, "rice", .rendered, holding: "rice"), Self.left(6, "tea", .received, holding: "tea"),
    ] { scene.journal.put(job) }
    try await scene.handler.start()
    for id in 1...6 { await scene.log.until("reported \(id)") }
    #expect(scene.states == [.unknown, .unknown, .printed, .printed, .printed, .printed])
    #expect(try scene.front.paper == ["eggs", "salt", "rice", "tea"])
    #expect(
      scene.log.words.filter { $0.hasPrefix("fetch") } == ["fetch eggs"], "the others are in the journal")
    #expect(Set(scene.orders.reports.map(\.outcome)) == ["unknown", "printed"])
  }

  @Test("payments that a dead process was announcing are named in the log and counted as failed")
  func lostVoices() async throws {
    let scene = try Scene()
    scene.journal.lose(PaymentKey(orderID: "bread"), PaymentKey(deliveryID: "a"))
    try await scene.handler.start()
    await scene.log.until("note: nobody knows whether they were heard: order:bread, delivery:a")
    #expect(await scene.handler.status().counts.announcements == ["failed": 2])
    let quiet = try Scene()
    try await quiet.handler.start()
    #expect(await quiet.handler.status().counts.announcements.isEmpty)
  }

  @Test("what has expired while nobody was there is not printed")
  func expired() async throws {
    let scene = try Scene()
    var job = Self.left(1, "bread", .rendered, holding: "bread")
    job.expiresAt = Scene.opening - 1
    scene.journal.put(job)
    try await scene.handler.start()
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
    #expect(try scene.front.paper == [])
  }

  @Test("a journal that cannot be written stops the start")
  func brokenJournal() async throws {
    let scene = try Scene()
    scene.journal.put(Self.left(1, "bread", .intent, holding: "bread"))
    scene.journal.fail("unknown")
    await #expect(throws: JournalError.self) { try await scene.handler.start() }
    #expect(try scene.front.paper == [])
  }

  @Test("stopping finishes the receipt in hand and its report, and leaves the rest in the journal")
  func stop() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(.init())] }
    let bread = try await scene.wake("bread")
    await scene.log.until("fence front")
    let milk = try await scene.wake("milk")
    await scene.log.until("fetched 2")
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    // Two wakes, the proof and the stop itself have their alarms.
    await scene.clock.sleepers(atLeast: 4)
    await #expect(throws: Refusal(.stopping, "printd is stopping; send the wake again")) {
      try await scene.wake("eggs")
    }
    try scene.front.confirm()
    await stopped
    #expect(await bread.value.outcome == .printed(.fence))
    #expect(await milk.value.result == .failed)
    #expect(scene.states == [.printed, .fetched])
    #expect(scene.orders.reports.map(\.orderID) == ["bread"])
    #expect(try scene.front.paper == ["bread"])
    #expect(try scene.front.closed == 1)
  }

  @Test("stopping calls off the opening of a link before it ends, and closes one that opens nevertheless")
  func stopWhileConnecting() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSilent = true }
    let bread = try await scene.wake("bread")
    await scene.log.until("open front")
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(scene.log.count(of: "called off front") == 1)
    #expect(await bread.value.result == .failed)
    #expect(scene.states == [.fetched])

    let other = try Scene()
    try other.front.script { $0.isSlow = true }
    _ = try await other.wake("bread")
    await other.log.until("open front")
    async let stopped: Void = other.handler.stop(by: other.clock.now.advanced(by: .seconds(5)))
    // The wake, the opening and the stop itself have their alarms.
    await other.clock.sleepers(atLeast: 2)
    try other.front.appear()
    await stopped
    #expect(try (other.front.opened, other.front.closed) == (1, 1))
  }

  @Test("a receipt that does not end by the stop's deadline is given up in doubt, and its link is closed")
  func stopByDeadline() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(.init())] }
    scene.orders.holdReports()
    let bread = try await scene.wake("bread")
    await scene.log.until("fence front")
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    // The wake, the proof and the stop itself have their alarms.
    await scene.clock.sleepers(atLeast: 3)
    #expect(try scene.front.closed == 0)
    scene.clock.advance(by: .seconds(5))
    await stopped
    #expect(try scene.front.closed == 1)
    let reason = "the print was not confirmed: printd was stopped"
    #expect(await bread.value.jobs.map(\.outcome) == [.unknown(reason)])
    #expect(scene.states == [.unknown])
    #expect(scene.journal.all.map(\.reason) == [reason])
    scene.orders.letGo()

    let next = try Scene()
    for job in scene.journal.all {
      var job = job
      job.reportedAt = nil
      next.journal.put(job)
    }
    try await next.handler.start()
    await next.log.until("reported 1")
    #expect(next.states == [.unknown])
    #expect(next.log.count(of: "open front") == 0)
  }

  @Test("a receipt that the printer takes no more of is given up by the stop's deadline as well")
  func stopInMidJob() async throws {
    let scene = try Scene()
    try scene.front.script { $0.sending = [.stalls(after: 3)] }
    _ = try await scene.wake("bread")
    await scene.log.until("sent bre")
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(5))
    await stopped
    #expect(try scene.front.closed == 1)
    #expect(scene.states == [.unknown])
    #expect(scene.journal.all.map(\.reason) == ["the link took 3 of 5 bytes: printd was stopped"])
  }

  @Test("a journal that cannot be written does not keep a stop from closing the link")
  func stopWithFullDisk() async throws {
    let scene = try Scene()
    scene.journal.fail("printed", times: 100)
    _ = try await scene.wake("bread")
    await scene.log.until("journal fails: printed")
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .milliseconds(500)))
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .milliseconds(500))
    await stopped
    #expect(try scene.front.closed == 1)
    #expect(scene.states == [.intent], "in doubt for the next start")
  }

  @Test("who waits for a page is answered when a stop begins, and for the one in hand at its deadline")
  func stopWithPages() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(.init())] }
    async let first = scene.testPage()
    await scene.log.until("fence front")
    async let second = scene.testPage()
    // Each page and the proof have their alarms.
    await scene.clock.sleepers(atLeast: 3)
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(try await second == .notPrinted("printd is stopping"))
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(5))
    await stopped
    #expect(try await first == .unknown("the print was not confirmed: printd was stopped"))
    #expect(try scene.front.closed == 1)
    #expect(try scene.front.paper == ["ruler"])
  }
}
