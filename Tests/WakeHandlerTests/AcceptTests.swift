import PrintJobs
import PrintTestKit
import ESCPOS
import Synchronization
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct AcceptTests {
  private func accept(
    _ scene: Scene, _ body: String, id: String? = nil, most: Int = Wake.Limits.anyBytes
  ) async throws -> WakeCompletion {
    let delivery = WakeDelivery(body: Array(body.utf8), id: id, channel: "test", maximumBytes: most)
    switch await scene.handler.accept(delivery) {
    case .accepted(let completion): return await completion.value
    case .refused(let refusal): throw refusal
    }
  }

  @Test("a wake that does not ask for a print is complete at once and leaves no trace")
  func ignored() async throws {
    let scene = try Scene()
    let value = try await accept(
      scene, "{\"aps\":{\"mutable-content\":1,\"sound\":\"x\"},\"order_id\":\"bread\"}")
    #expect(value.outcome.word == "ignored" && value.result == .noData)
    #expect(scene.journal.commits == 0)
  }

  @Test("a wake that cannot be read is refused with the path and leaves no trace")
  func refused() async throws {
    let scene = try Scene()
    await #expect(throws: Refusal(.badWake, "aps: is missing")) { try await accept(scene, "{}") }
    await #expect(throws: Refusal(.badWake, "the wake is 4201 bytes long, at most 4096 are taken")) {
      try await accept(
        scene, "{\"aps\":{}}" + String(repeating: " ", count: 4191), most: Wake.Limits.pushBytes)
    }
    #expect(scene.journal.commits == 0)
    #expect(await scene.handler.status().counts.refused == ["badWake": 2])
  }

  @Test("a wake for an order that is printed is a duplicate at once")
  func duplicate() async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread", id: "a").value
    let value = try await scene.wake("bread", id: "b").value
    #expect(value.outcome == .duplicate && value.result == .noData && !value.replayed)
    #expect(value.jobs.map(\.id) == [1])
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.orders.reports.count == 1)
  }

  @Test("another wake for a rejected order begins it anew, and prints it unmarked")
  func rejectedThenMended() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .fails(.notFound), .order("bread"))
    #expect(try await scene.wake("bread", id: "a").value.outcome.word == "notPrinted")
    let value = try await scene.wake("bread", id: "b").value
    #expect(value.outcome == .printed(.fence) && value.jobs.map(\.id) == [1])
    #expect(try scene.front.paper == ["bread"])
    #expect(scene.orders.reports.map(\.outcome) == ["notPrinted", "printed"])
  }

  @Test(
    "a rejected job that the journal does not let begin anew refuses the wake, and its repetition is no replay"
  )
  func rejectedOnFullDisk() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .fails(.notFound), .order("bread"))
    _ = try await scene.wake("bread", id: "a").value
    scene.journal.fail("received", times: 1)
    await #expect(throws: Refusal(.storage, "disk full")) { try await scene.wake("bread", id: "b") }
    #expect(scene.states == [.rejected])
    #expect(try scene.front.accepted.isEmpty)
    #expect(try await scene.wake("bread", id: "b").value.outcome == .printed(.fence))
  }

  @Test("a delivery that comes again is a replay, with an order or without")
  func replay() async throws {
    let scene = try Scene()
    scene.orders.list()
    _ = try await scene.wake("bread", id: "a").value
    let again = try await scene.wake("bread", id: "a").value
    #expect(again.outcome == .duplicate && again.replayed)
    let other = try await scene.wake("milk", id: "a").value
    #expect(other.outcome == .duplicate && other.replayed && other.jobs.isEmpty)
    _ = try await scene.wake(nil, id: "b").value
    let nameless = try await scene.wake(nil, id: "b").value
    #expect(nameless.outcome == .duplicate && nameless.replayed)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("the same order from two channels at once is printed once")
  func twoChannels() async throws {
    let scene = try Scene()
    let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
      for channel in 0..<20 {
        group.addTask { try await scene.wake("bread", id: "\(channel)").value.outcome }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .printed(.fence) } == 1)
    #expect(outcomes.count { $0 == .duplicate } == 19)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("an order in the wake is printed without the order service, and kept for reprints")
  func inline() async throws {
    let scene = try Scene(policies: { $0.allowsInlineOrders = true })
    let value = try await accept(scene, "{\"aps\":{\"content-available\":1},\"order\":{\"id\":\"bread\"}}")
    #expect(value.outcome == .printed(.fence))
    #expect(scene.log.count(of: "fetch bread") == 0)
    let (_, completion) = try await scene.handler.reprint(orderID: "bread")
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["{\"id\":\"bread\"}", "{\"id\":\"bread\"} copy 2"])
  }

  @Test("the budget counts from when the channel took the wake")
  func budgetBegan() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .hangs)
    let body = "{\"aps\":{\"content-available\":1},\"order_id\":\"bread\"}"
    let delivery = WakeDelivery(
      body: Array(body.utf8), channel: "test", acceptedAt: scene.clock.now.advanced(by: .seconds(-20)))
    guard case .accepted(let completion) = await scene.handler.accept(delivery) else {
      Issue.record("refused")
      return
    }
    #expect(await completion.value.outcome.word == "queued")
  }

  @Test("a shop without printers says so")
  func noPrinter() async throws {
    let scene = try Scene(printers: [])
    let value = try await scene.wake("bread").value
    #expect(value.outcome == .notPrinted("no printer is configured; see `printd config check`"))
  }
}
