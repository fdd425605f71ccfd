import PrintJobs
import Testing
import WakeHandler

@Suite(.timeLimit(.minutes(1)))
struct CompletionTests {
  private static func end(_ outcome: Outcome) -> WakeCompletion { WakeCompletion(outcome: outcome, jobs: []) }

  @Test("the first writer's word stands, and the others learn that they came late")
  func firstWriterWins() async {
    let (completion, writer) = Completion.pair()
    #expect(completion.current == nil)
    #expect(writer.complete(Self.end(.printed(.fence))))
    #expect(!writer.complete(Self.end(.unknown("expiry"))))
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(completion.current?.outcome == .printed(.fence))
  }

  @Test("all who wait are told, before and after")
  func tellsAll() async {
    let (completion, writer) = Completion.pair()
    let told = await withTaskGroup(of: Outcome.self) { group in
      for _ in 0..<20 { group.addTask { await completion.value.outcome } }
      group.addTask {
        writer.complete(Self.end(.duplicate))
        return .duplicate
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(told == [Outcome](repeating: .duplicate, count: 21))
    #expect(await completion.value.outcome == .duplicate)
  }

  @Test("a wake that everybody dropped ends as failed")
  func droppedEnds() async {
    let completion = Completion.pair().completion
    #expect(await completion.value.result == .failed)
  }

  @Test("of three racers one wins, 2,000 times")
  func race() async {
    let racers: [Outcome] = [.printed(.fence), .notPrinted("failure"), .unknown("expiry")]
    var winners = 0
    for _ in 0..<2000 {
      let (completion, writer) = Completion.pair()
      let won = await withTaskGroup(of: Outcome?.self) { group in
        for racer in racers {
          group.addTask { writer.complete(Self.end(racer)) ? racer : nil }
        }
        return await group.reduce(into: [Outcome]()) { if let won = $1 { $0.append(won) } }
      }
      winners += won.count
      #expect(completion.current?.outcome == won.first)
    }
    #expect(winners == 2000)
  }
}
