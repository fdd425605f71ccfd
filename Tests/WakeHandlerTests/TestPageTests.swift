import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// Pages that a person waits for, beside the orders.
@Suite(.timeLimit(.minutes(1)))
struct TestPageTests {
  @Test("a page whose turn does not come in time is answered then, and never printed")
  func lateInLine() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await scene.wake("bread")
    await scene.log.until("fence front")
    async let page = scene.testPage()
    // The alarms of the wake, of the fence and of the page.
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(30))
    #expect(try await page == .notPrinted("front did not get to the page in time"))
    _ = await completion.value
    try scene.front.confirm()
    await scene.log.until("reported 1")
    #expect(try await scene.wake("milk").value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("a page whose link opens too late is not printed")
  func lateLink() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSlow = true }
    async let page = scene.testPage()
    await scene.log.until("open front")
    scene.clock.advance(by: .seconds(30))
    try scene.front.appear()
    #expect(try await page == .notPrinted("front did not get to the page in time"))
    #expect(try scene.front.paper == [])
  }

  @Test("a page is tried, however the try for a job of long ago has ended")
  func oldFailure() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable, nil] }
    scene.orders.answer("bread", .waits("bread"))
    _ = try await scene.wake("bread")
    await scene.log.until("open front")
    // The line has heard of the failure when it is not due to move any more, and waits for the order alone.
    while scene.handler.progress.overdue(at: BootInstant(nanoseconds: .max)).contains("front") {
      await Task.yield()
    }
    try await scene.handler.cancel(1)
    #expect(try await scene.testPage() == .printed(.fence))
    #expect(try scene.front.paper == ["ruler"])
    scene.orders.letGo()
  }
}
