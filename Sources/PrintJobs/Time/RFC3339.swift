/// Times as RFC 3339 writes them: `2026-11-30T12:36:18+08:00`.
public enum RFC3339 {
  /// Seconds since 1970, or nil when `text` is anything else.
  ///
  /// The offset is required; a leap second counts as the first second of the next minute.
  public static func seconds(_ text: String) -> Double? {
    var scan = DigitScan(bytes: Array(text.utf8))
    guard let year = scan.number(digits: 4), scan.take("-"), let month = scan.number(digits: 2),
      scan.take("-"),
      let day = scan.number(digits: 2), scan.take("T", "t", " "), let hour = scan.number(digits: 2),
      scan.take(":"), let minute = scan.number(digits: 2), scan.take(":"), let second = scan.number(digits: 2)
    else { return nil }
    guard (1...12).contains(month), (1...CivilTime.days(inMonth: month, of: year)).contains(day), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    var fraction = 0.0
    if scan.take(".") {
      guard let read = scan.fraction() else { return nil }
      fraction = read
    }
    guard let offset = scan.offset(), scan.isAtEnd else { return nil }
    let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    return Double(civil.secondsSince1970 - offset) + fraction
  }

  private struct DigitScan {
    let bytes: [UInt8]
    var place = 0

    var isAtEnd: Bool { place == bytes.count }

    mutating func take(_ letters: Unicode.Scalar...) -> Bool {
      guard place < bytes.count, letters.contains(Unicode.Scalar(bytes[place])) else { return false }
      place += 1
      return true
    }

    mutating func digit() -> Int? {
      guard place < bytes.count, (0x30...0x39).contains(bytes[place]) else { return nil }
      place += 1
      return Int(bytes[place - 1] - 0x30)
    }

    mutating func number(digits: Int) -> Int? {
      var number = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    mutating func fraction() -> Double? {
      guard let first = digit() else { return nil }
      var fraction = Double(first) / 10
      var unit = 0.01
      while let digit = digit() {
        fraction += Double(digit) * unit
        unit /= 10
      }
      return fraction
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
      if take("Z", "z") { return 0 }
      let east = take("+")
      guard east || take("-"), let hours = number(digits: 2), take(":"), let minutes = number(digits: 2),
        hours < 24, minutes < 60
      else { return nil }
      return (hours * 3_600 + minutes * 60) * (east ? 1 : -1)
    }
  }
}
