import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct ReportTests {
  @Test(
    "a report that got no answer is sent again with back-off until it is acknowledged; the paper is left alone"
  )
  func again() async throws {
    let scene = try Scene()
    scene.orders.failReports(.unavailable, .unavailable, .unavailable)
    let value = try await scene.wake("bread").value
    #expect(value.outcome == .printedUnreported(.fence))
    for (tries, wait) in [(2, 1), (3, 1), (4, 2)] {
      await scene.clock.sleepers(atLeast: 1)
      scene.clock.advance(by: .seconds(wait))
      await scene.log.until("report printed", tries)
    }
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.count == 1)
    #expect(Set(scene.orders.reports.map(\.idempotencyKey)) == ["bread/receipt/1#printed"])
    #expect(try scene.front.paper == ["bread"])
    #expect(await scene.handler.status().counts.failedReports == 3)
  }

  @Test("a report that the backend refuses does not hold up those behind it")
  func refusedIsPassed() async throws {
    let scene = try Scene()
    scene.orders.failReports(.refused, .unavailable)
    _ = try await scene.wake("bread").value
    _ = try await scene.wake("milk").value
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(1))
    await scene.log.until("reported 2")
    #expect(scene.orders.reports.map(\.orderID) == ["milk"])
    #expect(scene.log.count(of: "report refused 1") == 1 && scene.log.count(of: "report refused 2") == 0)
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(60 * 60))
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.map(\.orderID) == ["milk", "bread"])
  }

  @Test("the next job is not held up by a report that hangs")
  func printingGoesOn() async throws {
    let scene = try Scene()
    scene.orders.hangReports()
    _ = try await scene.wake("bread")
    _ = try await scene.wake("milk")
    await scene.log.until("printed 2")
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("what an earlier life left unreported is reported at the start")
  func leftUnreported() async throws {
    let scene = try Scene()
    scene.journal.put(
      Job(
        id: 1, key: JobKey(orderID: "bread", kind: "receipt"), printer: "front", state: .printed,
        confirmation: .fence, receivedAt: Scene.opening - 60, expiresAt: Scene.opening,
        finishedAt: Scene.opening - 50))
    try await scene.handler.start()
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.map(\.outcome) == ["printed"])
    #expect(scene.orders.reports.first?.timeline.reported == nil)
    #expect(scene.journal.all.first?.timeline.reported == 60_000)
    #expect(try scene.front.paper == [])
  }
}
