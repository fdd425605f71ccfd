/// Why the order service did not do what it was asked.
public struct OrderServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure; each asks for another reaction.
  public enum Code: String, Sendable {
    /// The service says that there is no such order.
    case notFound
    /// The service answered, and what it answered cannot be used; asking again is no help.
    case refused
    /// No answer, or one that may be better later (time-out, connection, 5xx, half a body).
    case unavailable
    /// The time given ran out.
    case deadline
    /// The service has no such call.
    case unsupported
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened and what to do, for a person; no order data, no secrets.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
