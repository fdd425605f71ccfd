import Announcer
import Curl
import ESCPOS
import PrintJobs
import Sound
import SpokenAmounts

/// `printd announce`
struct AnnounceCommand: Command {
  static let name = "announce"
  static let summary = "says an amount aloud"
  static let help = """
    usage: printd announce AMOUNT [--pay TYPE] [--order AMOUNT] [--refund] [--words] [-o FILE.wav]
                           [--language L] [--currency C] [--config FILE]
           printd announce --text TEXT

    Says what a payment of AMOUNT would say. With a running daemon it is said in its turn; without one, and with -o,
    --language or --currency, by the command itself.

      --pay TYPE      how it was paid: wx, zfb, vipcard, card, cash, or what wakes write (1 to 5)
      --order AMOUNT  also what the order came to
      --refund        the amount went back, as a negative one did (-- -12.50)
      --words         prints the words instead of saying them
      -o FILE.wav     writes the sound instead of playing it
      --language L    zh, yue, en, de, fr, es, ja (default: of the configuration)
      --currency C    CNY, EUR, USD, GBP, JPY, HKD, CHF (default: of the configuration)

    An amount that is too large or too fine to be said is left out of the phrase; zero is not said at all.

    exit codes: 0 said · 64 no amount · 65 not an amount, or zero · 69 no speaker, or it failed · 75 muted or too late

    Examples:
      printd announce 12.50 --pay wx --language zh --words
      printd announce 1234.05 -o amount.wav
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let language = try arguments.option("--language")
    let currency = try arguments.option("--currency")
    let file = try arguments.option("-o", "--output")
    let onlyWords = arguments.flag("--words")
    var message = AnnouncementMessage()
    message.payType = try arguments.option("--pay")
    message.orderAmount = try arguments.option("--order")
    message.text = try arguments.option("--text")
    // Where nobody says so, the sign does.
    message.refund = arguments.flag("--refund") ? true : nil
    message.amount = arguments.position()
    try arguments.finish()
    guard message.amount != nil || message.text != nil else {
      throw Failure(.usage, "AMOUNT is missing", remedy: "printd help announce")
    }
    let announcement: Announcement
    do throws(DocumentFault) {
      announcement = try message.announcement(receivedAt: BootClock().now)
    } catch {
      throw Failure(.badInput, "\(error)", remedy: "printd announce 12.50")
    }
    let plan = try VoicePlan(options, language: language, currency: currency)
    if onlyWords { return try printWords(announcement, plan.phrasebook) }
    if file == nil, language == nil, currency == nil, options.hasConfiguration {
      let client = try options.client()
      if await client.isRunning() {
        return show(
          try await client.read(
            VoiceEndMessage.self, .post, "/v1/announcements", body: try JSON.bytes(message)))
      }
    }
    return try await VoiceTrial(plan: plan, file: file).run(announcement)
  }

  private static func printWords(_ announcement: Announcement, _ book: Phrasebook) throws(Failure) -> ExitCode
  {
    switch book.saying(for: announcement) {
    case .phrase(let words): Console.print(words.text)
    case .text(let text): Console.print(text.printable)
    case .fixed(let words, let reason):
      Console.print(words.text)
      Console.error("the amount is left out: \(reason)")
    case .nothing(let reason):
      throw Failure(.badInput, reason ?? "there is nothing to say")
    }
    return .success
  }

  /// Says how an announcement ended.
  static func show(_ message: VoiceEndMessage) -> ExitCode {
    let isGood = message.end == "played"
    Console.print(
      isGood ? message.end : message.reason.map { "\(message.end): \($0.printable)" } ?? message.end)
    if isGood, let reason = message.reason { Console.error("warning: \(reason.printable)") }
    if let remedy = message.remedy { Console.error("  try: \(remedy)") }
    switch message.end {
    case "played", "silent": return .success
    case "muted", "expired": return .temporary
    default: return .unavailable
    }
  }
}
