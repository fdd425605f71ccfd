/// What a printer says of itself; each part is unknown until it was asked or told.
public struct PrinterStatus: Equatable, Sendable {
  /// The paper.
  public enum Paper: String, Sendable {
    /// Enough.
    case present
    /// Nearly at its end; printing goes on.
    case nearEnd
    /// At its end; nothing is printed.
    case end
  }

  /// Whether it takes data for printing; nil when unknown.
  public var online: Bool?
  /// The paper; nil when unknown.
  public var paper: Paper?
  /// Whether the cover is open; nil when unknown.
  public var coverOpen: Bool?
  /// Whether it has stopped for an error (cutter, head, voltage); nil when unknown.
  public var error: Bool?

  /// Nothing is known.
  public init() {}

  /// Why nothing can be printed now, for a person, or nil when nothing known stands against it.
  public var obstacle: String? {
    if paper == .end { return "paper out" }
    if coverOpen == true { return "cover open" }
    if error == true { return "printer error" }
    if online == false { return "printer offline" }
    return nil
  }
}
