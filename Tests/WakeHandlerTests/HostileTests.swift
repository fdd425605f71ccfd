import Dispatch
import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing
import WakeHandler

/// What the world does at the worst moment.
@Suite(.timeLimit(.minutes(1)))
struct HostileTests {
  @Test("a job whose time is over while the printer answers at the gate is not printed")
  func expiresAtTheGate() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .order("paid -7195"))
    try scene.front.script { $0.atGate = { scene.clock.advance(by: .seconds(6)) } }
    _ = try await scene.wake("bread")
    await scene.log.until("reported 1")
    #expect(scene.log.count(of: "gate front") == 1)
    #expect(scene.states == [.expired])
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test("an order paid in the distant past has expired, whatever its clock thought")
  func paidLongAgo() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .order("paid -\(Scene.opening)"))
    let completion = try await scene.wake("bread")
    #expect(await completion.value.result == .failed)
    #expect(scene.states == [.expired])
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test("a date that is set back does not make a job young again")
  func dateSetBack() async throws {
    let back = Mutex(0.0)
    let scene = try Scene(policies: { policies in
      let date = policies.date
      policies.date = { date() - back.withLock { $0 } }
    })
    try scene.front.script { $0.opens = [.unreachable] }
    _ = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    back.withLock { $0 = 86_400 }
    try scene.front.script { $0.opens = [] }
    scene.clock.advance(by: .seconds(2 * 60 * 60 + 1))
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test("dates that no clock can show do no harm", arguments: [1e300, -1e300, .infinity, -.infinity])
  func absurdDates(date: Double) async throws {
    let scene = try Scene()
    scene.journal.put(
      Job(
        id: 1, key: JobKey(orderID: "bread", kind: "receipt"), printer: "front", state: .received,
        receivedAt: -date, expiresAt: date))
    try await scene.handler.start()
    await scene.log.until("reported 1")
    // Past its expiry it must not print; with one that never comes it may.
    #expect(scene.states == [date < 0 ? .expired : .printed])
  }

  @Test("an order that takes for ever to render holds up nobody's completion, and the watchdog hears of it")
  func endlessRendering() async throws {
    let scene = try Scene()
    let go = DispatchSemaphore(value: 0)
    var policies = Policies()
    policies.date = { Scene.opening }
    let ports = Ports(
      orders: scene.orders, jobs: scene.journal,
      prepare: { (_, _, _) throws(DocumentFault) in
        scene.log.say("rendering")
        go.wait()
        return .unwanted("nobody wants it any more")
      })
    let handler = WakeHandler(
      ports: ports, printers: scene.setups, clock: scene.clock, policies: policies)
    let body = Array(#"{"aps":{"content-available":1},"data":{"order_id":"bread"}}"#.utf8)
    guard case .accepted(let completion) = await handler.accept(WakeDelivery(body: body, channel: "test"))
    else {
      Issue.record("refused")
      return
    }
    await scene.log.until("rendering")
    #expect(await handler.status().printers.first?.queued == 1)
    scene.clock.advance(by: .milliseconds(9700))
    #expect(await completion.value.result == .failed)
    #expect(handler.progress.overdue(at: scene.clock.now) == [])
    scene.clock.advance(by: .seconds(31))
    #expect(handler.progress.overdue(at: scene.clock.now) == ["front"])
    go.signal()
    await scene.log.until("reported 1")
    #expect(scene.states == [.cancelled])
  }

  @Test("a full disk and a job whose time is over do not keep the line spinning")
  func overdueOnFullDisk() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable] }
    let completion = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    scene.clock.advance(by: .milliseconds(9700))
    _ = await completion.value
    scene.journal.fail("expired", times: .max)
    scene.clock.advance(by: .seconds(2 * 60 * 60))
    await scene.log.until("journal fails: expired")
    // Nothing else sleeps: the wake is over, and nothing is being reported.
    await scene.clock.sleepers(atLeast: 1)
    #expect(scene.log.count(of: "journal fails: expired") <= 2)
    scene.journal.fail("expired", times: 0)
    scene.clock.advance(by: .seconds(72))
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test("a link that was asked for before the printer was replaced is not printed on")
  func replacedWhileConnecting() async throws {
    let scene = try Scene(printers: ["front", "spare"], routes: [Route(printer: "front")])
    let spare = try #require(scene.printers["spare"])
    try scene.front.script { $0.isSlow = true }
    scene.orders.answer("bread", .fails(.unavailable), .order("bread"))
    _ = try await scene.wake("bread")
    await scene.log.until("open front")
    await scene.log.until("note: the order could not be fetched: told to fail")
    var moved = try #require(scene.setups.last)
    moved.name = "front"
    await scene.handler.replace(printers: [moved], routes: [Route(printer: "front")])
    // The line has nothing to do but to take the new setup over.
    while await scene.handler.status().printers.first?.isConnected != false { await Task.yield() }
    try scene.front.appear()
    await scene.log.until("close front")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(1))
    await scene.log.until("reported 1")
    #expect(spare.opened == 1)
    #expect(spare.paper == ["bread"])
    #expect(try scene.front.paper == [])
  }

  @Test("a wake that comes before the start is over is printed once and is not in doubt")
  func wakeBeforeStart() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    try await scene.handler.start()
    #expect(scene.states == [.intent])
    try scene.front.confirm()
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.log.count(of: "unknown 1") == 0)
  }

  @Test("a start that fails has begun nothing")
  func failedStart() async throws {
    let scene = try Scene()
    for (id, state) in [(1, JobState.received), (2, .intent)] {
      scene.journal.put(
        Job(
          id: Int64(id), key: JobKey(orderID: "order \(id)", kind: "receipt"), printer: "front", state: state,
          receivedAt: Scene.opening, expiresAt: Scene.opening + 60))
    }
    scene.journal.fail("unknown")
    await #expect(throws: JournalError.self) { try await scene.handler.start() }
    #expect(await scene.handler.status().printers.map(\.queued) == [0])
  }

  @Test("two persons who have a job printed again get one copy")
  func resolvedTwice() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.lost, .proven] }
    _ = try await scene.wake("bread").value
    await scene.log.until("reported 1")
    let verdicts = await withTaskGroup(of: Bool.self) { group in
      for verdict in [Verdict.reprint, .reprint, .printed, .discard] {
        group.addTask { (try? await scene.handler.resolve(1, as: verdict)) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(verdicts == 1)
    #expect(scene.states.count <= 2)
  }

  @Test("an order that the journal has lost is fetched again, also when another job is at the head")
  func lostOrder() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .waits("bread"))
    for (id, order, state) in [(1, "bread", JobState.received), (2, "milk", .rendered)] {
      scene.journal.put(
        Job(
          id: Int64(id), key: JobKey(orderID: order, kind: "receipt"), printer: "front", state: state,
          receivedAt: Scene.opening, expiresAt: Scene.opening + 60))
    }
    try await scene.handler.start()
    await scene.log.until("rendered 2")
    scene.orders.letGo()
    await scene.log.until("reported 2")
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("pending orders are not passed over while there is no printer for them")
  func noPrinterYet() async throws {
    let scene = try Scene(printers: [])
    scene.orders.list((ids: ["bread"], cursor: "1"))
    let wake = try await scene.wake(nil)
    #expect(await wake.value.result == .failed)
    #expect(scene.journal.storedCursor == nil)
    #expect(scene.states == [])
    let other = try Scene()
    await scene.handler.replace(printers: other.setups, routes: [])
    await scene.log.until("received 1")
    #expect(scene.journal.storedCursor == "1")
  }

  @Test("many reports that the backend refuses do not keep the reporter spinning")
  func manyRefused() async throws {
    let scene = try Scene()
    for id in 1...150 {
      scene.journal.put(
        Job(
          id: Int64(id), key: JobKey(orderID: "\(id)", kind: "receipt"), printer: "front", state: .printed,
          confirmation: .fence, receivedAt: Scene.opening, expiresAt: Scene.opening + 60,
          finishedAt: Scene.opening))
    }
    scene.orders.failReports(.init(repeating: .refused, count: 150))
    try await scene.handler.start()
    await scene.log.until("report printed", 150)
    // It sleeps, for the first time, until it tries them again.
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(60 * 60))
    await scene.log.until("reported 150")
    #expect(scene.orders.reports.count == 150)
  }

  @Test("a service that takes no reports has nothing to acknowledge: the job is done and is not tried again")
  func noReports() async throws {
    let scene = try Scene()
    scene.orders.failReports(.unsupported)
    let completion = try await scene.wake("bread")
    #expect(await completion.value.outcome == .printed(.fence))
    await scene.log.until("reported 1")
    try await scene.handler.start()
    await scene.log.until("pending after nothing")
    #expect(scene.log.count(of: "report printed") == 1)
    #expect(try await scene.journal.unreported(limit: 9).isEmpty)
  }

  @Test("a test page is made from what the printer has just said, and not at all when it cannot print")
  func testPageKnowsTheStatus() async throws {
    let scene = try Scene()
    var low = PrinterStatus()
    low.paper = .nearEnd
    var out = PrinterStatus()
    out.paper = .end
    try scene.front.script { [low, out] in $0.gates = [.ready(low), .notReady(out)] }
    let page: @Sendable (PrinterConversation.Gate) throws -> [UInt8] = { gate in
      guard case .ready(let status) = gate else { return [] }
      return Array("paper \(status.paper?.rawValue ?? "")".utf8)
    }
    #expect(try await scene.testPage(page) == .printed(.fence))
    #expect(try await scene.testPage(page) == .notPrinted("paper out"))
    #expect(try scene.front.paper == ["paper nearEnd"])
  }

  @Test("a test page that cannot be made is said to be so, and the line goes on")
  func testPageFails() async throws {
    struct Torn: Error {}
    let scene = try Scene()
    let outcome = try await scene.testPage { _ in throw Torn() }
    #expect(outcome == .notPrinted("the page cannot be made: Torn()"))
    let bread = try await scene.wake("bread")
    #expect(await bread.value.outcome == .printed(.fence))
  }
}
