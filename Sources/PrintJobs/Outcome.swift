/// What became of a wake or a job, precisely.
public enum Outcome: Equatable, Sendable {
  /// On paper and reported.
  case printed(Confirmation)
  /// On paper; the report has not been acknowledged yet and is retried.
  case printedUnreported(Confirmation)
  /// Printed, or on its way, already.
  case duplicate
  /// Nothing here is to be printed for it.
  case ignored(String)
  /// Safe in the journal; the reason says what it waits for.
  case queued(String)
  /// Not printed, and it will not be without a person.
  case notPrinted(String)
  /// May be on paper; never sent again by itself.
  case unknown(String)

  /// The word in reports, logs and exit messages.
  public var word: String {
    switch self {
    case .printed: "printed"
    case .printedUnreported: "printedUnreported"
    case .duplicate: "duplicate"
    case .ignored: "ignored"
    case .queued: "queued"
    case .notPrinted: "notPrinted"
    case .unknown: "unknown"
    }
  }

  /// Why, where there is a why; `unconfirmed` for a print without proof from the printer.
  public var reason: String? {
    switch self {
    case .printed(let confirmation), .printedUnreported(let confirmation):
      confirmation == .fence ? nil : confirmation.rawValue
    case .duplicate: nil
    case .ignored(let reason), .queued(let reason), .notPrinted(let reason), .unknown(let reason): reason
    }
  }

  /// The result that the wake's completion is called with.
  public var result: WakeResult {
    switch self {
    case .printed: .newData
    case .duplicate, .ignored: .noData
    case .printedUnreported, .queued, .notPrinted, .unknown: .failed
    }
  }
}

/// The three results of a background wake, as on iOS.
public enum WakeResult: String, Sendable, Codable {
  /// Printed and reported.
  case newData
  /// Nothing to do.
  case noData
  /// Anything else.
  case failed
}

/// What the shop's backend is told about a job. JSON Schema: `Docs/schema/report.schema.json`.
public struct Report: Equatable, Sendable, Codable {
  /// The order's id.
  public var orderID: String
  /// The document kind.
  public var kind: String
  /// The copy's number, 1 for the first print.
  public var copy: Int
  /// The outcome's word.
  public var outcome: String
  /// The result of the wake.
  public var result: WakeResult
  /// Why, where there is a why.
  public var reason: String?
  /// The printer's name.
  public var printer: String
  /// Prints begun.
  public var attempt: Int
  /// When the job was received, seconds since 1970.
  public var receivedAt: Double
  /// When each step ended, in milliseconds after the wake was accepted.
  public var timeline: Timeline
  /// What became of the order's announcement, where one was asked for.
  public var voice: Voice?

  /// The `Idempotency-Key` under which the backend sees this report once, however often it is sent.
  public var idempotencyKey: String { "\(JobKey(orderID: orderID, kind: kind, copy: copy))#\(outcome)" }

  enum CodingKeys: String, CodingKey {
    case orderID = "order_id"
    case kind, copy, outcome, result, reason, printer, attempt
    case receivedAt = "received_at"
    case timeline, voice
  }

  /// Creates a report about `job` as it stands, or nil while it has not ended.
  public init?(_ job: Job) {
    let outcome: Outcome
    switch job.state {
    case .printed: outcome = .printed(job.confirmation ?? .unconfirmed)
    case .unknown: outcome = .unknown(job.reason)
    case .expired, .rejected: outcome = .notPrinted(job.reason)
    case .cancelled: outcome = .ignored(job.reason)
    case .received, .fetched, .rendered, .intent, .sending: return nil
    }
    orderID = job.key.orderID
    kind = job.key.kind
    copy = job.key.copy
    self.outcome = outcome.word
    result = outcome.result
    reason = outcome.reason
    printer = job.printer
    attempt = job.attempt
    receivedAt = job.receivedAt
    timeline = job.timeline
    voice = job.voice
  }
}
