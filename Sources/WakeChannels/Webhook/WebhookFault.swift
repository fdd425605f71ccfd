/// Why a delivery is not believed. Says what to mend, and nothing of the right signature.
public enum WebhookFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// A header is not there, or is there more than once.
  case header(name: String, count: Int)
  /// `webhook-id` is not 1 through 256 printable ASCII characters without a full stop.
  case malformedID
  /// `webhook-timestamp` is not whole seconds since 1970.
  case malformedTimestamp
  /// `webhook-signature` has no `v1,` signature, or more than is sensible.
  case malformedSignature
  /// No signature fits any key.
  case badSignature
  /// Signed this many seconds ago (ahead of us, when negative), which is beyond the tolerance.
  case stale(seconds: Int64)
  /// The box does not know what time it is.
  case clockNotSet

  /// The HTTP status: 503 where the sender is to try again later, else 401.
  public var status: Int { self == .clockNotSet ? 503 : 401 }

  /// What is wrong.
  public var description: String {
    switch self {
    case .header(let name, 0): "the header \(name) is missing"
    case .header(let name, let count): "the header \(name) came \(count) times"
    case .malformedID: "webhook-id is not 1 to 256 printable ASCII characters without a full stop"
    case .malformedTimestamp: "webhook-timestamp is not whole seconds since 1970"
    case .malformedSignature: "webhook-signature is not a list of v1,<base64>"
    case .badSignature: "no signature fits"
    case .stale(let seconds) where seconds < 0: "signed \(seconds.magnitude) s in the future"
    case .stale(let seconds): "signed \(seconds) s ago"
    case .clockNotSet: "the clock of this box is not set yet"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .header, .malformedID, .malformedTimestamp, .malformedSignature:
      "sign by Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature, each once"
    case .badSignature:
      "check that both sides have the same secret, and that the body is signed byte for byte as it is sent"
    case .stale:
      "sign when sending, not when queueing, and check both clocks; \(WebhookSignature.tolerance) s are allowed"
    case .clockNotSet: "send it again in a minute; the box waits for network time"
    }
  }
}
