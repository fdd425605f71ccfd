/// What is known of a payment's announcement.
public enum Voice: Equatable, Sendable {
  /// It has begun, or waits for its turn.
  case pending
  /// It has ended.
  case ended(VoiceEnd)

  /// The word in reports, logs and the journal.
  public var word: String {
    switch self {
    case .pending: "pending"
    case .ended(let end): end.word
    }
  }

  /// Why, where there is a why.
  public var reason: String? {
    switch self {
    case .pending: nil
    case .ended(let end): end.reason
    }
  }
}

extension VoiceEnd {
  /// The end with this ``word``, or nil when it is none; `reason` is kept where there is a place for it.
  public init?(word: String, reason: String?) {
    switch word {
    case VoiceEnd.played.word: self = .played
    case VoiceEnd.muted.word: self = .muted
    case VoiceEnd.expired.word: self = .expired
    case VoiceEnd.noDevice.word: self = .noDevice
    case VoiceEnd.failed("").word: self = .failed(reason ?? "")
    case VoiceEnd.silent.word: self = .silent
    default: return nil
    }
  }
}

extension Voice: Codable {
  enum CodingKeys: String, CodingKey { case end, reason }

  /// Reads `{"end": "failed", "reason": "…"}`.
  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: CodingKeys.self)
    let word = try keys.decode(String.self, forKey: .end)
    if word == Voice.pending.word {
      self = .pending
    } else if let end = VoiceEnd(word: word, reason: try keys.decodeIfPresent(String.self, forKey: .reason)) {
      self = .ended(end)
    } else {
      throw DecodingError.dataCorruptedError(
        forKey: .end, in: keys,
        debugDescription: "must be one of pending, played, muted, expired, no-device, failed, silent")
    }
  }

  /// Writes the word, and the reason where there is one.
  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(word, forKey: .end)
    try keys.encodeIfPresent(reason, forKey: .reason)
  }
}

/// What makes two announcements one: the order that was paid, what went back of it, or, where a wake names no order, its
/// delivery.
public struct PaymentKey: Hashable, Sendable {
  /// The key as the journal holds it: `order:20261130-000187`.
  public let text: String

  /// The payment of an order.
  public init(orderID: String) { text = "order:" + orderID }

  /// What went back of an order: `refund:20261130-000187:50000`, the amount without its sign in ten-thousandths, however
  /// it was written. Two refunds of one order are two announcements if their amounts are not the same.
  public init(refundOf orderID: String, amount: Money?) {
    var units = ""
    if let amount {
      let missing = max(0, 4 - max(0, amount.decimals))
      let value = (0..<missing).reduce(amount.minorUnits.magnitude) { value, _ in value &* 10 }
      units = String(value)
    }
    text = "refund:\(orderID):\(units)"
  }

  /// A payment that is known by its delivery alone.
  public init(deliveryID: String) { text = "delivery:" + deliveryID }
}
