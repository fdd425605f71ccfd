import PrintJobs
import Testing

@testable import PrintJournal

@Suite(.serialized, .timeLimit(.minutes(5)))
struct KillTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  /// Two more than the points from the start of a run to the end of its third order, so that each is fatal at least once.
  static let points = 80

  @Test func `killed before and after everything that lasts, the journal keeps its promises`() async throws {
    var world = World()
    var kills = 0
    for run in 0..<160 {
      let end = try await VictimProcess.run([
        "story", scratch.path, "\(run % Self.points)", "\(run * 4)", "4",
      ])
      #expect(end.wasKilled, "run \(run) passed fewer points than it was to die at: \(end.lines.suffix(1))")
      kills += end.wasKilled ? 1 : 0
      world.hear(end.lines)
      // In the other runs it is the next victim that recovers, and may die doing it.
      if run % 2 == 0 { try await inspect(&world) }
    }
    try await settle(&world)
    #expect(kills == 160)
  }

  @Test func `killed at any moment from outside, the journal keeps its promises`() async throws {
    var world = World()
    var random = Seeded(seed: 2026)
    var kills = 0
    for run in 0..<80 {
      let end = try await VictimProcess.run(
        ["story", scratch.path, "-1", "\(run * 10_000)", "10000"],
        fatalLine: Int.random(in: 1...40, using: &random),
        patience: Int.random(in: 0...400, using: &random))
      kills += end.wasKilled ? 1 : 0
      world.hear(end.lines)
      if run % 2 == 0 { try await inspect(&world) }
    }
    try await settle(&world)
    #expect(kills == 80)
  }

  /// Opens the journal of the dead process, recovers it, and compares it with the world.
  private func inspect(_ world: inout World) async throws {
    let journal = try await Journal.open(path: scratch.path)
    let found = try await journal.history(limit: .max)
    let cut = found.filter { $0.state == .intent || $0.state == .sending }
    let recovered = try await journal.recoverAfterCrash()
    #expect(Set(recovered.map(\.key)) == Set(cut.map(\.key)))
    world.unknown.formUnion(recovered.map(\.key.description))
    world.compare(with: try await journal.history(limit: .max))
    await journal.close()
  }

  /// A last run that nobody kills ends all that is left to do.
  private func settle(_ world: inout World) async throws {
    try await inspect(&world)
    let end = try await VictimProcess.run(["story", scratch.path, "-1", "0", "0"])
    #expect(end.lines.last == "END" && end.exitCode == 0)
    world.hear(end.lines)
    let journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.unfinished().isEmpty)
    #expect(try await journal.unreported(limit: 9).isEmpty)
    #expect(try await journal.recoverAfterCrash().isEmpty)
    let jobs = try await journal.history(limit: .max)
    world.compare(with: jobs)
    for job in jobs {
      #expect(
        world.reports[job.key.description]?.contains(job.state.rawValue) == true, "\(job.key) has no report")
    }
    #expect(!world.unknown.isEmpty, "no kill fell into a print: this test tests nothing")
  }
}

/// What the victims have done to paper, channel and backend.
private struct World {
  var acknowledged: Set<String> = []
  var begun: [String: Int] = [:]
  var ended: Set<String> = []
  var unknown: Set<String> = []
  var reports: [String: Set<String>] = [:]

  mutating func hear(_ lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      switch (words[0], words.count) {
      case ("A", 2): acknowledged.insert(words[1])
      case ("S", 2): begun[words[1], default: 0] += 1
      case ("E", 2): ended.insert(words[1])
      case ("U", 2): unknown.insert(words[1])
      case ("R", 3): reports[words[1], default: []].insert(words[2])
      case ("END", 1): break
      default: Issue.record("the victim says: \(line)")
      }
    }
  }

  /// To be called after recovery: no job is on its way to paper.
  func compare(with jobs: [Job]) {
    let known = Set(jobs.map(\.key.description))
    #expect(acknowledged.isSubset(of: known), "lost: \(acknowledged.subtracting(known))")
    #expect(Set(begun.keys).isSubset(of: known), "printed without a job")
    for job in jobs {
      let key = job.key.description
      #expect(begun[key, default: 0] <= 1, "\(key) was printed twice")
      switch job.state {
      case .printed:
        #expect(ended.contains(key), "\(key) is not on paper")
        #expect(!unknown.contains(key), "\(key) was unknown and nobody settled it")
      case .unknown:
        #expect(unknown.contains(key), "\(key) is unknown for no reason")
      case .received, .fetched, .rendered:
        #expect(begun[key] == nil, "\(key) is on paper and would be printed again")
      case .intent, .sending, .expired, .cancelled, .rejected:
        Issue.record("\(key) is \(job.state.rawValue)")
      }
    }
  }
}

/// Random numbers that are the same in each run (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
