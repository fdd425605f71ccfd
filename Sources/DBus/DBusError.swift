/// Why a call, a subscription or a connection failed.
public struct DBusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The other side answered with an error of this name: `org.bluez.Error.InProgress`.
    case remote(String)
    /// The answer is not of the shape that its interface promises.
    case malformed
    /// The bus or the connection to it has gone; whether a call was carried out is not known.
    case disconnected
    /// No answer in time; the call may still be carried out.
    case deadline
    /// The task was cancelled; the call may still be carried out.
    case cancelled
    /// What was to be sent cannot be: a name, a path, a signature or a value that D-Bus does not allow. Nothing was sent.
    case invalid
    /// The bus cannot be reached, a name is taken, or this process has no descriptor or thread left. Nothing was sent.
    case unavailable
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, in words; for a remote error the other side's own, which may be empty.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The other side's name for its error, or nil when this side failed.
  public var name: String? {
    if case .remote(let name) = code { name } else { nil }
  }

  /// The name, if there is one, and the message.
  public var description: String {
    guard let name else { return message }
    return message.isEmpty ? name : "\(name): \(message)"
  }
}

extension DBusError {
  /// The names that the specification and the reference implementation give to errors of the bus.
  public enum Name {
    private static let prefix = "org.freedesktop.DBus.Error."
    /// Anything that has no name of its own.
    public static let failed = prefix + "Failed"
    /// The object has no such method.
    public static let unknownMethod = prefix + "UnknownMethod"
    /// The object has no such interface.
    public static let unknownInterface = prefix + "UnknownInterface"
    /// There is no object at this path.
    public static let unknownObject = prefix + "UnknownObject"
    /// The interface has no such property.
    public static let unknownProperty = prefix + "UnknownProperty"
    /// The arguments have the wrong types.
    public static let invalidArguments = prefix + "InvalidArgs"
    /// The caller may not do this.
    public static let accessDenied = prefix + "AccessDenied"
    /// Too many of something.
    public static let limitsExceeded = prefix + "LimitsExceeded"
    /// The callee went away, or did not answer.
    public static let noReply = prefix + "NoReply"
    /// Nobody owns the name that was asked for.
    public static let nameHasNoOwner = prefix + "NameHasNoOwner"
    /// Nobody owns the name that was called, and nobody could be started.
    public static let serviceUnknown = prefix + "ServiceUnknown"
  }

  static func remote(_ name: String, _ message: String) -> DBusError { DBusError(.remote(name), message) }
  static func invalid(_ message: String) -> DBusError { DBusError(.invalid, message) }
  static let disconnected = DBusError(.disconnected, "the connection to the message bus is closed")
}
