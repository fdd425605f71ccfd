/// One job's talk with a printer: the question whether it can print, the job, the proof that it did.
///
/// The order of calls is ``gate(by:)``, ``send(_:by:firstByte:)``, ``fence(by:)``, ``end()``. A task inside reads the
/// back channel from the first call to ``end()``, so that what the printer says by itself in mid-job (paper end) is
/// heard. The link stays the caller's, to be closed by the caller.
public actor PrinterConversation {
  /// What the printer answered at the gate.
  public enum Gate: Equatable, Sendable {
    /// It can print.
    case ready(PrinterStatus)
    /// It cannot, and ``PrinterStatus/obstacle`` says why.
    case notReady(PrinterStatus)
    /// Nothing known stands against printing, but it has not got to the question in turn: it prints what it had
    /// before, or waits for the rest of a raster. Asked again, the gate goes on where it was.
    case busy(PrinterStatus)
    /// It did not answer though its profile says that it does: off, busy with half a raster, or another model.
    case silent
    /// Its profile or the link has no back channel: nothing can be known.
    case unasked
  }

  /// What is known after the job was sent.
  public enum Fence: Equatable, Sendable {
    /// The printer says that everything before is on paper.
    case proven
    /// The printer has not said so; the status is what is known of it by then.
    case missing(PrinterStatus)
    /// There is no back channel: the link's barrier and the drain time have passed.
    case unconfirmed
  }

  /// Whether a printer answers both of the gate's questions when they are asked in one go.
  public enum Joining: Equatable, Sendable {
    /// It is not known, and no time to try: it has not answered them one after the other on this link, or could not print.
    case unknown
    /// It has answered them one after the other on this link, and printed: the next gate may ask both in one go.
    case promising
    /// It has not answered the second of them when they came in one go, but by itself.
    case failing
  }

  /// What earlier conversations with the printer have left.
  public struct Past: Equatable, Sendable {
    /// What ``PrinterConversation/openQuestions`` said at the end of the last one.
    public var openQuestions: Int
    /// Whether a job was proven on this very link: then the printer holds nothing of anybody's.
    public var isProven: Bool
    /// What ``PrinterConversation/joining`` said at the end of the last one.
    public var joining: Joining

    /// Creates a past; without arguments nothing is known of the printer.
    public init(openQuestions: Int = 0, isProven: Bool = false, joining: Joining = .unknown) {
      self.openQuestions = openQuestions
      self.isProven = isProven
      self.joining = joining
    }
  }

  let link: any PrinterLink
  let profile: PrinterProfile
  let clock: any BootTimeClock
  var parser = ReplyParser()
  var board = StatusBoard()
  var ledger: FenceLedger
  /// Replies of all kinds so far.
  var replies = 0
  var isPaused = false
  var job: (start: BootInstant, bytes: Int)?
  var missedPolls = 0
  /// Whether real-time questions were given up: their answers may still come.
  var gaveUpQuestions = false
  /// Whether the link is as good after this conversation as before: the next one may begin on it.
  var leavesLink = false
  var fenceQuestion: FenceLedger.Question?
  /// Whether the job was proven.
  var isProven = false
  /// The link's count of bytes before the fence's question.
  var fencePosition = 0
  /// Questions in the job that are not answered, in order, and the link's count of bytes before each.
  var midJobQuestions: [(question: FenceLedger.Question, position: Int)] = []
  /// What the link has not taken in time and must have before anything else: the rest of a question.
  var owed: [UInt8] = []
  /// Whether a job was proven on this link before.
  let isWarm: Bool
  /// Until when the gate's question in turn may go unanswered for what the printer may still hold.
  var gatePatience: BootInstant?
  /// When the printer got to the gate's question, on a link that nothing was proven on.
  var gatePassedAt: BootInstant?
  /// When the last answer in turn came that no question was open for.
  var strayedAt: BootInstant?
  /// Whether the printer has answered at all, or need not be asked.
  var isAlive = false
  /// Whether the printer has answered all of its real-time questions in one go, and was not asked any of them twice.
  var answersAtOnce = false
  /// How long the printer's answers to all of them took: the way there and back.
  var answerTime: Duration?
  /// Whether the next gate on this link may ask both of its questions in one go.
  public internal(set) var joining: Joining
  /// NUL bytes sent to fill up a raster that may have been left half.
  public internal(set) var nulsSent = 0
  private(set) var loss: LinkError?
  private var reader: Task<Void, Never>?
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextWaiter = 0
  private var hasEnded = false

  /// Creates a conversation over an open link; nothing is sent yet.
  public init(
    link: any PrinterLink, profile: PrinterProfile, clock: any BootTimeClock, past: Past = Past()
  ) {
    self.link = link
    self.profile = profile
    self.clock = clock
    isWarm = past.isProven
    joining = past.joining
    ledger = FenceLedger(open: past.openQuestions)
  }

  deinit {
    reader?.cancel()
  }

  /// What is known of the printer now: the answers so far, and what it told by itself.
  public var status: PrinterStatus { board.status }

  /// Bytes of the job that the link has taken; the gate's questions do not count.
  public var jobBytesAccepted: Int { job?.bytes ?? 0 }

  /// Questions whose answers may still come, over this link or the next, and would be taken for answers to later ones.
  public var openQuestions: Int { ledger.open }

  /// Bytes from the printer that were no reply to anything; many of them mean another model or a bad line.
  public var strayBytes: Int { parser.strayBytes }

  /// Stops reading the back channel. A call that is waiting ends with `.cancelled`; a second call does nothing.
  ///
  /// Where answers may still come that nobody waits for any more, they are waited out first: the next conversation on this
  /// link would take them for answers to its own questions, and a print for proven that has not begun. Behind a proven job
  /// that settles all questions, those too whose answers a lost link has taken with it.
  public func end() async {
    if leavesLink, !hasEnded, ledger.leavesAnswers || gaveUpQuestions || !parser.questions.isEmpty {
      leavesLink = false
      let latest = clock.now.advanced(by: Self.replyTime)
      let isQuiet = (try? await settle(by: latest)) != nil && clock.now < latest
      if isQuiet, isProven { ledger.settle() }
    }
    hasEnded = true
    reader?.cancel()
    await reader?.value
    reader = nil
    wakeAll()
  }

  /// Whether the printer can be asked anything at all.
  var canAnswer: Bool {
    link.hasBackChannel && (profile.status.dleEOT || profile.fence != .none)
  }

  func startReading() {
    guard reader == nil, !hasEnded, link.hasBackChannel else { return }
    reader = Task { [link, weak self] in
      while true {
        do throws(LinkError) {
          let bytes = try await link.receive(by: BootInstant(nanoseconds: .max))
          guard let self else { return }
          await self.hear(bytes)
        } catch {
          if error.code == .deadline { continue }
          await self?.stopHearing(error)
          return
        }
      }
    }
  }

  func hear(_ bytes: [UInt8]) {
    for reply in parser.read(bytes) {
      guard ledger.expects(reply) else {
        ledger.noteStray(reply)
        if case .transmitted = reply { strayedAt = clock.now }
        continue
      }
      replies += 1
      board.note(reply)
      ledger.note(reply)
      if reply == .xoff { isPaused = true }
      if reply == .xon { isPaused = false }
    }
    tellProofs()
    wakeAll()
  }

  private func stopHearing(_ error: LinkError) {
    if error.code != .cancelled { loss = error }
    wakeAll()
  }

  private func wakeAll() {
    let all = waiters.values
    waiters.removeAll()
    for waiter in all { waiter.resume() }
  }

  private func wake(_ id: Int) {
    waiters.removeValue(forKey: id)?.resume()
  }

  /// Waits until `condition` holds.
  ///
  /// - Returns: Whether it does; false when `deadline` came first.
  /// - Throws: ``LinkError``: `.lost` when the link went first, `.cancelled`.
  func wait(until deadline: BootInstant, for condition: () -> Bool) async throws(LinkError) -> Bool {
    while !condition() {
      if let loss { throw loss }
      if hasEnded || Task.isCancelled {
        throw LinkError(.cancelled, "the conversation with the printer was called off")
      }
      guard clock.now < deadline else { return false }
      await news(by: deadline)
    }
    return true
  }

  /// Suspends until the printer has said something, the link is gone, the task is cancelled or `deadline` is there.
  private func news(by deadline: BootInstant) async {
    let id = nextWaiter
    nextWaiter += 1
    let timer = Task { [clock, weak self] in
      try? await clock.sleep(until: deadline, tolerance: nil)
      await self?.wake(id)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[id] = $0 }
    } onCancel: {
      Task { await self.wake(id) }
    }
    timer.cancel()
  }
}
