/// Which questions in turn with the print data were asked, and which are answered.
///
/// `GS ( H` echoes an identifier, so only the answer to the very question counts. An answer to `GS r` looks like any
/// other, and a question may have been swallowed by a half-received raster or may be answered late. So each new
/// question is asked once more than there are open ones, and counts as answered by the last of as many answers: at
/// least that one must be its own. Questions of earlier conversations with the printer are open too.
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
    switch fence {
    case .processID:
      let identifier = (0..<4).map { _ in UInt8.random(in: 0x20...0x7E) }
      asked.insert(identifier)
      return Question(
        command: [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + identifier, answer: .identifier(identifier))
    case .paperStatus:
      let times = open + 1
      transmissionsAsked += times
      if times > 1 { wasRepeated = true }
      return Question(
        command: (0..<times).flatMap { _ in Self.transmitPaperStatus },
        answer: .transmission(transmissions + times))
    case .none:
      return nil
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

  /// Whether the printer has got to the question.
  func isAnswered(_ question: Question) -> Bool {
    switch question.answer {
    case .identifier(let identifier): identifiers.contains(identifier)
    case .transmission(let number): transmissions >= number
    }
  }
}
