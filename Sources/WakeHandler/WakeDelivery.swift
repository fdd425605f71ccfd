public import ESCPOS

/// A wake as a channel hands it in.
public struct WakeDelivery: Equatable, Sendable {
  /// The body, JSON.
  public var body: [UInt8]
  /// The channel's id of this delivery (`webhook-id`); the same id again is a replay.
  public var id: String?
  /// The channel's name for logs: `webhook`, `control`.
  public var channel: String
  /// When the channel took it; nil means now. The budget counts from here.
  public var acceptedAt: BootInstant?
  /// The largest body in bytes: ``Wake/Limits/pushBytes`` for a push, ``Wake/Limits/anyBytes`` otherwise.
  public var maximumBytes: Int

  /// Creates a delivery.
  public init(
    body: [UInt8], id: String? = nil, channel: String, acceptedAt: BootInstant? = nil,
    maximumBytes: Int = Wake.Limits.anyBytes
  ) {
    self.body = body
    self.id = id
    self.channel = channel
    self.acceptedAt = acceptedAt
    self.maximumBytes = maximumBytes
  }
}

/// What the channel may tell its sender.
public enum Acceptance: Sendable {
  /// The wake is durable, or needs nothing durable; it may be acknowledged, and its completion follows.
  case accepted(Completion)
  /// It was not taken and must not be acknowledged.
  case refused(Refusal)
}

/// Why a wake was not taken; nothing of it has been kept.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of refusal.
  public enum Code: String, Sendable {
    /// The body is not a wake; sending it again is no help.
    case badWake
    /// The journal cannot keep it; to be sent again.
    case storage
    /// The daemon is stopping; to be sent again.
    case stopping
    /// What is asked for is not there: no such job, order or printer.
    case notFound
    /// The job is not in a state that allows it.
    case conflict
  }

  /// What kind of refusal it is.
  public var code: Code
  /// What is wrong and what to do, for a person; no order data.
  public var message: String

  /// Creates a refusal.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
