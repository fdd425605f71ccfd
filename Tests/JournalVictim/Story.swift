import Glibc
import PrintJobs
import PrintJournal

/// The life of jobs as the daemon leads it, with a point before and after everything that lasts; at the fatal one
/// the process kills itself.
///
/// Lines: `A key` acknowledged, `S key` the first byte is on paper, `E key` the last one is, `U key` found unknown after
/// a crash, `R key outcome` the backend has the report, `END`.
struct Story {
  let journal: Journal
  let fatalPoint: Int
  private var passed = 0

  init(journal: Journal, fatalPoint: Int) {
    self.journal = journal
    self.fatalPoint = fatalPoint
  }

  mutating func run(orders: Range<Int>) async throws {
    point()
    for job in try await journal.recoverAfterCrash() { say("U \(job.key)") }
    point()
    for job in try await journal.unfinished() { try await finish(job) }
    for job in try await journal.unreported(limit: 1000) { try await report(job) }
    // Orders of the run before are named again by another channel.
    if let first = orders.first {
      for number in max(0, first - 3)..<first { try await take(number, deliveryID: nil) }
    }
    for number in orders { try await take(number, deliveryID: "delivery-\(number)") }
    await journal.close()
    say("END")
  }

  private mutating func point() {
    if passed == fatalPoint { raise(SIGKILL) }
    passed += 1
  }

  private mutating func take(_ number: Int, deliveryID: String?) async throws {
    point()
    let key = JobKey(orderID: "\(number)", kind: "receipt")
    let job = NewJob(key: key, printer: "counter", expiresAt: .infinity)
    let received = try await journal.receive([job], deliveryID: deliveryID, cursor: "\(number)")
    point()
    for entry in received.entries {
      say("A \(entry.job.key)")
      point()
      if entry.isNew { try await finish(entry.job) }
    }
  }

  private mutating func finish(_ job: Job) async throws {
    var job = job
    if job.state == .received {
      var change = JobChange()
      change.order = [UInt8](repeating: 0x7B, count: 300)
      job = try await move(job, .fetched, change)
    }
    if job.state == .fetched {
      var change = JobChange()
      change.bytesTotal = 900
      job = try await move(job, .rendered, change)
    }
    var change = JobChange()
    change.attempt = job.attempt + 1
    job = try await move(job, .intent, change)
    say("S \(job.key)")
    point()
    job = try await move(job, .sending, JobChange())
    say("E \(job.key)")
    point()
    change = JobChange()
    change.confirmation = .fence
    job = try await move(job, .printed, change)
    try await report(job)
  }

  private mutating func report(_ job: Job) async throws {
    say("R \(job.key) \(job.state.rawValue)")
    point()
    try await journal.reported(job.id, as: job.state, timeline: job.timeline)
    point()
  }

  private mutating func move(_ job: Job, _ state: JobState, _ change: JobChange) async throws -> Job {
    point()
    let moved = try await journal.advance(job.id, through: [state], change: change)
    point()
    return moved
  }
}
