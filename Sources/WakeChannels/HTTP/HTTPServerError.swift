/// Why a server could not be started; nothing listens then.
public struct HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable {
    /// The address is not one that can be listened on.
    case address
    /// Somebody listens there already.
    case inUse
    /// The system said no.
    case system
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened and what to do, for a person.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
