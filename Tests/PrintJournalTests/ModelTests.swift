import PrintJobs
import PrintJournal
import Testing

/// Random calls give what the model gives, and leave what it leaves.
@Suite(.timeLimit(.minutes(1)))
struct ModelTests {
  let scratch: Scratch
  let time = SetTime()
  init() throws { scratch = try Scratch() }

  @Test(arguments: 1...8)
  func `random calls leave the journal as the model says`(seed: Int) async throws {
    let time = time
    var random = Seeded(seed: UInt64(seed))
    var model = JournalModel(time: time.now)
    var journal = try await Journal.open(path: scratch.path, now: { time.now })
    var seen: Set<JobState> = []
    for _ in 0..<500 {
      time.now += Double(Int.random(in: 0...3, using: &random))
      model.time = time.now
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<25:
        let wanted = (0..<Int.random(in: 0...3, using: &random)).map { _ in newJob(&random) }
        let delivery = Bool.random(using: &random) ? "d\(Int.random(in: 0..<60, using: &random))" : nil
        let cursor = Bool.random(using: &random) ? "c\(Int.random(in: 0..<1000, using: &random))" : nil
        let received = try await journal.receive(wanted, deliveryID: delivery, cursor: cursor)
        try #require(received == model.receive(wanted, deliveryID: delivery, cursor: cursor))
      case 25..<85:
        let id = Int64.random(in: 1...Int64(model.jobs.count + 1), using: &random)
        let states = states(for: model.jobs.first { $0.id == id }, &random)
        let change = change(&random)
        let result = await outcome { () async throws(JournalError) in
          try await journal.advance(id, through: states, change: change)
        }
        try #require(result == model.advance(id, through: states, change: change))
      case 85..<97:
        let id = Int64.random(in: 1...Int64(model.jobs.count + 1), using: &random)
        var timeline = Timeline()
        timeline.reported = Double.random(in: 0...9999, using: &random)
        let now = model.jobs.first { $0.id == id }?.state ?? .printed
        let state = Int.random(in: 0..<4, using: &random) == 0 ? .unknown : now
        let result = await outcome { () async throws(JournalError) in
          try await journal.reported(id, as: state, timeline: timeline)
          return try await journal.job(id)
        }
        try #require(
          result.map { $0 } == model.reported(id, as: state, timeline: timeline).map(Optional.some))
      default:
        await journal.close()
        journal = try await Journal.open(path: scratch.path, now: { time.now })
        let lost = try await journal.recoverAfterCrash()
        try #require(lost.map(\.id) == model.crash())
        for job in lost { model.setReason(job.reason, of: job.id) }
      }
      try await compare(journal, with: model)
      seen.formUnion(model.jobs.map(\.state))
    }
    try #require(
      seen.isSuperset(of: [.printed, .unknown, .cancelled, .sending]), "too tame to show anything")
  }

  private func compare(_ journal: Journal, with model: JournalModel) async throws {
    let jobs = model.jobs
    let withoutOrders = jobs.reversed().map { job in
      var job = job
      job.order = []
      return job
    }
    try #require(try await journal.history(limit: .max) == withoutOrders)
    let unfinished = jobs.filter { !$0.state.isFinal }
    try #require(try await journal.unfinished() == unfinished)
    let unreported = withoutOrders.reversed().filter { $0.state.isFinal && $0.reportedAt == nil }
    try #require(try await journal.unreported(limit: .max) == unreported)
    try #require(try await journal.cursor() == model.cursor)
    try #require(
      try await journal.counts()
        == JournalCounts(
          jobs: Dictionary(grouping: jobs, by: \.state).mapValues(\.count), unreported: unreported.count,
          oldestUnfinished: unfinished.map(\.receivedAt).min()))
    for orderID in ["o0", "o7"] {
      try #require(try await journal.jobs(orderID: orderID) == jobs.filter { $0.key.orderID == orderID })
      let copies = jobs.filter { $0.key.orderID == orderID && $0.key.kind == "receipt" }.map(\.key.copy)
      try #require(try await journal.nextCopy(orderID: orderID, kind: "receipt") == (copies.max() ?? 0) + 1)
    }
  }

  private func outcome<Answer: Sendable>(
    _ body: () async throws(JournalError) -> Answer
  ) async -> Result<Answer, JournalModel.Refusal> {
    do throws(JournalError) {
      return .success(try await body())
    } catch {
      return .failure(.init(code: error.code))
    }
  }

  private func newJob(_ random: inout Seeded) -> NewJob {
    let key = JobKey(
      orderID: "o\(Int.random(in: 0..<30, using: &random))",
      kind: Bool.random(using: &random) ? "receipt" : "kitchen", copy: Int.random(in: 1...3, using: &random))
    return NewJob(
      key: key, printer: "p\(Int.random(in: 0..<3, using: &random))",
      originals: Int.random(in: 1...9, using: &random), expiresAt: time.now + 7200,
      order: bytes(&random))
  }

  /// Mostly moves that may be, sometimes any.
  private func states(for job: Job?, _ random: inout Seeded) -> [JobState] {
    var states: [JobState] = []
    var state = job?.state ?? .received
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      var may = JobState.allCases.filter { $0.follows(state) }
      // Most jobs go all the way to paper.
      if Int.random(in: 0..<10, using: &random) < 8, may.contains(where: { !$0.isFinal }) {
        may.removeAll(where: \.isFinal)
      }
      let wild = Int.random(in: 0..<10, using: &random) == 0
      guard let next = (wild ? JobState.allCases : may).randomElement(using: &random) else { break }
      states.append(next)
      state = next
    }
    return states
  }

  private func change(_ random: inout Seeded) -> JobChange {
    var change = JobChange()
    if Bool.random(using: &random) { change.reason = "why \(Int.random(in: 0..<99, using: &random))" }
    if Bool.random(using: &random) {
      change.confirmation = [.fence, .unconfirmed, .person].randomElement(using: &random)
    }
    if Bool.random(using: &random) { change.attempt = Int.random(in: 0...9, using: &random) }
    if Bool.random(using: &random) { change.expiresAt = Double.random(in: 0...4e9, using: &random) }
    if Bool.random(using: &random) { change.order = bytes(&random) }
    if Bool.random(using: &random) { change.bytesTotal = Int.random(in: 0...99999, using: &random) }
    if Bool.random(using: &random) { change.bytesAccepted = Int.random(in: 0...99999, using: &random) }
    if Bool.random(using: &random) {
      var timeline = Timeline()
      timeline.received = Double.random(in: 0...9, using: &random)
      timeline.connected = Double.random(in: 0...9999, using: &random)
      timeline.completed = Bool.random(using: &random) ? 8700.125 : nil
      change.timeline = timeline
    }
    return change
  }

  private func bytes(_ random: inout Seeded) -> [UInt8] {
    (0..<Int.random(in: 0...6000, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  }
}
