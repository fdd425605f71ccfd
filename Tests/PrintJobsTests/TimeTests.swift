import ESCPOS
import PrintJobs
import Testing

@Suite("Times")
struct TimeTests {
  @Test(
    "RFC 3339 is read as seconds since 1970",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-30T12:36:18+08:00", 1_796_013_378),
      ("2026-11-30T04:36:18Z", 1_796_013_378),
      ("2026-11-29T20:06:18-08:30", 1_796_013_378), ("2024-02-29t23:59:59z", 1_709_251_199),
      ("2016-12-31T23:59:60Z", 1_483_228_800), ("1969-12-31T23:59:59.5Z", -0.5),
      ("2026-11-30 04:36:18.25Z", 1_796_013_378.25),
      ("0000-03-01T00:00:00Z", -62_162_035_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ] as [(String, Double)])
  func reads(text: String, seconds: Double) {
    #expect(RFC3339.seconds(text) == seconds)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "2026-11-30", "2026-11-30T12:36:18", "2026-11-30T12:36Z", "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-30T24:00:00Z",
      "2026-11-30T12:60:00Z", "2026-11-30T12:00:61Z", "2026-11-30T12:00:00.Z", "2026-11-30T12:00:00+8:00",
      "2026-11-30T12:00:00+24:00", "2026-11-30T12:00:00+08:60", "2026-11-30T12:00:00Z ",
      " 2026-11-30T12:00:00Z",
      "26-11-30T12:00:00Z", "２０２６-11-30T12:00:00Z", "+026-11-30T12:00:00Z", "2026-1-030T12:00:00Z",
    ])
  func refuses(text: String) {
    #expect(RFC3339.seconds(text) == nil)
  }

  @Test("the calendar goes there and back over four centuries")
  func calendar() {
    for day in stride(from: -150_000, through: 150_000, by: 1) {
      let civil = CivilTime(secondsSince1970: day * 86_400 + 86_399)
      guard civil.secondsSince1970 == day * 86_400 + 86_399, (1...12).contains(civil.month),
        (1...31).contains(civil.day)
      else {
        Issue.record("\(civil)")
        return
      }
    }
    #expect(CivilTime(secondsSince1970: 951_782_400) == CivilTime(year: 2000, month: 2, day: 29))
    #expect(CivilTime(year: 2026, month: 11, day: 30).weekday == 1)
  }

  // The right-hand sides were computed with Python's zoneinfo.
  @Test(
    "the clock on the wall follows its zone, in the past and by rule in the future",
    arguments: [
      ("UTC", 1_796_013_378, "2026-11-30 04:36:18"), ("Asia/Shanghai", 1_796_013_378, "2026-11-30 12:36:18"),
      ("Europe/Berlin", 1_796_013_378, "2026-11-30 05:36:18"),
      ("Europe/Berlin", 1_782_000_000, "2026-06-21 02:00:00"),
      ("Europe/Berlin", 1_774_745_999, "2026-03-29 01:59:59"),
      ("Europe/Berlin", 1_774_746_000, "2026-03-29 03:00:00"),
      ("Europe/Berlin", 1_792_889_999, "2026-10-25 02:59:59"),
      ("Europe/Berlin", 1_792_890_000, "2026-10-25 02:00:00"),
      ("America/New_York", 2_540_000_000, "2050-06-27 23:33:20"),
      ("America/New_York", 2_550_000_000, "2050-10-21 17:20:00"),
      ("America/New_York", 2_555_000_000, "2050-12-18 13:13:20"),
      ("Australia/Sydney", 2_540_000_000, "2050-06-28 13:33:20"),
      ("Australia/Sydney", 2_555_000_000, "2050-12-19 05:13:20"),
      ("Asia/Kolkata", 2_555_000_000, "2050-12-18 23:43:20"),
      ("America/St_Johns", 1_782_000_000, "2026-06-20 21:30:00"),
      ("Africa/Casablanca", 1_782_000_000, "2026-06-21 01:00:00"),
      ("Europe/Dublin", 2_540_000_000, "2050-06-28 04:33:20"),
      ("Asia/Tokyo", -2_000_000_000, "1906-08-17 05:26:40"),
    ])
  func zones(zone: String, seconds: Int, expected: String) throws {
    let time = try WallClock(zone: zone).time(at: Double(seconds))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let written =
      "\(time.year)-\(two(time.month))-\(two(time.day)) \(two(time.hour)):\(two(time.minute)):\(two(time.second))"
    #expect(written == expected)
  }

  @Test(
    "a zone that is not there is named",
    arguments: [
      "Europe/Berln", "", "../../../etc/passwd", "/etc/localtime", "Europe", "Europe/", "zone.tab",
      "leapseconds",
      "Europe//Berlin",
    ])
  func unknown(zone: String) {
    #expect(throws: DocumentFault.self) { try WallClock(zone: zone) }
  }

  @Test(
    "times that no calendar holds do no harm", arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func wild(seconds: Double) {
    #expect(WallClock.utc.time(at: seconds) == CivilTime(year: 1970, month: 1, day: 1))
  }
}
