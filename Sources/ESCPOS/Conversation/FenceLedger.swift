/// Which questions in turn with the print data were asked, and which are answered.
///
/// `GS ( H` echoes an identifier, so only the answer to the very question counts. An answer to `GS r` looks like any
/// other, and a question may have been swallowed by a half-received raster or may be answered late. So each new
/// question is asked once more than there are open ones, and counts as answered by the last of as many answers: at
/// least that one must be its own.
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

  private static let transmitPaperStatus: [UInt8] = [0x1D, 0x72, 0x01]
  private var identifiers: Set<[UInt8]> = []
  private var transmissionsAsked = 0
  private var transmissions = 0
  /// Whether a question was asked more than once, or one is open: answers may come that nobody waits for.
  private(set) var leavesAnswers = false

  /// A new question in the way of the profile, or nil where it has none.
  mutating func question(_ fence: PrinterProfile.Fence) -> Question? {
    switch fence {
    case .processID:
      let identifier = (0..<4).map { _ in UInt8.random(in: 0x20...0x7E) }
      return Question(
        command: [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + identifier, answer: .identifier(identifier))
    case .paperStatus:
      let times = transmissionsAsked - transmissions + 1
      transmissionsAsked += times
      if times > 1 { leavesAnswers = true }
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

  /// Whether a reply belongs to anything; an answer to `GS r` that nobody asked for is noise.
  func expects(_ reply: ReplyParser.Reply) -> Bool {
    if case .transmitted = reply { return transmissions < transmissionsAsked }
    return true
  }

  /// Notes a reply.
  mutating func note(_ reply: ReplyParser.Reply) {
    switch reply {
    case .processID(let identifier): identifiers.insert(identifier)
    case .transmitted: transmissions += 1
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
