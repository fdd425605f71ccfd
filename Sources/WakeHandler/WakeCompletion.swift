public import PrintJobs

/// How a wake ended: the result as on iOS, and precisely.
public struct WakeCompletion: Equatable, Sendable {
  /// The result for the caller.
  ///
  /// The print decides, where there was one; a voice that failed or was muted never spoils it. Where nothing was to be
  /// printed, a payment that was said is something new, and a wake that asks for the voice alone has failed when it could
  /// not be said (``VoiceEnd/expired``, ``VoiceEnd/noDevice``, ``VoiceEnd/failed(_:)``); a muted speaker, or a payment
  /// that was said before, is nothing to do.
  public var result: WakeResult {
    guard let voice, outcome.result == .noData else { return outcome.result }
    switch voice {
    case .played: return .newData
    case .muted, .silent: return .noData
    case .expired, .noDevice, .failed: return asksForPrint ? .noData : .failed
    }
  }
  /// The outcome of the wake as a whole: of its jobs the one that asks most for attention.
  public var outcome: Outcome
  /// What became of each job.
  public var jobs: [JobOutcome]
  /// When each step of the slowest job ended, in milliseconds after the wake was accepted.
  public var timeline: Timeline
  /// Whether the delivery had been seen before, so that nothing was done.
  public var replayed: Bool
  /// How the announcement ended, where one was asked for and there is a voice.
  public var voice: VoiceEnd?
  /// Whether the wake asked for more than the voice.
  public var asksForPrint: Bool

  /// Creates an end.
  public init(
    outcome: Outcome, jobs: [JobOutcome], timeline: Timeline = Timeline(), replayed: Bool = false,
    voice: VoiceEnd? = nil, asksForPrint: Bool = true
  ) {
    self.outcome = outcome
    self.jobs = jobs
    self.timeline = timeline
    self.replayed = replayed
    self.voice = voice
    self.asksForPrint = asksForPrint
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
