import PrintJobs
import Synchronization
import WakeHandler

/// A journal in memory with the real one's rules, that fails when told to.
final class JournalDouble: JobPort, Sendable {
  private struct State {
    var jobs: [Int64: Job] = [:]
    var deliveries: Set<String> = []
    var cursor: String?
    var commits = 0
    var failures: [String: Int] = [:]
    var voices: [PaymentKey: Voice] = [:]
    var claims: [(key: PaymentKey, claim: PaymentClaim, at: Double)] = []
    var lost: [PaymentKey] = []

    func voice(of key: JobKey) -> Voice? { key.copy == 1 ? voices[PaymentKey(orderID: key.orderID)] : nil }

    mutating func claim(_ payment: PaymentClaim, at date: Double) -> (key: PaymentKey, firstAskedAt: Double?)?
    {
      if let place = payment.place(among: claims.map(\.claim)) {
        claims[place].claim = claims[place].claim.completed(by: payment)
        let key = claims[place].key
        guard case .ended(let end) = voices[key], end.mayBeAskedForAgain else { return nil }
        voices[key] = .pending
        return (key, claims[place].at)
      }
      let key = payment.nextKey(besides: claims.filter { $0.claim.subject == payment.subject }.map(\.key))
      claims.append((key, payment, date))
      voices[key] = .pending
      return (key, nil)
    }
  }

  private let state = Mutex(State())
  private let log: EventLog
  private let date: @Sendable () -> Double

  init(log: EventLog, date: @escaping @Sendable () -> Double) {
    self.log = log
    self.date = date
  }

  var commits: Int { state.withLock(\.commits) }
  var all: [Job] {
    state.withLock { state in
      state.jobs.values.sorted { $0.id < $1.id }.map { job in
        var job = job
        job.voice = state.voice(of: job.key)
        return job
      }
    }
  }
  var voices: [PaymentKey: Voice] { state.withLock(\.voices) }
  var storedCursor: String? { state.withLock(\.cursor) }

  /// Lets the next `times` calls fail that are called `call`: `receive`, `reported`, `job`, or the goal of a move.
  func fail(_ call: String, times: Int = 1) { state.withLock { $0.failures[call] = times } }

  /// Puts a job there as an earlier life left it.
  func put(_ job: Job) { state.withLock { $0.jobs[job.id] = job } }

  private func check(_ call: String, _ state: inout State) throws(JournalError) {
    guard let left = state.failures[call], left > 0 else { return }
    state.failures[call] = left - 1
    log.say("journal fails: \(call)")
    throw JournalError(.storage, "disk full")
  }

  private func locked<T: Sendable>(
    _ body: (inout State) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    let result: Result<T, JournalError> = state.withLock { state in
      do throws(JournalError) {
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func receive(
    _ jobs: [NewJob], deliveryID: String?, cursor: String?, restartsRejected: Bool,
    announcing payment: PaymentClaim?
  ) async throws(JournalError) -> Received {
    let date = date()
    let received = try locked { state throws(JournalError) -> Received in
      try check("receive", &state)
      let known = jobs.map { new in state.jobs.values.first { $0.key == new.key } }
      if let deliveryID, state.deliveries.contains(deliveryID) {
        let entries = known.compactMap(\.self).map { Received.Entry(job: $0, isNew: false) }
        return Received(entries: entries, replayed: true)
      }
      let restarts = known.contains { restartsRejected && $0?.state == .rejected }
      if restarts { try check("received", &state) }
      state.commits += 1
      let announces = payment.flatMap { state.claim($0, at: date) }
      if let deliveryID { state.deliveries.insert(deliveryID) }
      if let cursor { state.cursor = cursor }
      var entries: [Received.Entry] = []
      for (new, known) in zip(jobs, known) {
        if var job = known, restartsRejected, job.state == .rejected {
          (job.state, job.reason, job.order, job.expiresAt) = (.received, "", new.order, new.expiresAt)
          (job.finishedAt, job.reportedAt, job.timeline) = (nil, nil, Timeline())
          job.voice = state.voice(of: job.key)
          state.jobs[job.id] = job
          entries.append(Received.Entry(job: job, isNew: true))
        } else if let known {
          entries.append(Received.Entry(job: known, isNew: false))
        } else {
          let id = Int64(state.jobs.count + 1)
          let job = Job(
            id: id, key: new.key, printer: new.printer, originals: new.originals, receivedAt: date,
            expiresAt: new.expiresAt, order: new.order, voice: state.voice(of: new.key))
          state.jobs[id] = job
          entries.append(Received.Entry(job: job, isNew: true))
        }
      }
      return Received(
        entries: entries, announces: announces?.key, firstAskedAt: announces?.firstAskedAt)
    }
    for entry in received.entries where entry.isNew { log.say("received \(entry.job.id)") }
    return received
  }

  func advance(
    _ id: Int64, through states: [JobState], change: JobChange
  ) async throws(JournalError) -> Job {
    let date = date()
    let job = try locked { state throws(JournalError) -> Job in
      if let goal = states.last { try check(goal.rawValue, &state) }
      guard var job = state.jobs[id] else { throw JournalError(.notFound, "no job \(id)") }
      for next in states {
        guard next.follows(job.state) else {
          throw JournalError(.conflict, "job \(id) is \(job.state.rawValue)")
        }
        job.state = next
        job.finishedAt = next.isFinal ? date : nil
        job.reportedAt = nil
      }
      job.reason = change.reason ?? job.reason
      job.confirmation = change.confirmation ?? job.confirmation
      job.attempt = change.attempt ?? job.attempt
      job.expiresAt = change.expiresAt ?? job.expiresAt
      job.order = change.order ?? job.order
      job.bytesTotal = change.bytesTotal ?? job.bytesTotal
      job.bytesAccepted = change.bytesAccepted ?? job.bytesAccepted
      job.timeline = change.timeline ?? job.timeline
      job.voice = state.voice(of: job.key)
      state.jobs[id] = job
      state.commits += 1
      return job
    }
    log.say("\(job.state.rawValue) \(id)")
    return job
  }

  func reported(_ id: Int64, as state: JobState, timeline: Timeline) async throws(JournalError) {
    let date = date()
    try locked { all throws(JournalError) in
      try check("reported", &all)
      guard all.jobs[id]?.state == state else { throw JournalError(.conflict, "moved on") }
      all.jobs[id]?.reportedAt = date
      all.jobs[id]?.timeline = timeline
      all.commits += 1
    }
    log.say("reported \(id)")
  }

  func reportRefused(_ id: Int64, as state: JobState) async throws(JournalError) {
    try locked { all throws(JournalError) in
      try check("refused", &all)
      guard all.jobs[id]?.state == state else { throw JournalError(.conflict, "moved on") }
    }
    log.say("report refused \(id)")
  }

  func job(_ id: Int64) async throws(JournalError) -> Job? {
    try locked { state throws(JournalError) -> Job? in
      try check("job", &state)
      var job = state.jobs[id]
      if let key = job?.key { job?.voice = state.voice(of: key) }
      return job
    }
  }

  func announced(_ payment: PaymentKey, _ end: VoiceEnd) async throws(JournalError) {
    try locked { state throws(JournalError) in
      try check("announced", &state)
      guard state.voices[payment] != nil else { throw JournalError(.notFound, payment.text) }
      state.voices[payment] = .ended(end)
      state.commits += 1
    }
    log.say("\(end.word) \(payment.text)")
  }

  /// Lets an earlier life have lost announcements.
  func lose(_ payments: PaymentKey...) { state.withLock { $0.lost = payments } }

  func endLostAnnouncements() async throws(JournalError) -> [PaymentKey] {
    state.withLock { state in
      defer { state.lost = [] }
      return state.lost
    }
  }

  func jobs(orderID: String) async throws(JournalError) -> [Job] {
    all.filter { $0.key.orderID == orderID }
  }

  func unfinished() async throws(JournalError) -> [Job] { all.filter { !$0.state.isFinal } }

  func unreported(limit: Int) async throws(JournalError) -> [Job] {
    Array(all.filter { $0.state.isFinal && $0.reportedAt == nil }.prefix(limit))
  }

  func cursor() async throws(JournalError) -> String? { storedCursor }
}
