public import PrintJobs

/// How a wake ended: the result as on iOS, and precisely.
public struct WakeCompletion: Equatable, Sendable {
  /// The result for the caller.
  public var result: WakeResult { outcome.result }
  /// The outcome of the wake as a whole: of its jobs the one that asks most for attention.
  public var outcome: Outcome
  /// What became of each job.
  public var jobs: [JobOutcome]
  /// When each step of the slowest job ended, in milliseconds after the wake was accepted.
  public var timeline: Timeline
  /// Whether the delivery had been seen before, so that nothing was done.
  public var replayed: Bool

  /// Creates an end.
  public init(outcome: Outcome, jobs: [JobOutcome], timeline: Timeline = Timeline(), replayed: Bool = false) {
    self.outcome = outcome
    self.jobs = jobs
    self.timeline = timeline
    self.replayed = replayed
  }
}

/// What has become of one job of a wake.
public struct JobOutcome: Equatable, Sendable {
  /// The journal's number.
  public var id: Int64
  /// What the job is.
  public var key: JobKey
  /// The printer's name.
  public var printer: String
  /// What has become of it.
  public var outcome: Outcome
  /// When each step ended, in milliseconds after the wake was accepted.
  public var timeline: Timeline

  /// Creates an outcome of a job.
  public init(id: Int64, key: JobKey, printer: String, outcome: Outcome, timeline: Timeline = Timeline()) {
    self.id = id
    self.key = key
    self.printer = printer
    self.outcome = outcome
    self.timeline = timeline
  }
}

extension Outcome {
  /// How much the outcome asks for attention; a wake with several jobs ends as the one that asks most.
  var weight: Int {
    switch self {
    case .ignored: 0
    case .duplicate: 1
    case .printed(.fence): 2
    case .printed: 3
    case .printedUnreported: 4
    case .queued: 5
    case .notPrinted: 6
    case .unknown: 7
    }
  }
}
