import PrintJobs
import PrintJournal

/// The journal as its documentation tells it, in memory.
struct JournalModel {
  private(set) var jobs: [Job] = []
  private var deliveries: Set<String> = []
  private(set) var cursor: String?
  var time: Double

  init(time: Double) { self.time = time }

  mutating func receive(_ wanted: [NewJob], deliveryID: String?, cursor: String?) -> Received {
    if let deliveryID, !deliveries.insert(deliveryID).inserted {
      let entries = wanted.compactMap { new in job(new.key).map { Received.Entry(job: $0, isNew: false) } }
      return Received(entries: entries, replayed: true)
    }
    self.cursor = cursor ?? self.cursor
    return Received(
      entries: wanted.map { new in
        if let job = job(new.key) { return Received.Entry(job: job, isNew: false) }
        let job = Job(
          id: Int64(jobs.count + 1), key: new.key, printer: new.printer, originals: new.originals,
          receivedAt: time,
          expiresAt: new.expiresAt, order: new.order)
        jobs.append(job)
        return Received.Entry(job: job, isNew: true)
      })
  }

  mutating func advance(_ id: Int64, through states: [JobState], change: JobChange) -> Result<Job, Refusal> {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return .failure(.init(code: .notFound)) }
    var job = jobs[index]
    for state in states {
      guard state.follows(job.state) else { return .failure(.init(code: .conflict)) }
      job.state = state
      job.finishedAt = state.isFinal ? time : nil
      job.reportedAt = nil
    }
    if let reason = change.reason { job.reason = reason }
    if let confirmation = change.confirmation { job.confirmation = confirmation }
    if let attempt = change.attempt { job.attempt = attempt }
    if let expiresAt = change.expiresAt { job.expiresAt = expiresAt }
    if let order = change.order { job.order = order }
    if let bytes = change.bytesTotal { job.bytesTotal = bytes }
    if let bytes = change.bytesAccepted { job.bytesAccepted = bytes }
    if let timeline = change.timeline { job.timeline = timeline }
    jobs[index] = job
    return .success(job)
  }

  mutating func reported(_ id: Int64, as state: JobState, timeline: Timeline) -> Result<Job, Refusal> {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return .failure(.init(code: .notFound)) }
    guard jobs[index].state.isFinal, jobs[index].state == state else {
      return .failure(.init(code: .conflict))
    }
    if jobs[index].reportedAt == nil {
      jobs[index].reportedAt = time
      jobs[index].timeline = timeline
    }
    return .success(jobs[index])
  }

  /// The jobs that a crash now leaves unknown.
  mutating func crash() -> [Int64] {
    var lost: [Int64] = []
    for index in jobs.indices where jobs[index].state == .intent || jobs[index].state == .sending {
      jobs[index].state = .unknown
      jobs[index].finishedAt = time
      lost.append(jobs[index].id)
    }
    return lost
  }

  /// Takes over the reason, whose wording is the journal's.
  mutating func setReason(_ reason: String, of id: Int64) {
    for index in jobs.indices where jobs[index].id == id { jobs[index].reason = reason }
  }

  private func job(_ key: JobKey) -> Job? { jobs.first { $0.key == key } }

  struct Refusal: Error, Equatable {
    var code: JournalError.Code
  }
}
