import Glibc
import PrintJobs
import Synchronization
import WakeHandler

/// Races work, failure and expiry for the completion of a wake, 100,000 times, and counts who won.
///
/// Three threads meet before each contest, so that they do arrive together; meanwhile tasks wait for each completion.
/// Exactly one may win each time, and everybody who waits must be told the winner's word. Exits with 1 when that
/// does not hold. `swift build --sanitize=thread --product CompletionRace` proves the rest.
@main
struct Main {
  static let contests = 100_000

  static func main() async {
    let race = Race(
      contests: contests, racers: [.printed(.fence), .notPrinted("failure"), .unknown("expiry")])
    race.begin()
    async let first = race.listen()
    async let second = race.listen()
    let told = await (first, second)
    let wins = race.finish()

    var faults = 0
    var shares = [Int](repeating: 0, count: race.racers.count)
    for contest in 0..<contests {
      let winners = wins.indices.filter { wins[$0][contest] }
      if winners.count == 1, let winner = winners.first, told.0[contest] == race.racers[winner],
        told.1[contest] == race.racers[winner]
      {
        shares[winner] += 1
      } else {
        faults += 1
      }
    }
    let winners = shares.reduce(0, +)
    let list = zip(race.racers, shares).map { "\($0.word) \($1)" }.joined(separator: ", ")
    print("\(winners) winners in \(contests) contests (\(list)); \(faults) faults")
    exit(winners == contests && faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
  }
}

/// The contests and their racers, a thread each.
final class Race: Sendable {
  let racers: [Outcome]
  private let contests: [(completion: Completion, writer: Completion.Writer)]
  private let arrived = Atomic(0)
  private let lanes: [Lane]
  private let threads = Mutex<[pthread_t]>([])

  init(contests: Int, racers: [Outcome]) {
    self.racers = racers
    self.contests = (0..<contests).map { _ in Completion.pair() }
    self.lanes = racers.map { Lane(word: WakeCompletion(outcome: $0, jobs: [])) }
  }

  /// Lets the racers run.
  func begin() {
    for lane in lanes {
      let start = Unmanaged.passRetained(Start(race: self, lane: lane))
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { start in
          guard let start else { return nil }
          let (race, lane) = Unmanaged<Start>.fromOpaque(start).takeRetainedValue().runner
          race.run(lane)
          return nil
        }, start.toOpaque())
      guard error == 0 else {
        print("no thread for a racer: \(String(cString: strerror(error)))")
        exit(EXIT_FAILURE)
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Waits for every completion in turn; returns what was told.
  func listen() async -> [Outcome] {
    var told: [Outcome] = []
    for contest in contests { told.append(await contest.completion.value.outcome) }
    return told
  }

  /// Waits for the racers; returns for each of them which contests it won.
  func finish() -> [[Bool]] {
    for thread in threads.withLock({ $0 }) { pthread_join(thread, nil) }
    return lanes.map(\.won)
  }

  private func run(_ lane: Lane) {
    for (place, contest) in contests.enumerated() {
      arrived.add(1, ordering: .acquiringAndReleasing)
      while arrived.load(ordering: .acquiring) < (place + 1) * racers.count { sched_yield() }
      lane.won.append(contest.writer.complete(lane.word))
    }
  }

  /// One racer and what it won.
  private final class Lane: @unchecked Sendable {
    // `won` is written by the racer's thread alone, and read once that has been joined.
    var won: [Bool] = []
    let word: WakeCompletion

    init(word: WakeCompletion) { self.word = word }
  }

  /// What a thread is given.
  private final class Start {
    let runner: (race: Race, lane: Lane)

    init(race: Race, lane: Lane) { runner = (race, lane) }
  }
}
