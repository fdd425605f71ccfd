/// Which questions in turn with the print data were asked, and which are answered.
///
/// `GS ( H` echoes an identifier, so only the answer to the very question counts. An answer to `GS r` looks like any
/// other, and a question may have been swallowed by a half-received raster or may be answered late. So each new
/// question is asked once more than there are open ones, and counts as answered by the last of as many answers: at
/// least that one must be its own. Questions of earlier conversations with the printer are open too.
///
/// Answers come in the order of the questions, so that the last of n answers stands for the nth question or a later one; but
/// not if one of them is nobody's: the printer may say one thing twice. A job with questions in its middle gives such an
/// answer the chance to be taken for the next one's. So there every question is asked ``slack`` times more and must have as
/// many answers more, and once an answer has come that no question can have, nothing more is concluded in mid-job.
struct FenceLedger: Sendable {
  /// A question that the printer answers when it gets there.
  struct Question: Equatable, Sendable {
    /// The command, or several.
    let command: [UInt8]
    fileprivate let answer: Answer
  }

  fileprivate enum Answer: Equatable, Sendable {
    case identifier([UInt8])
    case transmission(Int)
  }

  /// More open questions than these are not carried from one conversation to the next: the printer that has not
  /// answered so many was switched off meanwhile.
  static let mostCarried = 64

  private static let transmitPaperStatus: [UInt8] = [0x1D, 0x72, 0x01]
  private var asked: Set<[UInt8]> = []
  private var identifiers: Set<[UInt8]> = []
  private var transmissionsAsked: Int
  private var transmissions = 0
  private var wasRepeated = false
  /// Questions answered in turn.
  private(set) var answers = 0
  /// Answers to `GS r` that came while no question was open.
  private var strays = 0
  /// Questions that were open before the first in mid-job, and may never be answered; nil before it.
  private var stale: Int?

  /// How many answers that are nobody's may have been counted without harm, in a conversation with questions in mid-job.
  private static let slack = 1
  /// More open questions, or more answers of nobody's, and nothing is asked in mid-job.
  private static let mostStale = 3

  /// Creates a ledger; `open` questions (`GS r`) of earlier conversations may still be answered.
  init(open: Int = 0) {
    transmissionsAsked = min(max(0, open), Self.mostCarried)
  }

  /// Questions (`GS r`) whose answers may still come and would look like any other.
  var open: Int { transmissionsAsked - transmissions }

  /// Whether answers may come that nobody waits for: a question was asked more than once, or one is open.
  var leavesAnswers: Bool { wasRepeated || open > 0 }

  /// A new question in the way of the profile, or nil where it has none.
  mutating func question(_ fence: PrinterProfile.Fence) -> Question? {
    // In mid-job an answer too many costs speed at most, here it would be a print that is claimed and is not.
    let slack = stale == nil && strays == 0 ? 0 : Self.mostStale + min(strays, Self.mostStale)
    return question(fence, unanswered: open, slack: slack)
  }

  /// A new question in the middle of a job, or nil where its answer would show nothing.
  ///
  /// The questions before it that are on their way are not made up for, since each is expected to be answered; one that is
  /// not makes the proofs come later, never sooner.
  mutating func midJobQuestion(_ fence: PrinterProfile.Fence) -> Question? {
    guard showsInMidJob(fence) else { return nil }
    let stale = stale ?? open
    guard fence != .paperStatus || stale <= Self.mostStale else { return nil }
    self.stale = stale
    return question(fence, unanswered: stale, slack: Self.slack)
  }

  /// Whether answers in mid-job show anything: none has come that no question can have, or each names its question.
  func showsInMidJob(_ fence: PrinterProfile.Fence) -> Bool { fence == .processID || strays == 0 }

  private mutating func question(
    _ fence: PrinterProfile.Fence, unanswered: Int, slack: Int
  ) -> Question? {
    switch fence {
    case .processID:
      var identifier: [UInt8]
      repeat {
        identifier = Self.identifier()
      } while asked.contains(identifier)
      asked.insert(identifier)
      return Question(
        command: [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + identifier, answer: .identifier(identifier))
    case .paperStatus:
      let answer = transmissionsAsked + 1 + slack
      let times = unanswered + 1 + slack
      transmissionsAsked += times
      if unanswered > 0 { wasRepeated = true }
      return Question(
        command: (0..<times).flatMap { _ in Self.transmitPaperStatus }, answer: .transmission(answer))
    case .none:
      return nil
    }
  }

  /// Four printable characters, of one draw.
  private static func identifier() -> [UInt8] {
    var number = UInt32.random(in: 0..<95 * 95 * 95 * 95)
    return (0..<4).map { _ in
      defer { number /= 95 }
      return 0x20 + UInt8(number % 95)
    }
  }

  /// A command whose answer shows no more than that the printer takes commands again.
  mutating func probe(_ fence: PrinterProfile.Fence) -> [UInt8] {
    guard fence == .paperStatus else { return question(fence)?.command ?? [] }
    transmissionsAsked += 1
    return Self.transmitPaperStatus
  }

  /// Whether a reply belongs to anything; an answer in turn that nobody asked for is noise.
  func expects(_ reply: ReplyParser.Reply) -> Bool {
    switch reply {
    case .transmitted: open > 0
    case .processID(let identifier): asked.contains(identifier)
    case .realTime, .automatic, .buffersCleared, .block, .xon, .xoff: true
    }
  }

  /// Notes a reply that is not expected.
  mutating func noteStray(_ reply: ReplyParser.Reply) {
    if case .transmitted = reply { strays += 1 }
  }

  /// Notes a reply.
  mutating func note(_ reply: ReplyParser.Reply) {
    switch reply {
    case .processID(let identifier):
      identifiers.insert(identifier)
      answers += 1
    case .transmitted:
      transmissions += 1
      answers += 1
    case .realTime, .automatic, .buffersCleared, .block, .xon, .xoff: break
    }
  }

  /// No question will be answered any more: the printer has got behind all of them, and was quiet since.
  mutating func settle() {
    transmissionsAsked = transmissions
    wasRepeated = false
  }

  /// Whether the printer has got to the question.
  func isAnswered(_ question: Question) -> Bool {
    switch question.answer {
    case .identifier(let identifier): identifiers.contains(identifier)
    case .transmission(let number): transmissions >= number
    }
  }
}
