/// Something worth a line in the log; no order data beyond the order's id.
public struct HandlerEvent: Equatable, Sendable {
  /// How much it matters, in the journal's priorities.
  public enum Level: Int, Sendable {
    /// Something is broken and a person should look.
    case error = 3
    /// Something did not go as wished and is tried again.
    case warning = 4
    /// The course of things.
    case notice = 5
  }

  /// How much it matters.
  public var level: Level
  /// What happened.
  public var message: String
  /// The job's number, when it is about one.
  public var job: Int64?
  /// The order's id, when it is about one.
  public var order: String?
  /// The printer's name, when it is about one.
  public var printer: String?

  /// Creates an event.
  public init(
    _ level: Level, _ message: String, job: Int64? = nil, order: String? = nil, printer: String? = nil
  ) {
    self.level = level
    self.message = message
    self.job = job
    self.order = order
    self.printer = printer
  }
}
