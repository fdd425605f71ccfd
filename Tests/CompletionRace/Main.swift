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
  private let wins: Mutex<[[Bool]]>
  private let threads = Mutex<[pthread_t]>([])

  init(contests: Int, racers: [Outcome]) {
    self.racers = racers
    self.contests = (0..<contests).map { _ in Completion.pair() }
    self.wins = Mutex(racers.map { _ in [] })
  }

  /// Lets the racers run.
  func begin() {
    for racer in racers.indices {
      let lane = Unmanaged.passRetained(Lane(race: self, racer: racer))
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { lane in
          guard let lane else { return nil }
          Unmanaged<Lane>.fromOpaque(lane).takeRetainedValue().run()
          return nil
        }, lane.toOpaque())
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
    return wins.withLock { $0 }
  }

  /// One racer on its thread.
  private final class Lane {
    let race: Race
    let racer: Int

    init(race: Race, racer: Int) {
      self.race = race
      self.racer = racer
    }

    func run() {
      let count = race.racers.count
      let word = WakeCompletion(outcome: race.racers[racer], jobs: [])
      var won: [Bool] = []
      for (place, contest) in race.contests.enumerated() {
        race.arrived.add(1, ordering: .acquiringAndReleasing)
        while race.arrived.load(ordering: .acquiring) < (place + 1) * count { sched_yield() }
        won.append(contest.writer.complete(word))
      }
      race.wins.withLock { $0[racer] = won }
    }
  }
}
