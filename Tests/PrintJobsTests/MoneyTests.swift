import PrintJobs
import Testing

@Suite("Amounts of money")
struct MoneyTests {
  @Test(
    "plain decimal strings are read exactly and written as they were",
    arguments: [
      ("0", 0, 0), ("12.50", 1_250, 2), ("-0.25", -25, 2), ("9999999999999.9999", 99_999_999_999_999_999, 4),
      ("007", 7, 0), ("0.05", 5, 2), ("-0", 0, 0), ("1.000", 1_000, 3),
    ] as [(String, Int64, Int)])
  func reads(text: String, units: Int64, decimals: Int) {
    let money = Money(text)
    #expect(money == Money(minorUnits: units, decimals: decimals))
    #expect(money?.description == (text == "007" ? "7" : text == "-0" ? "0" : text))
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "-", ".", "1.", ".5", "1e3", "NaN", "Infinity", "12.5元", "1,50", "1 000", "+1", "--1", "1-",
      "1.2.3", "0x10",
      "１２", "1.00000", "12345678901234", " 1", "1\n", "1\u{0}",
    ])
  func refuses(text: String) {
    #expect(Money(text) == nil)
  }
}
