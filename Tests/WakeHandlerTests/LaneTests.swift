import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct LaneTests {
  @Test("the order is fetched while the link is being opened")
  func sideBySide() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSlow = true }
    scene.orders.answer("bread", .waits("bread"))
    let completion = try await scene.wake("bread")
    await scene.log.until("open front")
    await scene.log.until("fetch bread")
    scene.orders.letGo()
    try scene.front.appear()
    #expect(await completion.value.outcome == .printed(.fence))
  }

  @Test("a good print costs four commits: received, intent, printed, reported")
  func commits() async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread").value
    await scene.log.until("reported 1")
    #expect(scene.journal.commits == 4)
    #expect(
      scene.log.words.filter { $0.hasSuffix(" 1") } == ["received 1", "intent 1", "printed 1", "reported 1"])
    let job = try #require(scene.journal.all.first)
    #expect(job.order == Array("bread".utf8))
    #expect(job.attempt == 1)
    #expect(job.bytesTotal == 5 && job.bytesAccepted == 5)
    #expect(job.confirmation == .fence)
    #expect(
      job.timeline.received == 0 && job.timeline.fetched == 0 && job.timeline.connected == 0
        && job.timeline.firstByte == 0 && job.timeline.fence == 0 && job.timeline.reported == 0)
  }

  @Test("a job of one printer is not held up by another printer")
  func otherPrinters() async throws {
    let scene = try Scene(
      printers: ["front", "kitchen"],
      routes: [Route(printer: "front"), Route(kind: "kitchen", printer: "kitchen")])
    try scene.front.script { $0.opens = [.unreachable] }
    let completion = try await scene.wake("bread")
    await scene.log.until("reported 2")
    let kitchen = try #require(scene.printers["kitchen"])
    #expect(kitchen.paper == ["bread"])
    #expect(completion.current == nil)
    await scene.log.until("note: waiting: the printer is off")
    scene.clock.advance(by: .milliseconds(9700))
    let value = await completion.value
    #expect(value.outcome == .queued("the printer is off"))
    #expect(value.jobs.map(\.outcome) == [.queued("the printer is off"), .printed(.fence)])
    #expect(value.timeline.fence == nil, "the wake as a whole has not come that far")
  }

  @Test("1,000 wakes in a burst are printed in order, eight orders fetched at once at most")
  func burst() async throws {
    let scene = try Scene()
    let count = 1000
    let completions = try await withThrowingTaskGroup(of: (Int, Completion).self) { group in
      for number in 0..<count {
        group.addTask { (number, try await scene.wake("order \(number)", id: "delivery \(number)")) }
      }
      return try await group.reduce(into: [Completion?](repeating: nil, count: count)) { $0[$1.0] = $1.1 }
    }
    var printed = 0
    for completion in completions {
      if await completion?.value.outcome == .printed(.fence) { printed += 1 }
    }
    #expect(printed == count)
    let paper = try scene.front.paper
    #expect(paper == scene.journal.all.map(\.key.orderID), "in the order of the journal")
    #expect(paper.count == count)
    #expect(scene.orders.mostActive <= 8)
    #expect(try scene.front.opened == 1)
    #expect(scene.orders.reports.count == count)
    let status = await scene.handler.status()
    #expect(status.openWakes == 0 && status.awaitedOrders == 0)
    #expect(status.printers.map(\.queued) == [0])
    #expect(status.counts.accepted == count)
    #expect(status.counts.completions == ["printed": count])
  }

  @Test("an order that cannot be had lets the jobs behind it pass, and is printed when it comes")
  func awaitedOrderIsPassed() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .fails(.unavailable), .order("bread"))
    let bread = try await scene.wake("bread")
    await scene.log.until("note: the order could not be fetched: told to fail")
    let milk = try await scene.wake("milk")
    #expect(await milk.value.outcome == .printed(.fence))
    #expect(bread.current == nil)
    scene.clock.advance(by: .seconds(1))
    #expect(await bread.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["milk", "bread"])
  }

  @Test("the first try for an order is waited for, so that the line keeps its order")
  func firstTryIsWaitedFor() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .waits("bread"))
    let bread = try await scene.wake("bread")
    await scene.log.until("fetch bread")
    let milk = try await scene.wake("milk")
    await scene.log.until("fetched 2")
    #expect(try scene.front.paper == [])
    scene.orders.letGo()
    _ = await bread.value
    _ = await milk.value
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("the link stays open for the next job and is closed when it has been idle for 45 s")
  func warmLink() async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread").value
    scene.clock.advance(by: .seconds(44))
    _ = try await scene.wake("milk").value
    #expect(try scene.front.opened == 1)
    await scene.log.until("reported 2")
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(46))
    await scene.log.until("close front")
    #expect(try scene.front.opened == 1 && scene.front.closed == 1)
    _ = try await scene.wake("eggs").value
    #expect(try scene.front.opened == 2)
    #expect(try scene.front.paper == ["bread", "milk", "eggs"])
  }

  @Test("a link that died in silence after a job is opened anew at once", arguments: [true, false])
  func deadWarmLink(atTheGate: Bool) async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread").value
    try scene.front.script {
      if atTheGate { $0.gateErrors = [.lost, nil] } else { $0.sending = [.loses(after: 0), .takesAll] }
    }
    let completion = try await scene.wake("milk")
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 2)
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("a test print goes through the same line and never into the journal")
  func testPrint() async throws {
    let scene = try Scene()
    #expect(try await scene.testPage() == .printed(.fence))
    #expect(try scene.front.paper == ["ruler"])
    #expect(scene.journal.commits == 0)
    try scene.front.script { $0.sending = [.loses(after: 1)] }
    #expect(
      try await scene.testPage()
        == .unknown("the link took 1 of 5 bytes: the printer is gone"))
    try scene.front.script { $0.opens = [.unreachable] }
    #expect(
      try await scene.testPage()
        == .notPrinted("the printer is off"))
    await #expect(throws: Refusal(.notFound, "no printer is called \"fornt\"; did you mean \"front\"?")) {
      try await scene.testPage(on: "fornt")
    }
  }

  @Test("a printer that is gone from the configuration keeps its jobs until it is back")
  func replace() async throws {
    let scene = try Scene()
    await scene.handler.replace(printers: [], routes: [Route(printer: "front")])
    let completion = try await scene.wake("bread")
    await scene.log.until("note: waiting: printer \"front\" is not in the configuration")
    #expect(await scene.handler.status().printers.map(\.isConfigured) == [false])
    await scene.handler.replace(printers: scene.setups, routes: [])
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(await scene.handler.status().printers.map(\.isConfigured) == [true])
  }
}
