import ESCPOS
import PrintJobs

extension WallClock {
  /// The clock of the shop's time zone, or of the system's own when none is configured.
  ///
  /// - Throws: ``Failure`` when the time zone database does not have the zone.
  static func shop(_ timeZone: String?) throws(Failure) -> WallClock {
    do {
      return try WallClock(zone: timeZone)
    } catch {
      throw Failure(.configuration, "time_zone: \(error.message)", remedy: "timedatectl list-timezones")
    }
  }
}
