import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// A printer that answers and has not got to the question, or that says nothing.
@Suite(.timeLimit(.minutes(1)))
struct BusyTests {
  private static let reason = "the printer is busy with what it had before"

  @Test("a busy printer is waited for on the same link, the job safe meanwhile, and printed on once")
  func busy() async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.gates = [.busy(PrinterStatus()), .busy(PrinterStatus()), .ready(PrinterStatus())]
    }
    let completion = try await scene.wake("bread")
    await scene.log.until("gate front")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(15))
    await scene.log.until("gate front", 2)
    #expect(await completion.value.result == .failed)
    #expect(scene.states == [.rendered])
    #expect(await scene.handler.status().printers.first?.obstacle == Self.reason)
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(15))
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
    #expect(try scene.front.opened == 1 && scene.front.closed == 0)
    #expect(await scene.handler.status().printers.first?.obstacle == nil)
  }

  @Test("a printer that is busy for longer than a refill gets a new link")
  func tooLong() async throws {
    let scene = try Scene(policies: { $0.refillLimit = .seconds(20) })
    try scene.front.script {
      $0.gates = [.busy(PrinterStatus()), .busy(PrinterStatus()), .ready(PrinterStatus())]
    }
    _ = try await scene.wake("bread")
    for round in 1...2 {
      await scene.log.until("gate front", round)
      await scene.clock.sleepers(atLeast: round == 1 ? 2 : 1)
      scene.clock.advance(by: .seconds(15))
    }
    await scene.log.until("close front")
    await scene.clock.sleepers(atLeast: 1)
    scene.clock.advance(by: .seconds(1))
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"] && scene.front.opened == 2)
  }

  @Test("a job whose time is over while the printer is busy is not printed, nor is its link used again")
  func expires() async throws {
    let scene = try Scene()
    scene.orders.answer("bread", .order("paid -7190"))
    try scene.front.script { $0.gates = [.busy(PrinterStatus())] }
    _ = try await scene.wake("bread")
    await scene.log.until("gate front")
    await scene.clock.sleepers(atLeast: 2)
    scene.clock.advance(by: .seconds(15))
    await scene.log.until("reported 1")
    await scene.log.until("close front")
    #expect(scene.states == [.expired])
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test("a silent printer is not filled up again before the slowest one would have taken it")
  func drains() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(30)] })
    try scene.front.script {
      $0.gates = [.silent]
      $0.nuls = 5_000
    }
    _ = try await scene.wake("bread")
    for round in 1...4 {
      await scene.log.until("gate front", round)
      await scene.log.until("close front", round)
      await scene.clock.sleepers(atLeast: round == 1 ? 2 : 1)
      scene.clock.advance(by: .seconds(30))
    }
    await scene.log.until("gate front", 5)
    #expect(try scene.front.drains.prefix(5) == [true, false, true, false, true])
  }
}
