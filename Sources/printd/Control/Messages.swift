import ESCPOS
import PrintJobs
import WakeHandler

// What the control socket and the webhook say, as JSON with sorted keys.

/// What came of a wake.
struct CompletionMessage: Codable, Sendable {
  struct JobMessage: Codable, Sendable {
    var job: Int64?
    var orderID: String
    var kind: String
    var copy: Int
    var printer: String
    var outcome: String
    var reason: String?
    var timeline: Timeline

    enum CodingKeys: String, CodingKey {
      case job
      case orderID = "order_id"
      case kind, copy, printer, outcome, reason, timeline
    }
  }

  var result: WakeResult
  var outcome: String
  var reason: String?
  var replayed: Bool?
  var jobs: [JobMessage]
  var timeline: Timeline
  var voice: Voice?
}

/// A job as the commands show it.
struct JobMessage: Codable, Sendable {
  var id: Int64
  var orderID: String
  var kind: String
  var copy: Int
  var printer: String
  var originals: Int
  var state: JobState
  var reason: String?
  var confirmation: Confirmation?
  var attempt: Int
  var receivedAt: Double
  var expiresAt: Double
  var finishedAt: Double?
  var reportedAt: Double?
  var bytesTotal: Int
  var bytesAccepted: Int
  var timeline: Timeline
  var voice: Voice?

  enum CodingKeys: String, CodingKey {
    case id
    case orderID = "order_id"
    case kind, copy, printer, originals, state, reason, confirmation, attempt
    case receivedAt = "received_at"
    case expiresAt = "expires_at"
    case finishedAt = "finished_at"
    case reportedAt = "reported_at"
    case bytesTotal = "bytes_total"
    case bytesAccepted = "bytes_accepted"
    case timeline, voice
  }

  init(_ job: Job) {
    id = job.id
    orderID = job.key.orderID
    kind = job.key.kind
    copy = job.key.copy
    printer = job.printer
    originals = job.originals
    state = job.state
    reason = job.reason.isEmpty ? nil : job.reason
    confirmation = job.confirmation
    attempt = job.attempt
    receivedAt = job.receivedAt
    expiresAt = job.expiresAt
    finishedAt = job.finishedAt
    reportedAt = job.reportedAt
    bytesTotal = job.bytesTotal
    bytesAccepted = job.bytesAccepted
    timeline = job.timeline
    voice = job.voice
  }
}

/// A list of jobs.
struct JobsMessage: Codable, Sendable {
  var jobs: [JobMessage]
}

/// A refusal: what is wrong and what to do.
struct ErrorMessage: Codable, Sendable {
  var error: String
  var remedy: String?
}

/// What a request to settle a job asks for.
struct ResolveMessage: Codable, Sendable {
  /// `printed`, `reprint` or `discard`.
  var `as`: String
}

/// What a request for a reprint asks for.
struct ReprintMessage: Codable, Sendable {
  var kind: String?
}

/// How long the daemon keeps off a Bluetooth printer.
struct LoanMessage: Codable, Sendable {
  /// 1 through 60 as a wish; as an answer, 0 when the loan is over.
  var seconds: Int
  /// The borrower's name for the loan, in a wish: 1 to 64 letters, digits and hyphens.
  var token: String?
}
