import Glibc

extension Journal {
  /// The time of day, seconds since 1970.
  public static let wallTime: @Sendable () -> Double = { seconds(CLOCK_REALTIME) }

  /// Seconds since boot, time asleep included; tells the order and the distance of events when the date was set.
  static var bootTime: Double { seconds(CLOCK_BOOTTIME) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
