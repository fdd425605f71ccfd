import ESCPOS
import PrintJobs

extension OrderLayout {
  /// The built-in layout for a locale, with the clock of a time zone.
  ///
  /// - Throws: ``Failure`` when the time zone database does not have the zone.
  static func named(_ locale: String, _ timeZone: String?) throws(Failure) -> OrderLayout {
    do {
      return OrderLayout(locale: locale, clock: try WallClock(zone: timeZone))
    } catch {
      throw Failure(
        .configuration, "time_zone: \(error.message)",
        remedy: "a name such as \"Europe/Berlin\"; timedatectl list-timezones")
    }
  }
}
