/// What makes a job the one it is: the same key is never printed twice, whatever channel names it how often.
public struct JobKey: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The order's id, as the shop's backend writes it.
  public var orderID: String
  /// The document kind: `receipt`, `kitchen`, …
  public var kind: String
  /// 1 for the first print; a reprint has the next number and is marked on the paper.
  public var copy: Int

  /// Creates a key.
  public init(orderID: String, kind: String, copy: Int = 1) {
    self.orderID = orderID
    self.kind = kind
    self.copy = copy
  }

  /// The key on one line: `20261130-000187/receipt/1`; also the report's `Idempotency-Key`.
  public var description: String { "\(orderID)/\(kind)/\(copy)" }
}

/// The states of a job; see ``follows(_:)`` for the moves between them.
public enum JobState: String, Sendable, Codable, CaseIterable {
  /// Durable; the wake may be acknowledged.
  case received
  /// The order is here.
  case fetched
  /// The bytes are here.
  case rendered
  /// The next thing that happens is the first byte; durable before it.
  case intent
  /// The link has taken bytes.
  case sending
  /// Proven to be on paper, or as good as a printer without back channel can prove; durable before the report.
  case printed
  /// May be on paper: the link or the power was lost after the first byte. A late answer or a person settles it.
  case unknown
  /// Too old to be printed without a person.
  case expired
  /// Called off, or not for any printer here.
  case cancelled
  /// The order cannot be printed as it is; another wake for it tries again, in case it has been mended.
  case rejected

  /// Whether a job may move from `earlier` to this state.
  public func follows(_ earlier: JobState) -> Bool {
    switch (earlier, self) {
    case (.received, .fetched), (.fetched, .rendered), (.rendered, .intent), (.intent, .sending):
      true
    case (.intent, .rendered), (.sending, .printed), (.intent, .printed):
      true
    case (.intent, .unknown), (.sending, .unknown), (.unknown, .printed), (.unknown, .cancelled):
      true
    case (.received, .expired), (.fetched, .expired), (.rendered, .expired):
      true
    case (.received, .cancelled), (.fetched, .cancelled), (.rendered, .cancelled), (.expired, .cancelled):
      true
    case (.received, .rejected), (.fetched, .rejected), (.rendered, .rejected), (.rejected, .received):
      true
    default:
      false
    }
  }

  /// Whether nothing more happens to the job by itself (its report apart).
  public var isFinal: Bool {
    switch self {
    case .printed, .unknown, .expired, .cancelled, .rejected: true
    case .received, .fetched, .rendered, .intent, .sending: false
    }
  }
}

/// How sure it is that a job is on paper.
public enum Confirmation: String, Sendable, Codable {
  /// The printer said so (`GS ( H`, `GS r`).
  case fence
  /// The printer has no back channel: the link's barrier and the drain time have passed.
  case unconfirmed
  /// A person said so.
  case person
}

/// One receipt on its way to one printer, as the journal holds it.
public struct Job: Equatable, Sendable, Identifiable {
  /// The journal's number.
  public var id: Int64
  /// What it is.
  public var key: JobKey
  /// The printer's name in the configuration.
  public var printer: String
  /// How many originals come out of the printer in this job, 1 through 9.
  public var originals: Int
  /// The state.
  public var state: JobState
  /// Why it is in that state, for a person; empty when there is nothing to say.
  public var reason: String
  /// How it was proven; only when printed.
  public var confirmation: Confirmation?
  /// Prints begun.
  public var attempt: Int
  /// When it was received, seconds since 1970.
  public var receivedAt: Double
  /// After this time it is not printed without a person, seconds since 1970.
  public var expiresAt: Double
  /// When it reached its final state, seconds since 1970.
  public var finishedAt: Double?
  /// When the report was acknowledged, seconds since 1970.
  public var reportedAt: Double?
  /// The order as it came, JSON; empty until fetched. Kept for reprints.
  public var order: [UInt8]
  /// Bytes of the rendered job; 0 until rendered.
  public var bytesTotal: Int
  /// Bytes that the link took in the last attempt, as far as known.
  public var bytesAccepted: Int
  /// When each step ended, in milliseconds after the wake was accepted.
  public var timeline: Timeline
  /// What became of the announcement of its order, where one was asked for; nil for copies.
  public var voice: Voice?

  /// Creates a job record.
  public init(
    id: Int64, key: JobKey, printer: String, originals: Int = 1, state: JobState = .received,
    reason: String = "", confirmation: Confirmation? = nil, attempt: Int = 0, receivedAt: Double,
    expiresAt: Double, finishedAt: Double? = nil, reportedAt: Double? = nil, order: [UInt8] = [],
    bytesTotal: Int = 0, bytesAccepted: Int = 0, timeline: Timeline = Timeline(), voice: Voice? = nil
  ) {
    self.id = id
    self.key = key
    self.printer = printer
    self.originals = originals
    self.state = state
    self.reason = reason
    self.confirmation = confirmation
    self.attempt = attempt
    self.receivedAt = receivedAt
    self.expiresAt = expiresAt
    self.finishedAt = finishedAt
    self.reportedAt = reportedAt
    self.order = order
    self.bytesTotal = bytesTotal
    self.bytesAccepted = bytesAccepted
    self.timeline = timeline
    self.voice = voice
  }
}

/// A job to be made, before the journal has given it a number.
public struct NewJob: Equatable, Sendable {
  /// What it is.
  public var key: JobKey
  /// The printer's name in the configuration.
  public var printer: String
  /// How many originals come out of the printer, 1 through 9.
  public var originals: Int
  /// After this time it is not printed without a person, seconds since 1970.
  public var expiresAt: Double
  /// The order, when it is known already (a reprint, an inline order), or empty.
  public var order: [UInt8]

  /// Creates a job to be made.
  public init(key: JobKey, printer: String, originals: Int = 1, expiresAt: Double, order: [UInt8] = []) {
    self.key = key
    self.printer = printer
    self.originals = originals
    self.expiresAt = expiresAt
    self.order = order
  }
}

/// What changes when a job moves on; nil leaves the field as it is.
public struct JobChange: Equatable, Sendable {
  /// Why, for a person.
  public var reason: String?
  /// How the print was proven.
  public var confirmation: Confirmation?
  /// Prints begun.
  public var attempt: Int?
  /// After this time it is not printed without a person, seconds since 1970 (once the order's payment time is known).
  public var expiresAt: Double?
  /// The order as it came, JSON.
  public var order: [UInt8]?
  /// Bytes of the rendered job.
  public var bytesTotal: Int?
  /// Bytes that the link took.
  public var bytesAccepted: Int?
  /// When each step ended.
  public var timeline: Timeline?

  /// Creates a change of nothing.
  public init() {}
}

/// When each step of a job ended, in milliseconds after the wake was accepted.
public struct Timeline: Equatable, Sendable, Codable {
  /// The wake is durable.
  public var received: Double?
  /// The order is here.
  public var fetched: Double?
  /// The link to the printer is open.
  public var connected: Double?
  /// The link has taken the first byte of the job.
  public var firstByte: Double?
  /// The printer has confirmed the print (or the drain time has passed).
  public var fence: Double?
  /// The report was acknowledged.
  public var reported: Double?
  /// The completion was called.
  public var completed: Double?

  /// Creates an empty timeline.
  public init() {}

  enum CodingKeys: String, CodingKey {
    case received, fetched, connected
    case firstByte = "first_byte"
    case fence, reported, completed
  }
}
