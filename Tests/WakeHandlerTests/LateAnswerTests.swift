import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// A print that was given up as unknown while its link lived, and the printer that says later that it is on paper.
@Suite(.timeLimit(.minutes(1)))
struct LateAnswerTests {
  private let mute = PrinterStatus()

  /// A scene in which `bread` is on paper and has just become unknown.
  private func inDoubt(
    fence: PrinterProfile.Fence = .processID, then fences: [PrinterDouble.Fence] = [.late(PrinterStatus())]
  ) async throws -> Scene {
    let scene = try Scene(fence: fence)
    try scene.front.script { [mute] in $0.fences = [.missing(mute), .missing(mute)] + fences }
    _ = try await scene.wake("bread")
    await scene.log.until("fence front")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(4))
    await scene.log.until("fence front", 2)
    scene.clock.advance(by: .seconds(61))
    await scene.log.until("reported 1")
    #expect(scene.states == [.unknown])
    return scene
  }

  @Test("a late answer settles the job, and the backend hears of it under a key of its own")
  func settled() async throws {
    let scene = try await inDoubt()
    await scene.log.until("fence front", 3)
    try scene.front.confirm()
    await scene.log.until("reported 1", 2)
    #expect(scene.states == [.printed])
    #expect(scene.journal.all.first?.confirmation == .fence)
    #expect(scene.journal.all.first?.reason == "")
    #expect(scene.orders.reports.map(\.outcome) == ["unknown", "printed"])
    #expect(Set(scene.orders.reports.map(\.idempotencyKey)).count == 2)
    #expect(try scene.front.paper == ["bread"])
    try scene.front.script { $0.fences = [.proven] }
    #expect(try await scene.wake("milk").value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 1, "the link is as good as before")
  }

  @Test("the report of the answer waits until the one before is through, so that it is the last word")
  func reportsInOrder() async throws {
    let scene = try Scene(fence: .processID)
    try scene.front.script { [mute] in $0.fences = [.missing(mute), .missing(mute), .proven] }
    scene.orders.holdReports()
    _ = try await scene.wake("bread")
    await scene.log.until("fence front")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(4))
    await scene.log.until("fence front", 2)
    scene.clock.advance(by: .seconds(61))
    await scene.log.until("report unknown")
    await scene.log.until("printed 1")
    #expect(scene.log.count(of: "report printed") == 0)
    scene.orders.letGo()
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.map(\.outcome) == ["unknown", "printed"])
  }

  @Test("the next job waits for the late answer, and is printed behind it on the same link")
  func nextJobWaits() async throws {
    let scene = try await inDoubt(then: [.late(PrinterStatus()), .proven])
    await scene.log.until("fence front", 3)
    let milk = try await scene.wake("milk")
    try scene.front.script { $0.fences = [.proven] }
    try scene.front.confirm()
    #expect(await milk.value.outcome == .printed(.fence))
    await scene.log.until("reported 1", 2)
    #expect(scene.states == [.printed, .printed])
    #expect(try scene.front.paper == ["bread", "milk"] && scene.front.opened == 1)
  }

  @Test("the next job does not wait for ever: a new link is opened, and the job in doubt stays so")
  func nextJobGoesOn() async throws {
    let scene = try await inDoubt()
    await scene.log.until("fence front", 3)
    let milk = try await scene.wake("milk")
    try scene.front.script { $0.fences = [.proven] }
    // The alarm of the wake, the listener's end and the line's patience.
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .milliseconds(9700))
    #expect(await milk.value.outcome == .queued("the printer has not confirmed the receipt before"))
    scene.clock.advance(by: .milliseconds(300))
    await scene.log.until("reported 2")
    #expect(scene.states == [.unknown, .printed])
    #expect(try scene.front.paper == ["bread", "milk"] && scene.front.opened == 2)
  }

  @Test("a wait that only its cancellation ends, since the link takes nothing, is given up all the same")
  func deafLink() async throws {
    let scene = try await inDoubt(then: [.deaf, .proven])
    await scene.log.until("fence front", 3)
    let milk = try await scene.wake("milk")
    // The alarms of the wake, of the listener and of the line's patience.
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(10))
    await scene.log.until("reported 2")
    _ = await milk.value
    #expect(scene.states == [.unknown, .printed])
    #expect(try scene.front.paper == ["bread", "milk"] && scene.front.opened == 2)
  }

  @Test("an answer that does not come in time leaves the job in doubt, and the link is closed")
  func neverAnswered() async throws {
    let scene = try await inDoubt()
    await scene.log.until("fence front", 3)
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(120))
    await scene.log.until("close front")
    #expect(scene.states == [.unknown])
  }

  @Test("a link that goes while it is listened to leaves the job in doubt")
  func lost() async throws {
    let scene = try await inDoubt(then: [.lost])
    await scene.log.until("close front")
    #expect(scene.states == [.unknown])
    #expect(scene.orders.reports.map(\.outcome) == ["unknown"])
  }

  @Test("a person who was quicker is not contradicted")
  func personWasQuicker() async throws {
    let scene = try await inDoubt()
    await scene.log.until("fence front", 3)
    _ = try await scene.handler.resolve(1, as: .discard)
    await scene.log.until("reported 1", 2)
    try scene.front.confirm()
    try scene.front.script { $0.fences = [.proven] }
    #expect(try await scene.wake("milk").value.outcome == .printed(.fence))
    #expect(scene.states == [.cancelled, .printed])
    #expect(scene.orders.reports.map(\.outcome) == ["unknown", "ignored", "printed"])
  }

  @Test("a fence that does not name itself settles nothing: the link is closed at once")
  func anonymousFence() async throws {
    let scene = try await inDoubt(fence: .paperStatus)
    #expect(scene.log.count(of: "close front") == 1)
    #expect(scene.log.count(of: "fence front") == 2)
  }

  @Test("a daemon that stops does not wait for a late answer")
  func stop() async throws {
    let scene = try await inDoubt(then: [.deaf])
    await scene.log.until("fence front", 3)
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(scene.log.count(of: "close front") == 1)
    #expect(scene.states == [.unknown])
  }

  @Test(
    "an idle link that goes is closed at once, and the next job opens a fresh one without a try on the dead one"
  )
  func idleLinkGoes() async throws {
    let scene = try Scene()
    #expect(try await scene.wake("bread").value.outcome == .printed(.fence))
    try scene.front.vanish()
    await scene.log.until("close front")
    #expect(await scene.handler.status().printers.map(\.isConnected) == [false])
    #expect(try await scene.wake("milk").value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 2)
    #expect(try scene.front.paper == ["bread", "milk"])
    #expect(scene.states == [.printed, .printed])
  }
}
