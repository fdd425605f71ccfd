import PrintJobs
import Testing

@Suite("The states of a job")
struct JobStateTests {
  /// Every move that there is; all others are none.
  private static let moves: [JobState: Set<JobState>] = [
    .received: [.fetched, .expired, .cancelled, .rejected],
    .fetched: [.rendered, .expired, .cancelled, .rejected],
    .rendered: [.intent, .expired, .cancelled, .rejected],
    .intent: [.sending, .rendered, .printed, .unknown],
    .sending: [.printed, .unknown],
    .printed: [],
    .unknown: [.printed, .cancelled],
    .expired: [.cancelled],
    .cancelled: [],
    .rejected: [.received],
  ]

  @Test("a job moves as the table says and in no other way", arguments: JobState.allCases)
  func moves(from: JobState) {
    for to in JobState.allCases {
      #expect(to.follows(from) == (Self.moves[from]?.contains(to) == true), "\(from) → \(to)")
    }
  }

  @Test("once a byte may have gone out, no move leads back to where it is sent again")
  func neverTwice() {
    var reached: Set<JobState> = [.sending, .unknown, .printed]
    while true {
      let next = reached.union(reached.flatMap { Self.moves[$0] ?? [] })
      if next == reached { break }
      reached = next
    }
    #expect(reached.isDisjoint(with: [.received, .fetched, .rendered, .intent]))
  }
}
