import PrintJobs
import SpokenAmounts
import Testing

@Suite("Financial capitals")
struct FinancialCapitalsTests {
  @Test(
    "follow the rules for vouchers",
    arguments: [
      ("0.00", "零元整"), ("0.01", "壹分"), ("0.10", "壹角整"), ("0.56", "伍角陆分"), ("1.00", "壹元整"), ("10.00", "壹拾元整"),
      ("10.05", "壹拾元零伍分"), ("12.50", "壹拾贰元伍角整"), ("101.00", "壹佰零壹元整"), ("110.10", "壹佰壹拾元壹角整"),
      ("325.04", "叁佰贰拾伍元零肆分"), ("1001.01", "壹仟零壹元零壹分"), ("1409.50", "壹仟肆佰零玖元伍角整"),
      ("1680.32", "壹仟陆佰捌拾元叁角贰分"), ("6007.14", "陆仟零柒元壹角肆分"), ("10010.00", "壹万零壹拾元整"),
      ("16409.02", "壹万陆仟肆佰零玖元零贰分"), ("100000.00", "壹拾万元整"), ("107000.53", "壹拾万柒仟元伍角叁分"),
      ("10000001.00", "壹仟万零壹元整"), ("100010000.00", "壹亿零壹万元整"),
      ("123456789.01", "壹亿贰仟叁佰肆拾伍万陆仟柒佰捌拾玖元零壹分"), ("99999999.99", "玖仟玖佰玖拾玖万玖仟玖佰玖拾玖元玖角玖分"),
      ("-12.50", "负壹拾贰元伍角整"), ("12.5", "壹拾贰元伍角整"), ("12", "壹拾贰元整"),
    ])
  func vectors(_ amount: String, _ expected: String) throws {
    #expect(FinancialCapitals.text(try #require(Money(amount))) == expected)
  }

  @Test("are not written for what they cannot hold")
  func refused() throws {
    #expect(FinancialCapitals.text(try #require(Money("12.345"))) == nil)
    #expect(FinancialCapitals.text(Money(minorUnits: .max, decimals: 0)) == nil)
    #expect(FinancialCapitals.text(Money(minorUnits: .min, decimals: 2)) == nil)
  }

  @Test("can be read back, whatever the amount")
  func roundTrip() throws {
    let plain: [Character: Character] = [
      "壹": "一", "贰": "二", "叁": "三", "肆": "四", "伍": "五", "陆": "六", "柒": "七", "捌": "八", "玖": "九", "拾": "十",
      "佰": "百",
      "仟": "千",
    ]
    var random = SplitMix(seed: 0xCA9)
    for _ in 0..<20_000 {
      let digits = Int64.random(in: 1...14, using: &random)
      let limit = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      let hundredths = Int64.random(in: 1...limit, using: &random)
      let capitals = try #require(FinancialCapitals.text(Money(minorUnits: hundredths, decimals: 2)))
      #expect(capitals.hasSuffix("整") == (hundredths % 10 == 0))
      let text = String(capitals.map { plain[$0] ?? $0 }.filter { $0 != "整" })
      #expect(
        CharacterReader.hundredths(text, unit: "元", tenth: "角", hundredth: "分") == hundredths, "\(capitals)")
    }
  }
}
