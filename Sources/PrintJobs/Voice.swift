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
