public import ESCPOS
public import PrintJobs

// What the story of a wake needs from the floors below. The daemon joins these to the real things.

/// Where orders come from and reports go to.
public protocol OrderPort: Sendable {
  /// Fetches one order, as the JSON that the backend sent, whole and checked to be JSON.
  ///
  /// - Throws: ``OrderServiceError``.
  func order(_ id: String, by deadline: BootInstant) async throws(OrderServiceError) -> [UInt8]

  /// Orders that wait after `cursor` (nil at the very first time), in order, with the cursor to ask with next.
  ///
  /// - Throws: ``OrderServiceError``; `.unsupported` where the service has no such list.
  func pending(
    after cursor: String?, by deadline: BootInstant
  ) async throws(OrderServiceError) -> (orderIDs: [String], cursor: String?)

  /// Reports an outcome; returns once the backend has acknowledged it.
  ///
  /// - Throws: ``OrderServiceError``; the report can be sent again, its idempotency key makes it count once.
  func report(_ report: Report, by deadline: BootInstant) async throws(OrderServiceError)
}

/// The durable memory of jobs.
///
/// Each call is one transaction, on disk when it returns. After an error nothing of the call has happened.
public protocol JobPort: Sendable {
  /// Makes jobs that do not exist yet, and remembers the delivery, the cursor and the announcement, in one transaction.
  ///
  /// - Parameters:
  ///   - jobs: The jobs wanted; one whose key is known is not made again.
  ///   - deliveryID: The channel's id of the delivery (`webhook-id`), or nil where it has none.
  ///   - cursor: The order service's cursor behind these jobs, or nil to leave it.
  ///   - restartsRejected: Whether a job that is known and rejected begins anew, as if it were new.
  ///   - payment: What is to be announced, or nil.
  /// - Returns: The jobs in the order asked, each new or as it stands; `announces` with the payment's key when it is to be
  ///   said; `replayed` when the delivery was known, and then nothing was made.
  func receive(
    _ jobs: [NewJob], deliveryID: String?, cursor: String?, restartsRejected: Bool,
    announcing payment: PaymentClaim?
  ) async throws(JournalError) -> Received

  /// Notes how a payment's announcement ended; the last word stays.
  func announced(_ payment: PaymentKey, _ end: VoiceEnd) async throws(JournalError)

  /// Ends the announcements that an earlier life has begun; they are not begun again.
  ///
  /// - Returns: Which payments' they were.
  func endLostAnnouncements() async throws(JournalError) -> [PaymentKey]

  /// Moves a job through `states` in turn, in one transaction.
  ///
  /// - Returns: The job as it stands then.
  /// - Throws: ``JournalError`` with `.conflict` when the job is not in a state that the first may follow.
  func advance(
    _ id: Int64, through states: [JobState], change: JobChange
  ) async throws(JournalError) -> Job

  /// Notes that the report about the job in `state` was acknowledged.
  ///
  /// - Throws: ``JournalError`` with `.conflict` when the job has another state by now (a person settled it while the
  ///   report was on the way): that one is still to be reported.
  func reported(_ id: Int64, as state: JobState, timeline: Timeline) async throws(JournalError)

  /// Notes that the backend has refused the report about the job in `state`: the job need not be kept for it.
  func reportRefused(_ id: Int64, as state: JobState) async throws(JournalError)

  /// The job with this number, or nil.
  func job(_ id: Int64) async throws(JournalError) -> Job?

  /// All copies of an order's documents, oldest first.
  func jobs(orderID: String) async throws(JournalError) -> [Job]

  /// Jobs that have not ended, oldest first.
  func unfinished() async throws(JournalError) -> [Job]

  /// Jobs that have ended and whose report was not acknowledged, oldest first; their orders may be left out.
  func unreported(limit: Int) async throws(JournalError) -> [Job]

  /// The order service's cursor, or nil at the very first time.
  func cursor() async throws(JournalError) -> String?
}

/// One job's talk with a printer, in the order ``gate(by:drains:)``, ``send(_:by:firstByte:)``, ``fence(by:)``, ``end()``.
///
/// ``PrinterConversation`` is it; a conversation ends before the next begins on the same link.
public protocol ConversationPort: Sendable {
  /// Asks the printer whether it can print; `drains` lets it fill up a raster that may have been left half.
  ///
  /// - Throws: ``LinkError`` when the link cannot carry the question.
  func gate(by deadline: BootInstant, drains: Bool) async throws(LinkError) -> PrinterConversation.Gate

  /// Sends the job and calls `firstByte` once the link has taken the first of it; at its `seams` the printer may be asked how
  /// far it has come.
  ///
  /// - Throws: ``LinkError``; the link's count says whether anything of the job may be on paper.
  func send(
    _ bytes: [UInt8], seams: [Int], by deadline: BootInstant, firstByte: @Sendable () -> Void
  ) async throws(LinkError)

  /// Waits for the proof that all is on paper; may be asked again after `.missing`, and a late answer counts.
  ///
  /// - Throws: ``LinkError``: `.lost`, or `.deadline` when what was sent has not even left this host.
  func fence(by deadline: BootInstant) async throws(LinkError) -> PrinterConversation.Fence

  /// Bytes sent to fill up a raster.
  var nulsSent: Int { get async }

  /// Questions whose answers may still come, and would be taken for answers to those of the next conversation.
  var openQuestions: Int { get async }

  /// Whether the next conversation on this link may ask both of the gate's questions in one go.
  var joining: PrinterConversation.Joining { get async }

  /// Bytes of the job that the link has taken.
  var jobBytesAccepted: Int { get async }

  /// What is known of the printer now.
  var status: PrinterStatus { get async }

  /// Stops listening; the link stays open.
  func end() async
}

extension PrinterConversation: ConversationPort {}

extension JobPort {
  /// Makes jobs that do not exist yet; nothing is begun anew and nothing announced.
  public func receive(
    _ jobs: [NewJob], deliveryID: String?, cursor: String?
  ) async throws(JournalError) -> Received {
    try await receive(
      jobs, deliveryID: deliveryID, cursor: cursor, restartsRejected: false, announcing: nil)
  }
}

/// Says payments aloud, beside the print.
public protocol AnnouncerPort: Sendable {
  /// Says the wake's amount or text.
  ///
  /// - Parameters:
  ///   - wake: What was asked for.
  ///   - payment: The key that it is announced by, once; nil where nothing tells one payment from another.
  ///   - knownSince: When the payment was first asked for, by whatever channel; one that is too old is not said.
  ///   - deadline: When the wake's completion is called; one that is over already is expired. An announcement that takes
  ///     longer is not given up for it.
  /// - Returns: How it ended, when it has.
  func announce(
    _ wake: Wake, payment: PaymentKey?, knownSince: BootInstant, by deadline: BootInstant
  ) async -> VoiceEnd
}

/// Begins a conversation on an open link; `past` is what the ones before have left.
public typealias Converse =
  @Sendable (
    _ link: any PrinterLink, _ profile: PrinterProfile, _ clock: any BootTimeClock,
    _ past: PrinterConversation.Past
  ) -> any ConversationPort

/// Everything that the story needs from below.
public struct Ports: Sendable {
  /// The order service.
  public var orders: any OrderPort
  /// The journal.
  public var jobs: any JobPort
  /// Makes orders into bytes.
  public var prepare: Prepare
  /// Begins a conversation on an open link.
  public var converse: Converse
  /// The voice, where there is one.
  public var announcer: (any AnnouncerPort)?
  /// Takes what is worth a line in the log.
  public var note: @Sendable (HandlerEvent) -> Void

  /// Joins the ports.
  public init(
    orders: any OrderPort, jobs: any JobPort, prepare: @escaping Prepare,
    converse: @escaping Converse = {
      PrinterConversation(link: $0, profile: $1, clock: $2, past: $3)
    },
    announcer: (any AnnouncerPort)? = nil, note: @escaping @Sendable (HandlerEvent) -> Void = { _ in }
  ) {
    self.orders = orders
    self.jobs = jobs
    self.prepare = prepare
    self.converse = converse
    self.announcer = announcer
    self.note = note
  }
}
