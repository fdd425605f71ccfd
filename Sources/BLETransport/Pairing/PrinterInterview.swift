public import ESCPOS

/// Asks a printer of which nothing is known who it is and what it answers, without a dot on its paper.
///
/// Each question is asked by itself and given a time; a printer that says nothing ends the interview after a few of
/// them. Questions in turn with the print data come after the real-time ones, the ones that few printers know last, and
/// only to a printer that has told its maker or model. Behind each of those goes `ESC @`, which throws away what a
/// printer without the command has taken for text.
///
/// Source: Epson command reference, "DLE EOT", "GS r", "GS I", "GS ( H", "ESC @".
public struct PrinterInterview {
  /// What the printer has said.
  public struct Answers: Equatable, Sendable {
    /// `GS I 66`.
    public var maker: String?
    /// `GS I 67`.
    public var model: String?
    /// `GS I 65`.
    public var firmware: String?
    /// `GS I 69`: the fonts for more than Latin, such as `CHINA GB18030`.
    public var fonts: String?
    /// Whether it answers `DLE EOT`.
    public var answersRealTime = false
    /// Whether it answers `GS r`; nil when it could not be asked.
    public var answersPaperStatus: Bool?
    /// Whether it answers `GS ( H`; nil when it was not asked.
    public var answersProcessID: Bool?
    /// What it says of its paper, cover and errors.
    public var status = PrinterStatus()

    /// Nothing is known.
    public init() {}

    /// Whether it has said anything.
    public var isMute: Bool {
      !answersRealTime && answersPaperStatus != true && maker == nil && model == nil && firmware == nil
    }

    /// The best proof of a print that it gives; nil when it could not be asked.
    public var fence: PrinterProfile.Fence? {
      if answersProcessID == true { return .processID }
      return answersPaperStatus.map { $0 ? .paperStatus : .none }
    }
  }

  /// How long one answer may take: some connection intervals, and a printer that wakes up.
  static let patience = Duration.milliseconds(1000)
  /// How long it must be quiet before the first question.
  static let quiet = Duration.milliseconds(200)
  static let reset: [UInt8] = [0x1B, 0x40]

  private let link: any PrinterLink
  private let clock: any BootTimeClock
  private var parser = ReplyParser()
  private var board = StatusBoard()
  private var answers = Answers()
  /// Whether the printer has taken anything.
  private var wasTaken = false

  /// Prepares an interview over an open link, which stays the caller's.
  public init(link: any PrinterLink, clock: any BootTimeClock) {
    self.link = link
    self.clock = clock
  }

  /// Asks all questions.
  ///
  /// - Parameter deadline: When it comes, the answers so far are returned; it is 15 s for a printer that answers late, and
  ///   a mute one takes about 4.
  /// - Throws: ``LinkError`` with `.lost` or `.cancelled`, or what a refused write says; `.deadline` when the printer has
  ///   not taken even the first question, which is no answer.
  public mutating func conduct(by deadline: BootInstant) async throws(LinkError) -> Answers {
    guard link.hasBackChannel else {
      // Whether it takes our data at all, or wants to be paired first, shows at a write.
      try await link.send(Self.reset[...], by: deadline)
      return answers
    }
    do throws(LinkError) {
      try await listen(until: min(deadline, clock.now.advanced(by: Self.quiet))) { _ in false }
      try await askRealTime(by: deadline)
      answers.status = board.status
      guard answers.status.obstacle == nil else { return answers }
      try await askInTurn(by: deadline)
    } catch {
      guard error.code == .deadline, wasTaken else { throw error }
    }
    answers.status = board.status
    return answers
  }

  private mutating func askRealTime(by deadline: BootInstant) async throws(LinkError) {
    // The first question may only wake the printer up, so it is asked twice.
    for question in [1, 1, 2, 3, 4] {
      if question == 1, answers.answersRealTime { continue }
      if question > 1, !answers.answersRealTime { return }
      parser.asked(question)
      let answered = try await ask([0x10, 0x04, UInt8(question)], by: deadline) {
        if case .realTime(question, _) = $0 { true } else { false }
      }
      if answered { answers.answersRealTime = true }
      parser.forgetQuestions()
    }
  }

  private mutating func askInTurn(by deadline: BootInstant) async throws(LinkError) {
    answers.answersPaperStatus = try await ask([0x1D, 0x72, 0x01], by: deadline) {
      if case .transmitted = $0 { true } else { false }
    }
    try await link.send(Self.reset[...], by: deadline)
    answers.maker = try await askName(66, by: deadline)
    answers.model = try await askName(67, by: deadline)
    guard answers.maker != nil || answers.model != nil else { return }
    answers.firmware = try await askName(65, by: deadline)
    answers.fonts = try await askName(69, by: deadline)
    let identifier = (0..<4).map { _ in UInt8.random(in: 0x20...0x7E) }
    answers.answersProcessID = try await ask(
      [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + identifier, by: deadline
    ) { $0 == .processID(identifier) }
    try await link.send(Self.reset[...], by: deadline)
  }

  /// `GS I n`; nil when there is no answer, or an empty one.
  private mutating func askName(_ number: UInt8, by deadline: BootInstant) async throws(LinkError) -> String?
  {
    // A mute printer is asked for its maker, and no more.
    if number != 66, answers.isMute { return nil }
    var name: String?
    _ = try await ask([0x1D, 0x49, number], by: deadline) { reply in
      guard case .block(0x5F, let bytes) = reply else { return false }
      name = Self.text(bytes)
      return true
    }
    try await link.send(Self.reset[...], by: deadline)
    return name
  }

  /// Printable ASCII and nothing else, without blanks around it.
  static func text(_ bytes: [UInt8]) -> String? {
    let kept = bytes.prefix(64).filter { (0x20...0x7E).contains($0) }
    let text = String(decoding: kept, as: UTF8.self)
    let words = text.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : words
  }

  private mutating func ask(
    _ bytes: [UInt8], by deadline: BootInstant, for answer: (ReplyParser.Reply) -> Bool
  ) async throws(LinkError) -> Bool {
    try await link.send(bytes[...], by: deadline)
    wasTaken = true
    return try await listen(until: min(deadline, clock.now.advanced(by: Self.patience)), for: answer)
  }

  /// Hears what the printer says until the answer is there or the time is over.
  @discardableResult
  private mutating func listen(
    until limit: BootInstant, for answer: (ReplyParser.Reply) -> Bool
  ) async throws(LinkError) -> Bool {
    while true {
      let bytes: [UInt8]
      do throws(LinkError) {
        bytes = try await link.receive(by: limit)
      } catch {
        guard error.code == .deadline else { throw error }
        return false
      }
      var answered = false
      for reply in parser.read(bytes) {
        board.note(reply)
        if answer(reply) { answered = true }
      }
      if answered { return true }
    }
  }
}
