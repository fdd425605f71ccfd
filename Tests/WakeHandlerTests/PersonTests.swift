import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct PersonTests {
  /// A shop with one job in doubt.
  private func inDoubt() async throws -> Scene {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.lost, .proven] }
    _ = try await scene.wake("bread").value
    await scene.log.until("reported 1")
    #expect(scene.states == [.unknown])
    return scene
  }

  @Test("a reprint is a marked copy with the next number, and needs no order service")
  func reprint() async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread").value
    scene.orders.answer("bread", .fails(.unavailable))
    for copy in 2...3 {
      let (job, completion) = try await scene.handler.reprint(orderID: "bread")
      #expect(job.key.copy == copy)
      #expect(await completion.value.outcome == .printed(.fence))
    }
    #expect(try scene.front.paper == ["bread", "bread copy 2", "bread copy 3"])
    #expect(scene.log.count(of: "fetch bread") == 1)
  }

  @Test("a reprint of an order that the journal does not have is fetched, and marked all the same")
  func reprintOfForgotten() async throws {
    let scene = try Scene()
    let (job, completion) = try await scene.handler.reprint(orderID: "bread")
    #expect(job.key.copy == 2)
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.paper == ["bread copy 2"])
  }

  @Test("a reprint of a kind that no route has and no job had is refused")
  func reprintOfUnknownKind() async throws {
    let scene = try Scene(routes: [Route(printer: "front")])
    await #expect(throws: Refusal(.notFound, "no route prints documents of the kind \"kitchen\"")) {
      try await scene.handler.reprint(orderID: "bread", kind: "kitchen")
    }
  }

  @Test("a person who has seen the paper settles a job in doubt, and that is reported")
  func resolvePrinted() async throws {
    let scene = try await inDoubt()
    #expect(try await scene.handler.resolve(1, as: .printed) == nil)
    await scene.log.until("reported 1", 2)
    #expect(scene.states == [.printed])
    #expect(scene.journal.all.first?.confirmation == .person)
    #expect(scene.orders.reports.map(\.outcome) == ["unknown", "printed"])
  }

  @Test("a job in doubt is printed again as a marked copy when a person says so")
  func resolveReprint() async throws {
    let scene = try await inDoubt()
    let completion = try #require(try await scene.handler.resolve(1, as: .reprint))
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(scene.states == [.cancelled, .printed])
    #expect(try scene.front.paper == ["bread", "bread copy 2"])
  }

  @Test("a job in doubt is let be when a person says so")
  func resolveDiscard() async throws {
    let scene = try await inDoubt()
    #expect(try await scene.handler.resolve(1, as: .discard) == nil)
    #expect(scene.states == [.cancelled])
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("a job that does not wait for a person cannot be resolved", arguments: Verdict.allCases)
  func resolveOthers(verdict: Verdict) async throws {
    let scene = try Scene()
    _ = try await scene.wake("bread").value
    await #expect(throws: Refusal.self) { try await scene.handler.resolve(1, as: verdict) }
    await #expect(throws: Refusal(.notFound, "there is no job 9")) {
      try await scene.handler.resolve(9, as: verdict)
    }
    #expect(scene.states == [.printed])
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("a job that waits can be called off; its wake ends, and the line goes on")
  func cancel() async throws {
    let scene = try Scene()
    try scene.front.script { $0.opens = [.unreachable, nil] }
    let bread = try await scene.wake("bread")
    await scene.log.until("rendered 1")
    try await scene.handler.cancel(1)
    #expect(await bread.value.outcome == .ignored("cancelled by a person"))
    _ = try await scene.wake("milk").value
    #expect(try scene.front.paper == ["milk"])
    #expect(scene.states == [.cancelled, .printed])
    await #expect(throws: Refusal(.conflict, "job 2 is printed and cannot be cancelled")) {
      try await scene.handler.cancel(2)
    }
  }

  @Test("a job that is being printed is not called off")
  func cancelTooLate() async throws {
    let scene = try Scene()
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let bread = try await scene.wake("bread")
    await scene.log.until("fence front")
    await #expect(throws: Refusal(.conflict, "job 1 is intent and cannot be cancelled")) {
      try await scene.handler.cancel(1)
    }
    try scene.front.confirm()
    #expect(await bread.value.outcome == .printed(.fence))
  }

  @Test("a job called off between the gate and the intent is not sent")
  func cancelRacesIntent() async throws {
    let scene = try Scene()
    try scene.front.script { $0.isSlow = true }
    let bread = try await scene.wake("bread")
    await scene.log.until("open front")
    _ = try await scene.journal.advance(1, through: [.cancelled], change: JobChange())
    try scene.front.appear()
    #expect(await bread.value.outcome == .ignored(""))
    #expect(try scene.front.paper == [])
    #expect(try scene.front.accepted.isEmpty)
  }
}
