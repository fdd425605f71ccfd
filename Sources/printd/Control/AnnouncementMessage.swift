import Announcer
import ESCPOS
import PrintJobs

/// An announcement that a command asks for.
struct AnnouncementMessage: Codable, Sendable {
  /// A plain decimal; needed, unless there is a text.
  var amount: String?
  /// How it was paid.
  var payType: String?
  /// What the order came to.
  var orderAmount: String?
  /// ISO 4217; the shop's own when left out.
  var currency: String?
  /// Whether it went back.
  var refund: Bool?
  /// Ready text.
  var text: String?

  enum CodingKeys: String, CodingKey {
    case amount
    case payType = "pay_type"
    case orderAmount = "order_amount"
    case currency, refund, text
  }

  /// The announcement; each is a new one.
  ///
  /// - Throws: ``DocumentFault`` for an amount that is none, or zero: nothing was received, so that nothing may say so.
  func announcement(receivedAt: BootInstant) throws(DocumentFault) -> Announcement {
    func money(_ text: String?, _ path: String) throws(DocumentFault) -> Money? {
      guard let text else { return nil }
      guard let amount = Money(text) else {
        throw DocumentFault(path: path, message: "expected a decimal string such as \"12.50\"")
      }
      return amount
    }
    guard amount != nil || text != nil else { throw DocumentFault(path: "amount", message: "is missing") }
    let received = try money(amount, "amount")
    if received?.minorUnits == 0 {
      throw DocumentFault(
        path: "amount", message: "is zero: nothing was received, so that nothing is said")
    }
    return Announcement(
      id: "command-\(UInt64.random(in: 0 ... .max))", payType: payType, amount: received,
      orderAmount: try money(orderAmount, "order_amount"), currency: currency, text: text,
      receivedAt: receivedAt,
      isRefund: refund ?? ((received?.minorUnits ?? 0) < 0))
  }
}

/// How an announcement ended.
struct VoiceEndMessage: Codable, Sendable {
  /// `played`, `muted`, `expired`, `no-device`, `failed`, `silent`.
  var end: String
  var reason: String?

  /// What a record says of it.
  init(_ record: AnnouncementRecord) {
    end = record.end.word
    let reasons = [record.end.reason].compactMap(\.self) + record.remarks
    var seen: Set<String> = []
    let told = reasons.filter { seen.insert($0).inserted }
    reason = told.isEmpty ? nil : told.joined(separator: "; ")
  }

  /// What to do about it; nil where nothing is to be done.
  var remedy: String? {
    switch end {
    case "no-device":
      "connect a speaker, or name one (voice.output, voice.device); printd doctor says what is there"
    case "muted": "unmute the speaker, or set voice.mute to \"override\""
    case "expired": "say it again; the log of printd says what took so long"
    case "failed": "printd doctor; what the sound server says is in its own log"
    default: nil
    }
  }
}
