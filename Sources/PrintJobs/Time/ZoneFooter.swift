/// The rule of a time zone for all years to come, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneFooter: Equatable, Sendable {
  private struct Summer: Equatable {
    var offset: Int
    var start: Day
    var end: Day
  }

  /// A moment of the year: a day, and seconds after its midnight.
  private struct Day: Equatable {
    enum Form: Equatable {
      /// Month, week 1 through 5 (5 = the last), weekday (0 = Sunday).
      case week(Int, Int, Int)
      /// Day 1 through 365, 29 February never counted.
      case julian(Int)
      /// Day 0 through 365, 29 February counted.
      case ordinal(Int)
    }

    var form: Form
    var seconds: Int
  }

  /// Seconds east of UTC in winter.
  private var standard: Int
  private var summer: Summer?

  /// Reads a rule; nil when it is none.
  init?(_ text: [UInt8]) {
    var scan = Scan(bytes: text[...])
    guard scan.name(), let west = scan.time() else { return nil }
    standard = -west
    guard !scan.bytes.isEmpty else { return }
    guard scan.name() else { return nil }
    var offset = standard + 3_600
    if scan.bytes.first != UInt8(ascii: ",") {
      guard let west = scan.time() else { return nil }
      offset = -west
    }
    guard scan.take(","), let start = scan.day(), scan.take(","), let end = scan.day(), scan.bytes.isEmpty
    else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Seconds east of UTC at a time.
  func offset(at seconds: Int) -> Int {
    guard let summer else { return standard }
    let year = CivilTime(secondsSince1970: seconds + standard).year
    let start = Self.moment(summer.start, year) - standard
    let end = Self.moment(summer.end, year) - summer.offset
    // In the south, summer goes over the turn of the year.
    let isSummer = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
    return isSummer ? summer.offset : standard
  }

  /// Seconds since 1970 on a clock of local time.
  private static func moment(_ day: Day, _ year: Int) -> Int {
    let newYear = CivilTime(year: year, month: 1, day: 1).secondsSince1970
    let days: Int
    switch day.form {
    case .ordinal(let number): days = number
    case .julian(let number):
      let isLeap = CivilTime.days(inMonth: 2, of: year) == 29
      days = number - 1 + (isLeap && number >= 60 ? 1 : 0)
    case .week(let month, let week, let weekday):
      let first = CivilTime(year: year, month: month, day: 1)
      var date = 1 + (weekday - first.weekday).flooredRemainder(7) + (week - 1) * 7
      if date > CivilTime.days(inMonth: month, of: year) { date -= 7 }
      days = (CivilTime(year: year, month: month, day: date).secondsSince1970 - newYear) / 86_400
    }
    return newYear + days * 86_400 + day.seconds
  }

  private struct Scan {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ letter: Unicode.Scalar) -> Bool {
      guard bytes.first == UInt8(ascii: letter) else { return false }
      bytes = bytes.dropFirst()
      return true
    }

    mutating func name() -> Bool {
      if take("<") {
        bytes = bytes.drop { $0 != UInt8(ascii: ">") }
        return take(">")
      }
      let letters = bytes.prefix { (0x41...0x5A).contains($0 & 0xDF) }
      bytes = bytes.dropFirst(letters.count)
      return letters.count >= 3
    }

    mutating func number(upTo limit: Int) -> Int? {
      let digits = bytes.prefix { (0x30...0x39).contains($0) }
      guard (1...3).contains(digits.count) else { return nil }
      bytes = bytes.dropFirst(digits.count)
      let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return number <= limit ? number : nil
    }

    /// `[+-]h[:m[:s]]` in seconds.
    mutating func time() -> Int? {
      let sign = take("-") ? -1 : 1
      if sign == 1 { _ = take("+") }
      guard let hours = number(upTo: 167) else { return nil }
      var seconds = hours * 3_600
      for unit in [60, 1] where take(":") {
        guard let part = number(upTo: 59) else { return nil }
        seconds += part * unit
      }
      return sign * seconds
    }

    mutating func day() -> Day? {
      let form: Day.Form
      if take("M") {
        guard let month = number(upTo: 12), month > 0, take("."), let week = number(upTo: 5), week > 0,
          take("."),
          let weekday = number(upTo: 6)
        else { return nil }
        form = .week(month, week, weekday)
      } else if take("J") {
        guard let number = number(upTo: 365), number > 0 else { return nil }
        form = .julian(number)
      } else {
        guard let number = number(upTo: 365) else { return nil }
        form = .ordinal(number)
      }
      guard take("/") else { return Day(form: form, seconds: 7_200) }
      return time().map { Day(form: form, seconds: $0) }
    }
  }
}
