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
  /// - Throws: ``DocumentFault`` for an amount that is none.
  func announcement(receivedAt: BootInstant) throws(DocumentFault) -> Announcement {
    func money(_ text: String?, _ path: String) throws(DocumentFault) -> Money? {
      guard let text else { return nil }
      guard let amount = Money(text) else {
        throw DocumentFault(path: path, message: "expected a decimal string such as \"12.50\"")
      }
      return amount
    }
    guard amount != nil || text != nil else { throw DocumentFault(path: "amount", message: "is missing") }
    return Announcement(
      id: "command-\(UInt64.random(in: 0 ... .max))", payType: payType, amount: try money(amount, "amount"),
      orderAmount: try money(orderAmount, "order_amount"), currency: currency, text: text,
      receivedAt: receivedAt,
      isRefund: refund ?? false)
  }
}

/// How an announcement ended.
struct VoiceEndMessage: Codable, Sendable {
  /// `played`, `muted`, `expired`, `no-device`, `failed`, `silent`.
  var end: String
  var reason: String?

  init(_ end: VoiceEnd) {
    self.end = end.word
    reason = end.reason
  }
}
