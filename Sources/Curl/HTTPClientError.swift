/// Why there is no answer to a request.
public struct HTTPClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable {
    /// The request cannot be sent as it is; nothing was sent.
    case invalidRequest
    /// The deadline passed; the request may have arrived.
    case deadline
    /// The task was cancelled; the request may have arrived.
    case cancelled
    /// The host was not found or does not take connections; nothing was sent.
    case unreachable
    /// The server's certificate is not trusted, or TLS failed; nothing was sent.
    case tls
    /// The connection broke before the answer was whole; the request may have arrived.
    case interrupted
    /// The answer is longer than allowed; the request arrived.
    case tooLarge
    /// The answer points elsewhere, and it is not followed there; the request arrived.
    case redirect
    /// What came is not HTTP, or the system failed.
    case failed
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened and what to do, for a person; the server by scheme, host and port alone, no path, header or body.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
