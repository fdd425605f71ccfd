/// What the journal did with a delivery.
public struct Received: Equatable, Sendable {
  /// A job asked for.
  public struct Entry: Equatable, Sendable {
    /// The job as it stands.
    public var job: Job
    /// Whether this call made it, or let it begin anew.
    public var isNew: Bool

    /// Creates an entry.
    public init(job: Job, isNew: Bool) {
      self.job = job
      self.isNew = isNew
    }
  }

  /// The jobs in the order asked.
  public var entries: [Entry]
  /// Whether the delivery was known, so that nothing was made.
  public var replayed: Bool
  /// The key to announce the payment by: it was asked for and has not been before, or not so that
  /// it could be heard (``VoiceEnd/mayBeAskedForAgain``). Else nil.
  public var announces: PaymentKey?
  /// When ``announces`` was asked for the first time, seconds since 1970, where this is not the first time.
  public var firstAskedAt: Double?

  /// Creates an answer.
  public init(
    entries: [Entry], replayed: Bool = false, announces: PaymentKey? = nil, firstAskedAt: Double? = nil
  ) {
    self.firstAskedAt = firstAskedAt
    self.entries = entries
    self.replayed = replayed
    self.announces = announces
  }
}

/// Why the journal did not do what it was asked; nothing of the call has happened.
public struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable {
    /// The disk is full, read-only or broken: no wake may be accepted.
    case storage
    /// The job is not in the state that the call needs.
    case conflict
    /// There is no such job.
    case notFound
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened and what to do, for a person; no order data.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
