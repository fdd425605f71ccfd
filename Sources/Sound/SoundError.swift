/// Sound that could not be read, made or played.
public struct SoundError: Error, Equatable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Code: Sendable, Equatable {
    /// The file cannot be opened, read or written.
    case file
    /// The file's content is no sound that is taken.
    case content
    /// A value is outside its range.
    case invalid
    /// There is no sound server, or nothing that could sound.
    case unavailable
    /// The server or the speaker went away in the middle.
    case lost
    /// The time given was over.
    case deadline
    /// The server refused, or the system lacked something.
    case failed
  }

  /// What kind of fault it is.
  public let code: Code
  /// What happened, where, and what helps.
  public let message: String

  /// Creates the error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
