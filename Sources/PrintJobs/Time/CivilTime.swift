/// A date and a time of day as a clock on the wall shows them, in the Gregorian calendar.
public struct CivilTime: Equatable, Hashable, Sendable {
  /// The year.
  public var year: Int
  /// The month, 1 through 12.
  public var month: Int
  /// The day of the month, 1 through 31.
  public var day: Int
  /// The hour, 0 through 23.
  public var hour: Int
  /// The minute, 0 through 59.
  public var minute: Int
  /// The second, 0 through 59.
  public var second: Int

  /// Creates a time; the parts are taken as they are.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The time that a clock shows which runs at UTC, `seconds` after 1970 began.
  public init(secondsSince1970 seconds: Int) {
    let (days, rest) = (seconds.flooredQuotient(86_400), seconds.flooredRemainder(86_400))
    // Days are counted from 1 March of year 0, so that a leap day is the last of its year, in eras of 400 years.
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted.flooredRemainder(146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, hour: rest / 3_600, minute: rest / 60 % 60,
      second: rest % 60)
  }

  /// Seconds since 1970 when this time is read as UTC.
  public var secondsSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.flooredQuotient(400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// The day of the week, 0 = Sunday.
  public var weekday: Int {
    (secondsSince1970.flooredQuotient(86_400) + 4).flooredRemainder(7)
  }

  /// Days of a month.
  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int {
  func flooredQuotient(_ divisor: Int) -> Int {
    self / divisor - (self % divisor < 0 ? 1 : 0)
  }

  func flooredRemainder(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
