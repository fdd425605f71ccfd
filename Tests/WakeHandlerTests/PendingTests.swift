import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct PendingTests {
  @Test("what is pending is asked for at the start, page by page, and every order is printed once")
  func atStart() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["bread", "milk"], cursor: "2"), (ids: ["milk", "eggs"], cursor: "4"))
    try await scene.handler.start()
    for id in 1...3 { await scene.log.until("reported \(id)") }
    await scene.log.until("pending after 4")
    #expect(try scene.front.paper == ["bread", "milk", "eggs"])
    #expect(scene.journal.storedCursor == "4")
  }

  @Test("a wake that names no order waits for all that was pending")
  func byWake() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["bread", "milk"], cursor: "2"))
    let value = try await scene.wake(nil).value
    #expect(value.outcome == .printed(.fence))
    #expect(value.jobs.map(\.key.orderID) == ["bread", "milk"])
    let again = try await scene.wake(nil).value
    #expect(again.outcome == .ignored("nothing is pending"))
    #expect(again.result == .noData)
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("an order that came by a wake of its own is not printed again from the list")
  func both() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["bread", "milk"], cursor: "2"))
    _ = try await scene.wake("bread").value
    let value = try await scene.wake(nil).value
    #expect(value.jobs.map(\.key.orderID) == ["milk"])
    #expect(try scene.front.paper == ["bread", "milk"])
  }

  @Test("a list that was down is asked again, and the wake still ends well within its budget")
  func again() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["bread"], cursor: "1"))
    scene.orders.failPending(.unavailable, nil)
    let completion = try await scene.wake(nil)
    await scene.log.until("note: the pending orders could not be asked for: unavailable: told to fail")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(1))
    #expect(await completion.value.outcome == .printed(.fence))
  }

  @Test("a full disk does not move the cursor")
  func cursorStays() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["bread"], cursor: "1"))
    scene.journal.fail("receive")
    let completion = try await scene.wake(nil)
    await scene.log.until("note: the pending orders could not be asked for: storage: disk full")
    #expect(scene.journal.storedCursor == nil)
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(1))
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(scene.journal.storedCursor == "1")
  }

  @Test("a list whose cursor never rests is not followed for ever")
  func endlessList() async throws {
    let scene = try Scene()
    scene.orders.repeatForever("bread")
    let value = try await scene.wake(nil).value
    #expect(value.outcome == .printed(.fence))
    #expect(scene.log.words.count { $0.hasPrefix("pending after") } == 101)
  }

  @Test("an id in the list that cannot be one is left out and told")
  func badID() async throws {
    let scene = try Scene()
    scene.orders.list((ids: ["br\u{1B}p0", "milk"], cursor: "2"))
    let value = try await scene.wake(nil).value
    #expect(value.jobs.map(\.key.orderID) == ["milk"])
    #expect(
      scene.log.count(
        of: "note: a pending order cannot be taken: an order id must not hold control characters") == 1)
  }
}
