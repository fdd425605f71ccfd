import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// A printer that somebody else works on, or that is taken out of the configuration, while its line has jobs.
@Suite(.timeLimit(.minutes(1)))
struct LendingTests {
  private static let reason = "the printer is being set up (printd printers pair)"
  private static let removed = "printer \"front\" is not in the configuration"

  private static let givenBack = Refusal(
    .conflict, "this loan was given back; a new one needs a token of its own")

  @discardableResult
  private func lend(
    _ scene: Scene, to token: String = "a", for time: Duration = .seconds(30)
  ) async throws -> Bool {
    let soon = scene.clock.now.advanced(by: .seconds(20))
    return try await scene.handler.lend(["front"], to: token, for: time, by: soon)
  }

  @Test("a lent printer's idle link is closed, what comes waits and says why, and prints when it is back")
  func idle() async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread")
    await scene.log.until("reported 1")
    try await lend(scene)
    #expect(try scene.front.closed == 1)
    let completion = try await scene.wake("milk")
    await scene.log.until("fetch milk")
    #expect(await scene.handler.status().printers.first?.obstacle == Self.reason)
    // Lent anew, as the borrower does for as long as it needs it.
    #expect(try await lend(scene) == false, "nothing has to be let go of")
    #expect(try scene.front.opened == 1)
    await scene.handler.takeBack("a")
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread", "milk"] && scene.front.opened == 2)
    #expect(await scene.handler.status().printers.first?.obstacle == nil)
  }

  @Test("a printer that two have is left alone until the second has given it back")
  func two() async throws {
    let scene = try Scene()
    try await lend(scene, to: "a")
    #expect(try await lend(scene, to: "b"))
    let completion = try await scene.wake("bread")
    await scene.log.until("fetch bread")
    await scene.handler.takeBack("a")
    await scene.handler.takeBack("a")
    // It has nothing to say to a test page either, which is looked at before any job.
    #expect(
      try await scene.handler.testPrint("front", by: scene.clock.now.advanced(by: .seconds(60))) { _ in
        Array("ruler".utf8)
      } == .notPrinted(Self.reason))
    #expect(scene.log.count(of: "open front") == 0)
    await scene.handler.takeBack("b")
    #expect(await completion.value.outcome == .printed(.fence))
  }

  @Test("a printer that two have is left alone for the time of the later loan")
  func twoForgotten() async throws {
    let scene = try Scene()
    try await lend(scene, to: "a", for: .seconds(8))
    try await lend(scene, to: "b", for: .seconds(4))
    let completion = try await scene.wake("bread")
    await scene.log.until("fetch bread")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(4))
    #expect(
      try await scene.handler.testPrint("front", by: scene.clock.now.advanced(by: .seconds(60))) { _ in
        Array("ruler".utf8)
      } == .notPrinted(Self.reason))
    scene.clock.advance(by: .seconds(4))
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(scene.log.count(of: "open front") == 1)
  }

  @Test(
    "a loan that was given back is neither prolonged nor made again by what was asked before; another one is")
  func late() async throws {
    let scene = try Scene()
    try await lend(scene)
    try await scene.handler.prolong(["front"], "a", for: .seconds(30))
    await scene.handler.takeBack("a")
    await #expect(throws: Self.givenBack) {
      try await scene.handler.prolong(["front"], "a", for: .seconds(30))
    }
    await #expect(throws: Self.givenBack) { try await lend(scene) }
    // Given back before the wish for it was heard.
    await scene.handler.takeBack("b")
    await #expect(throws: Self.givenBack) { try await lend(scene, to: "b") }
    let completion = try await scene.wake("bread")
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try await lend(scene, to: "c"))
    #expect(try scene.front.closed == 1)
  }

  @Test("a borrower that goes while a receipt is in hand gets nothing, and keeps nobody away")
  func givenUp() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    let lending = Task { try await lend(scene) }
    await scene.clock.sleepers(atLeast: 3)
    await scene.handler.takeBack("a")
    await #expect(throws: Self.givenBack) { try await lending.value }
    try scene.front.confirm()
    #expect(await completion.value.outcome == .printed(.fence))
    let next = try await scene.wake("milk")
    #expect(await next.value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 1)
  }

  @Test("the budget's end says what the job waits for")
  func completion() async throws {
    let scene = try Scene()
    try await lend(scene, for: .seconds(60))
    let completion = try await scene.wake("bread")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(10))
    #expect(await completion.value.jobs.map(\.outcome) == [.queued(Self.reason)])
    #expect(scene.log.count(of: "open front") == 0)
  }

  @Test("a borrower that never gives it back has it for the time of the loan alone")
  func forgotten() async throws {
    let scene = try Scene()
    try await lend(scene, for: .seconds(5))
    let completion = try await scene.wake("bread")
    await scene.log.until("fetch bread")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(5))
    #expect(await completion.value.outcome == .printed(.fence))
  }

  @Test("an opening that is under way is called off")
  func connecting() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSilent = true }
    let completion = try await scene.wake("bread")
    await scene.log.until("open front")
    try await lend(scene)
    #expect(scene.log.count(of: "called off front") == 1)
    try scene.front.script { $0.isSilent = false }
    await scene.handler.takeBack("a")
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(scene.log.count(of: "open front") == 2)
  }

  @Test("a receipt in hand is finished first")
  func inHand() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    let lending = Task { try await lend(scene) }
    // The alarms of the wake, of the fence, and of the one who waits for the printer.
    await scene.clock.sleepers(atLeast: 3)
    let next = try await scene.wake("milk")
    await scene.log.until("fetch milk")
    try scene.front.confirm()
    #expect(await completion.value.outcome == .printed(.fence))
    _ = try await lending.value
    #expect(try scene.front.closed == 1 && scene.front.paper == ["bread"])
    await scene.handler.takeBack("a")
    #expect(await next.value.outcome == .printed(.fence))
  }

  @Test("a receipt that does not end in time is not disturbed: nothing is lent")
  func stuck() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    let soon = scene.clock.now
    await #expect(
      throws: Refusal(.conflict, "front is in the middle of a job, and has not ended it in time")
    ) {
      _ = try await scene.handler.lend(["front"], to: "a", for: .seconds(30), by: soon)
    }
    try scene.front.confirm()
    #expect(await completion.value.outcome == .printed(.fence))
    let next = try await scene.wake("milk")
    #expect(await next.value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 1)
  }

  @Test("a test page is refused meanwhile")
  func testPage() async throws {
    let scene = try Scene()
    try await lend(scene)
    #expect(
      try await scene.testPage() == .notPrinted(Self.reason))
    #expect(scene.log.count(of: "open front") == 0)
  }

  @Test("what nobody has is lent without a word")
  func unknown() async throws {
    let scene = try Scene()
    let soon = scene.clock.now
    #expect(try await scene.handler.lend(["nobody"], to: "a", for: .seconds(30), by: soon) == false)
    await scene.handler.takeBack("nobody")
  }

  @Test(
    "a printer that is taken out while it is being connected is let go of at once, and the job says why it waits"
  )
  func removedWhileConnecting() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSilent = true }
    let completion = try await scene.wake("bread")
    await scene.log.until("open front")
    await scene.handler.replace(printers: [], routes: [])
    await scene.log.until("note: waiting: \(Self.removed)")
    #expect(scene.log.count(of: "called off front") == 1)
    #expect(await scene.handler.status().printers.map(\.obstacle) == [Self.removed])
    scene.clock.advance(by: .seconds(10))
    #expect(await completion.value.jobs.map(\.outcome) == [.queued(Self.removed)])
    #expect(scene.log.count(of: "open front") == 1)
    try scene.front.script { $0.isSilent = false }
    await scene.handler.replace(printers: scene.setups, routes: [])
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("nobody looks out for a printer that was taken out")
  func removedWhileAway() async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.opens = [.unreachable]
      $0.isVisible = true
    }
    _ = try await scene.wake("bread")
    await scene.log.until("watch front")
    await scene.handler.replace(printers: [], routes: [])
    await scene.log.until("unwatch front")
    await scene.log.until("note: waiting: \(Self.removed)")
    #expect(scene.log.count(of: "watch front") == 1)
  }

  @Test("a printer that is taken out while it is lent says so, and is back with the configuration")
  func removedWhileLent() async throws {
    let scene = try Scene()
    try await lend(scene)
    _ = try await scene.wake("bread")
    await scene.log.until("note: waiting: \(Self.reason)")
    await scene.handler.replace(printers: [], routes: [])
    await scene.log.until("note: waiting: \(Self.removed)")
    await scene.handler.replace(printers: scene.setups, routes: [])
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
  }

  @Test(
    "a printer that was taken out while it was lent, and is back, is lent again only when its receipt has ended"
  )
  func lentAgain() async throws {
    let scene = try Scene()
    try await lend(scene)
    _ = try await scene.wake("bread")
    await scene.log.until("note: waiting: \(Self.reason)")
    await scene.handler.replace(printers: [], routes: [])
    await scene.log.until("note: waiting: \(Self.removed)")
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    await scene.handler.replace(printers: scene.setups, routes: [])
    await scene.log.until("fence front")
    let soon = scene.clock.now
    await #expect(
      throws: Refusal(.conflict, "front is in the middle of a job, and has not ended it in time")
    ) {
      _ = try await scene.handler.lend(["front"], to: "a", for: .seconds(30), by: soon)
    }
    try scene.front.confirm()
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("the time of a loan begins when the receipt in hand has ended")
  func timeBegins() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    let lending = Task { try await lend(scene, for: .seconds(5)) }
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(8))
    try scene.front.confirm()
    #expect(await completion.value.outcome == .printed(.fence))
    _ = try await lending.value
    let next = try await scene.wake("milk")
    await scene.log.until("fetch milk")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(4))
    #expect(scene.log.count(of: "open front") == 1)
    scene.clock.advance(by: .seconds(1))
    #expect(await next.value.outcome == .printed(.fence))
  }

  @Test("a borrower that has the printer keeps it when we stop; another one gets nothing")
  func stopWhileLent() async throws {
    let scene = try Scene()
    #expect(try await lend(scene))
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(try await lend(scene) == false)
    await #expect(throws: Refusal.self) { try await lend(scene, to: "b") }
  }

  @Test("the end of a loan that there is not makes nobody try before its time")
  func noLoan() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable] }
    _ = try await scene.wake("bread")
    await scene.log.until("note: waiting: the printer is off")
    await scene.handler.takeBack("nobody's")
    // Time stands still, so its next try does not come; one that is made all the same needs the line a few times.
    for _ in 0..<20 { _ = await scene.handler.status() }
    #expect(scene.log.count(of: "open front") == 1)
  }

  @Test("who waits to borrow a printer is answered when a stop begins")
  func stopWithBorrower() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(.init())] }
    _ = try await scene.wake("bread")
    await scene.log.until("fence front")
    let lending = Task { try await lend(scene) }
    // The alarms of the wake, of the fence, and of the borrower.
    await scene.clock.sleepers(atLeast: 3)
    async let stopped: Void = scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    await #expect(throws: Refusal.self) { try await lending.value }
    try scene.front.confirm()
    await stopped
    #expect(scene.states == [.printed])
  }
}
