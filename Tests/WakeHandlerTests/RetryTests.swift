import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
  @Test("a printer that is off is tried after 1, 2, 5, 10, 30, 60 and 60 s, and prints when it is on")
  func backOff() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable] }
    let completion = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    var tries = 1
    for wait in [1, 2, 5, 10, 30, 60] {
      await scene.log.until("open front", tries)
      // The wake's own alarm sleeps until 9.7 s, the line until its next try.
      await scene.clock.sleepers(atLeast: completion.current == nil ? 2 : 1)
      scene.clock.advance(by: .seconds(wait) - .milliseconds(1))
      #expect(scene.log.count(of: "open front") == tries, "not before its time")
      scene.clock.advance(by: .milliseconds(1))
      tries += 1
      await scene.log.until("open front", tries)
      if tries == 5 { _ = await completion.value }
    }
    #expect(completion.current?.outcome == .queued("the printer is off"))
    try scene.front.script { $0.opens = [] }
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(60))
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.states == [.printed])
    #expect(scene.orders.reports.map(\.outcome) == ["printed"])
    #expect(scene.orders.reports.first?.attempt == 1, "tries without a byte are no attempts to print")
  }

  @Test("a wake for the printer tries it at once, whatever the back-off says")
  func wakeTriesAtOnce() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable, nil] }
    let bread = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    let milk = try await scene.wake("milk")
    #expect(await bread.value.outcome == .printed(.fence))
    #expect(await milk.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("a reload while the link is being opened calls that off and begins with the new setup at once")
  func reloadWhileOpening() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    try scene.front.script { $0.isSilent = true }
    let completion = try await scene.wake("bread")
    await scene.log.until("open front")
    try scene.front.script { $0.isSilent = false }
    await scene.handler.replace(printers: scene.setups, routes: [])
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(scene.log.count(of: "called off front") == 1)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("a test page that a reload overtakes is printed with the new setup")
  func reloadBeforeTestPage() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSilent = true }
    async let page = scene.testPage()
    await scene.log.until("open front")
    try scene.front.script { $0.isSilent = false }
    await scene.handler.replace(printers: scene.setups, routes: [])
    #expect(try await page == .printed(.fence))
    #expect(scene.log.count(of: "called off front") == 1)
    #expect(try scene.front.paper == ["ruler"])
  }

  @Test("a reload during a try that then fails begins with the new setup at once")
  func reloadAtTheGate() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    try scene.front.script { $0.gates = [.busy(PrinterStatus()), .ready(PrinterStatus())] }
    _ = try await scene.wake("bread")
    await scene.log.until("gate front")
    await scene.handler.replace(printers: scene.setups, routes: [])
    // The alarms of the wake and of the gate; the line has none then, and needs none.
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(15))
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
    #expect(try scene.front.opened == 2)
  }

  @Test("a repeated wake for a waiting order is a duplicate, and tries the printer at once")
  func duplicateTriesAtOnce() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable, nil] }
    let first = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    let second = try await scene.wake("bread")
    #expect(await second.value.outcome == .duplicate)
    #expect(await second.value.result == .noData)
    #expect(await first.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("paper put in within the budget still makes a good wake")
  func refilledInTime() async throws {
    let scene = try Scene()
    var out = PrinterStatus()
    out.paper = .end
    try scene.front.script { $0.gates = [.notReady(out), .ready(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(1))
    let value = await completion.value
    #expect(value.outcome == .printed(.fence))
    #expect(value.timeline.fence == 1000)
    #expect(try scene.front.opened == 1, "the link is kept while the printer answers")
  }

  @Test("a job that waits too long expires, is reported, and its paper stays white")
  func expiry() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable] }
    let completion = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    scene.clock.advance(by: .milliseconds(9700))
    _ = await completion.value
    scene.clock.advance(by: .seconds(2 * 60 * 60))
    await scene.log.until("reported 1")
    try scene.front.script { $0.opens = [] }
    #expect(scene.states == [.expired])
    #expect(scene.orders.reports.map(\.outcome) == ["notPrinted"])
    #expect(
      scene.orders.reports.first?.reason
        == "too old to be printed without a person; it waited for: the printer is off")
    #expect(try scene.front.paper == [])
    let again = try await scene.wake("bread")
    #expect(await again.value.result == .failed)
    #expect(try scene.front.paper == [])
  }

  @Test("an order that never comes expires too")
  func expiryOfAwaited() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .fails(.unavailable))
    _ = try await scene.wake("bread")
    await scene.log.until("note: the order could not be fetched: told to fail")
    scene.clock.advance(by: .seconds(2 * 60 * 60))
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
    #expect(try scene.front.paper == [])
  }

  @Test("an order paid some time ago expires by its payment")
  func expiryByPayment() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .order("paid -7000"))
    try scene.front.script { $0.opens = [.unreachable] }
    _ = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    #expect(scene.journal.all.first?.expiresAt == Scene.opening + 200)
    try scene.front.script { $0.opens = [] }
    scene.clock.advance(by: .seconds(201))
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
    #expect(try scene.front.paper == [])
  }

  @Test("a job that came before the date was set is printed after it was, and expires by its age")
  func dateNotSet() async throws {
    let isSet = Mutex(false)
    let scene = try Scene(policies: { policies in
      let date = policies.date
      policies.date = { isSet.withLock { $0 } ? date() : date() - Scene.opening }
    })
    try scene.front.script { $0.opens = [.unreachable] }
    _ = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    isSet.withLock { $0 = true }
    scene.clock.advance(by: .seconds(60 * 60))
    await scene.log.until("open front", 2)
    #expect(scene.states == [.rendered])
    scene.clock.advance(by: .seconds(60 * 60))
    await scene.log.until("reported 1")
    #expect(scene.states == [.expired])
  }

  @Test("a receipt that was begun is finished after the budget, and reported")
  func finishedAfterBudget() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    scene.clock.advance(by: .milliseconds(9700))
    #expect(await completion.value.result == .failed)
    try scene.front.confirm()
    await scene.log.until("reported 1")
    #expect(scene.states == [.printed])
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.orders.reports.map(\.outcome) == ["printed"])
  }

  @Test("a printer that never confirms leaves the job in doubt after a minute, and it is not sent again")
  func neverConfirms() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.missing(PrinterStatus())] }
    _ = try await scene.wake("bread")
    await scene.log.until("fence front")
    scene.clock.advance(by: .seconds(4))
    await scene.log.until("fence front", 2)
    scene.clock.advance(by: .seconds(61))
    await scene.log.until("reported 1")
    #expect(scene.states == [.unknown])
    #expect(scene.journal.all.first?.reason == "the printer has not confirmed the print")
    scene.clock.advance(by: .seconds(600))
    let again = try await scene.wake("bread")
    #expect(await again.value.outcome == .duplicate)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("paper that ends in mid-job is waited for, and the line behind it too")
  func paperEndInMidJob() async throws {
    let scene = try Scene()
    var out = PrinterStatus()
    out.paper = .end
    try scene.front.script { [out] in $0.fences = [.late(out)] }
    _ = try await scene.wake("bread")
    await scene.log.until("fence front")
    let milk = try await scene.wake("milk")
    scene.clock.advance(by: .seconds(4))
    await scene.log.until("note: paper out in the middle of a receipt")
    await scene.log.until("fence front", 2)
    scene.clock.advance(by: .seconds(300))
    #expect(await milk.value.result == .failed)
    let status = await scene.handler.status()
    #expect(status.printers.first?.condition == .printing)
    #expect(status.printers.first?.obstacle == "paper out in the middle of a receipt")
    #expect(try scene.front.paper == ["bread"])
    try scene.front.confirm()
    await scene.log.until("reported 2")
    #expect(scene.states == [.printed, .printed])
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("what was printed and cannot be written down is written down later, and printed once")
  func printedNotNoted() async throws {
    let scene = try Scene()
    scene.journal.fail("printed", times: 2)
    let completion = try await scene.wake("bread")
    await scene.log.until("journal fails: printed")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(1))
    await scene.log.until("journal fails: printed", 2)
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(2))
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.orders.reports.map(\.outcome) == ["printed"])
  }

  @Test("a disk that is full at the acceptance refuses the wake, and nothing is printed")
  func refusedByStorage() async throws {
    let scene = try Scene()
    scene.journal.fail("receive")
    await #expect(throws: Refusal(.storage, "disk full")) { try await scene.wake("bread") }
    #expect(try scene.front.paper == [])
    #expect(scene.log.count(of: "fetch bread") == 0)
    let completion = try await scene.wake("bread")
    #expect(await completion.value.outcome == .printed(.fence))
  }
}
