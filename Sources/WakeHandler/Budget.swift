public import ESCPOS

/// The time that a wake has, as instants on one clock; every step is handed one of these and none has a time-out
/// of its own that could add up with the others.
public struct Budget: Equatable, Sendable {
  /// How the time is divided.
  public struct Limits: Equatable, Sendable {
    /// From the acceptance of the wake to the last moment that the caller waits for.
    public let total: Duration
    /// How much earlier the completion is called, so that the caller has it in time.
    public let grace: Duration
    /// What is kept for the report.
    public let reserve: Duration

    /// Ten seconds, of which 300 ms grace and one second for the report.
    public static let standard = Limits(
      checkedTotal: .seconds(10), grace: .milliseconds(300), reserve: .seconds(1))

    /// Divides `total`.
    ///
    /// - Parameters:
    ///   - total: 1 through 30 s.
    ///   - grace: Default: 300 ms.
    ///   - reserve: Default: 1 s, or a quarter of what the grace leaves where that is less.
    /// - Returns: nil when `total` is out of range or the parts leave less than half of it for the work.
    public init?(total: Duration, grace: Duration = .milliseconds(300), reserve: Duration? = nil) {
      guard total >= .seconds(1), total <= .seconds(30), grace >= .zero else { return nil }
      let reserve = reserve ?? min(.seconds(1), (total - grace) / 4)
      guard reserve >= .zero, grace + reserve <= total / 2 else { return nil }
      self.init(checkedTotal: total, grace: grace, reserve: reserve)
    }

    private init(checkedTotal total: Duration, grace: Duration, reserve: Duration) {
      self.total = total
      self.grace = grace
      self.reserve = reserve
    }
  }

  /// When the wake was accepted; timelines count from here.
  public let acceptedAt: BootInstant
  /// How the time is divided.
  public let limits: Limits

  /// A budget that began at `acceptedAt`.
  public init(acceptedAt: BootInstant, limits: Limits = .standard) {
    self.acceptedAt = acceptedAt
    self.limits = limits
  }

  /// The completion is called no later than this; the report may take until then.
  public var completion: BootInstant { acceptedAt.advanced(by: limits.total - limits.grace) }

  /// Fetching must end by then, so that the report has its reserve.
  public var work: BootInstant { acceptedAt.advanced(by: limits.total - limits.grace - limits.reserve) }
}
