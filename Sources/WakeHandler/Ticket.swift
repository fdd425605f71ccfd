import ESCPOS
import PrintJobs

/// A job's place in the line at a printer. It does not hold the order: that is in the journal, or on its way.
struct Ticket: Sendable {
  /// Where the order is.
  enum OrderPlace: Equatable, Sendable {
    /// To be fetched for the first time; the line waits for it.
    case coming
    /// Not to be had for now; the jobs behind go first.
    case awaited
    /// In the journal.
    case journal
  }

  /// The job as the journal has it, without the order.
  var job: Job
  /// Where the order is.
  var order: OrderPlace
  /// Where its timeline counts from.
  let origin: BootInstant
  /// The budget of the wake that made it; nil for a job of an earlier life.
  let budget: Budget?
  /// When each step ended.
  var timeline = Timeline()

  var id: Int64 { job.id }

  init(_ job: Job, origin: BootInstant, budget: Budget?) {
    self.job = job
    self.order = job.order.isEmpty ? .coming : .journal
    self.origin = origin
    self.budget = budget
    self.timeline = job.timeline
    self.job.order = []
  }
}

extension JobState {
  private static let course: [JobState] = [.received, .fetched, .rendered, .intent]

  /// The states from behind this one up to `goal`, on the way to the first byte; none when it is there already.
  func steps(to goal: JobState) -> [JobState] {
    guard let here = Self.course.firstIndex(of: self), let there = Self.course.firstIndex(of: goal),
      here < there
    else { return [] }
    return Array(Self.course[(here + 1)...there])
  }
}

extension Job {
  /// What is true of the job by its state alone.
  var outcome: Outcome {
    switch state {
    case .received, .fetched, .rendered: .queued(reason.isEmpty ? "waits for its turn" : reason)
    case .intent, .sending: .unknown("is being printed; not confirmed yet")
    case .printed:
      reportedAt == nil
        ? .printedUnreported(confirmation ?? .unconfirmed) : .printed(confirmation ?? .unconfirmed)
    case .unknown: .unknown(reason)
    case .expired, .rejected: .notPrinted(reason)
    case .cancelled: .ignored(reason)
    }
  }
}
