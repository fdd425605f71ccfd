import Glibc

/// An instant on the clock that counts from boot and goes on during suspend (`CLOCK_BOOTTIME`).
///
/// Every deadline in printd is one of these, made once per wake and handed down; no step has a time-out of its
/// own that could add up with the others.
public struct BootInstant: InstantProtocol, Hashable, Sendable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  /// Creates an instant `nanoseconds` after boot.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant `duration` later (earlier, when negative); saturates instead of overflowing.
  public func advanced(by duration: Duration) -> BootInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    guard overflow else { return BootInstant(nanoseconds: sum) }
    return BootInstant(nanoseconds: duration < .zero ? .min : .max)
  }

  /// The time from this instant to `other`; negative when `other` is earlier.
  public func duration(to other: BootInstant) -> Duration {
    .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
  }

  /// Orders instants in time.
  public static func < (left: BootInstant, right: BootInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// A clock of ``BootInstant``s: the real one in the daemon, a manual one in tests.
public protocol BootTimeClock: Clock, Sendable where Instant == BootInstant {}

/// The kernel's `CLOCK_BOOTTIME`: monotonic, unaffected by setting the date, counting through suspend.
public struct BootClock: BootTimeClock {
  /// Creates the clock; it has no state.
  public init() {}

  /// Now.
  public var now: BootInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The finest step that the clock can tell apart.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the task until `deadline`, and no longer than the system takes to wake it; a tolerance changes nothing.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; the wait then ends at once.
  public func sleep(until deadline: BootInstant, tolerance: Duration?) async throws {
    try await Alarms.shared.sleep(until: deadline)
  }
}

extension Duration {
  /// The duration in nanoseconds, saturating at what `Int64` holds (292 years).
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in milliseconds, for logs and timelines.
  public var milliseconds: Double {
    Double(wholeNanoseconds) / 1_000_000
  }
}
