import PrintJobs
import SpokenAmounts
import Testing

@Suite("Chinese amounts")
struct ChineseAmountTests {
  @Test(
    "are said digit by digit behind the point, without zeros at the end",
    arguments: [
      ("0.01", "零点零一元"), ("0.05", "零点零五元"), ("0.10", "零点一元"), ("0.50", "零点五元"), ("1.00", "一元"), ("2", "二元"),
      ("7", "七元"), ("10", "十元"), ("10.50", "十点五元"), ("11", "十一元"), ("12.05", "十二点零五元"), ("12.50", "十二点五元"),
      ("19.99", "十九点九九元"), ("20", "二十元"), ("22.22", "二十二点二二元"), ("100", "一百元"), ("101", "一百零一元"),
      ("110", "一百一十元"), ("111", "一百一十一元"), ("200", "二百元"), ("1001", "一千零一元"), ("1010", "一千零一十元"),
      ("1100.01", "一千一百点零一元"), ("2222", "二千二百二十二元"), ("9999.99", "九千九百九十九点九九元"), ("10000", "一万元"),
      ("10001", "一万零一元"), ("10010", "一万零一十元"), ("10100", "一万零一百元"), ("20002", "二万零二元"), ("100000", "十万元"),
      ("107000.53", "十万七千点五三元"), ("110000", "十一万元"), ("120034.05", "十二万零三十四点零五元"), ("1000100", "一百万零一百元"),
      ("10010000", "一千零一万元"), ("12345678.90", "一千二百三十四万五千六百七十八点九元"), ("100000000", "一亿元"),
      ("100000001", "一亿零一元"), ("100001000", "一亿零一千元"), ("100010000", "一亿零一万元"), ("1000000000000", "一万亿元"),
    ])
  func points(_ amount: String, _ expected: String) throws {
    let words = try AmountReader(language: .mandarin, currency: .cny).words(for: amount)
    #expect(words.text == expected)
    #expect(words.count == expected.count, "one clip for each character")
  }

  @Test(
    "have 两 where a 2 begins its group, and for exactly two",
    arguments: [
      ("2", "两元"), ("2.00", "两元"), ("2.50", "二点五元"), ("12", "十二元"), ("20", "二十元"), ("200", "二百元"),
      ("2222", "两千二百二十二元"),
      ("20002", "两万零二元"), ("22000", "两万两千元"), ("220000", "二十二万元"), ("20020000", "两千零二万元"),
      ("200000000", "两亿元"),
      ("0.22", "零点二二元"), ("102000", "十万两千元"),
    ])
  func liang(_ amount: String, _ expected: String) throws {
    let reader = AmountReader(language: .mandarin, currency: .cny, usesLiang: true)
    #expect(try reader.words(for: amount).text == expected)
  }

  @Test(
    "have 角 and 分 where the shop wants them",
    arguments: [
      ("12.50", "十二元五角"), ("0.05", "五分"), ("0.50", "五角"), ("0.55", "五角五分"), ("100.05", "一百元零五分"),
      ("12.55", "十二元五角五分"),
      ("100", "一百元"),
    ])
  func jiaoAndFen(_ amount: String, _ expected: String) throws {
    let reader = AmountReader(language: .mandarin, currency: .cny, usesJiaoAndFen: true)
    #expect(try reader.words(for: amount).text == expected)
  }

  @Test(
    "are traditional in Cantonese",
    arguments: [("12.50", "十二點五港元"), ("20002", "二萬零二港元"), ("100000000.01", "一億點零一港元")])
  func cantonese(_ amount: String, _ expected: String) throws {
    #expect(try AmountReader(language: .cantonese, currency: .hkd).words(for: amount).text == expected)
  }

  @Test("have the 毫 and 仙 of Hong Kong only for its dollars")
  func houAndSin() throws {
    let hongKong = AmountReader(language: .cantonese, currency: .hkd, usesJiaoAndFen: true)
    #expect(try hongKong.words(for: "12.55").text == "十二港元五毫五仙")
    let euros = AmountReader(language: .cantonese, currency: .eur, usesJiaoAndFen: true)
    #expect(try euros.words(for: "12.55").text == "十二點五五歐元")
  }
}

@Suite("Amounts in other languages")
struct CountedAmountTests {
  @Test(
    "agree in number, gender and form",
    arguments: [
      ("en", "EUR", "1.00", "one euro"), ("en", "EUR", "1.01", "one euro and one cent"),
      ("en", "EUR", "0.01", "one cent"),
      ("en", "USD", "101", "one hundred one dollars"), ("en", "GBP", "2.02", "two pounds and two pence"),
      ("en", "GBP", "0.01", "one penny"), ("en", "JPY", "1000000", "one million yen"),
      ("de", "EUR", "1", "ein Euro"), ("de", "EUR", "1.50", "ein Euro fünfzig"),
      ("de", "EUR", "1.05", "ein Euro und fünf Cent"),
      ("de", "EUR", "0.21", "einundzwanzig Cent"), ("de", "EUR", "101", "einhundertein Euro"),
      ("de", "EUR", "1000000", "eine Million Euro"),
      ("de", "EUR", "101000000", "einhunderteine Millionen Euro"),
      ("de", "EUR", "1234.56", "eintausendzweihundertvierunddreißig Euro sechsundfünfzig"),
      ("de", "CHF", "0.05", "fünf Rappen"),
      ("fr", "EUR", "1", "un euro"), ("fr", "EUR", "80", "quatre-vingts euros"),
      ("fr", "EUR", "81.01", "quatre-vingt-un euros et un centime"),
      ("fr", "EUR", "201", "deux cent un euros"),
      ("fr", "EUR", "200.71", "deux cents euros soixante et onze"),
      ("fr", "EUR", "80000", "quatre-vingt mille euros"),
      ("fr", "EUR", "200000000", "deux cents millions d'euros"),
      ("fr", "EUR", "1000001", "un million un euros"), ("fr", "GBP", "1", "une livre"),
      ("fr", "GBP", "121", "cent vingt et une livres"),
      ("fr", "USD", "1000000", "un million de dollars"),
      ("es", "EUR", "1", "un euro"), ("es", "EUR", "21.01", "veintiún euros con un céntimo"),
      ("es", "EUR", "100", "cien euros"),
      ("es", "EUR", "101", "ciento un euros"), ("es", "EUR", "531", "quinientos treinta y un euros"),
      ("es", "EUR", "1000000", "un millón de euros"), ("es", "EUR", "1001000", "un millón mil euros"),
      ("es", "EUR", "2000000000", "dos mil millones de euros"), ("es", "GBP", "200", "doscientas libras"),
      ("es", "GBP", "21", "veintiuna libras"), ("es", "GBP", "200000", "doscientas mil libras"),
      ("es", "GBP", "200000000", "doscientos millones de libras"),
      ("ja", "JPY", "1200", "千二百円"), ("ja", "JPY", "10000000", "一千万円"), ("ja", "EUR", "12.50", "十二ユーロ五十セント"),
      ("ja", "CNY", "12.05", "十二点零五元"),
    ])
  func forms(_ language: String, _ currency: String, _ amount: String, _ expected: String) throws {
    let reader = AmountReader(
      language: try #require(SpokenLanguage(tag: language)),
      currency: try #require(SpokenCurrency(rawValue: currency)))
    #expect(try reader.words(for: amount).text == expected)
  }

  @Test(
    "are given to a Japanese synthesiser in kana, with the sounds run together",
    arguments: [
      ("4", "よえん"), ("14", "じゅうよえん"), ("40", "よんじゅうえん"), ("300", "さんびゃくえん"), ("600", "ろっぴゃくえん"),
      ("800", "はっぴゃくえん"), ("3000", "さんぜんえん"), ("8000", "はっせんえん"), ("10000", "いちまんえん"), ("1000", "せんえん"),
      ("10000000", "いっせんまんえん"), ("1000000000000", "いっちょうえん"), ("8000000000000", "はっちょうえん"),
    ])
  func kana(_ amount: String, _ expected: String) throws {
    #expect(try AmountReader(language: .japanese, currency: .jpy).words(for: amount).reading == expected)
  }

  @Test("know every language by its tags")
  func tags() {
    #expect(SpokenLanguage(tag: "zh-CN") == .mandarin)
    #expect(SpokenLanguage(tag: "zh_TW") == .mandarin)
    #expect(SpokenLanguage(tag: "zh-HK") == .cantonese)
    #expect(SpokenLanguage(tag: "de-AT") == .german)
    #expect(SpokenLanguage(tag: "EN") == .english)
    #expect(SpokenLanguage(tag: "tlh") == nil)
    #expect(SpokenLanguage(tag: "") == nil)
  }
}

@Suite("Amounts that are not said")
struct RefusedAmountTests {
  @Test(
    "are those that are no plain decimals", arguments: SpokenLanguage.allCases,
    [
      "", "abc", "1,234.5", "12.5元", "¥12.5", "12.", ".50", "1e3", "１２.５", "NaN", " 12 ", "+5",
      "12345678901234",
    ])
  func notDecimal(_ language: SpokenLanguage, _ text: String) {
    #expect(throws: AmountRefusal.notDecimal) {
      try AmountReader(language: language, currency: .cny).words(for: text)
    }
  }

  @Test(
    "are those that would be rounded, or that nobody received", arguments: SpokenLanguage.allCases,
    [
      ("12.345", AmountRefusal.tooFine), ("12.500", .tooFine), ("-0", .notPositive), ("0", .notPositive),
      ("0.00", .notPositive), ("-12.50", .notPositive),
    ])
  func refused(_ language: SpokenLanguage, _ amount: (text: String, refusal: AmountRefusal)) {
    #expect(throws: amount.refusal) {
      try AmountReader(language: language, currency: .cny).words(for: amount.text)
    }
  }

  @Test("are those with hundredths of a yen", arguments: SpokenLanguage.allCases)
  func yen(_ language: SpokenLanguage) throws {
    let reader = AmountReader(language: language, currency: .jpy)
    #expect(throws: AmountRefusal.tooFine) { try reader.words(for: "100.50") }
    #expect(try reader.words(for: "100.00") == reader.words(for: "100"))
  }

  @Test("are those beyond any number's name", arguments: SpokenLanguage.allCases)
  func large(_ language: SpokenLanguage) {
    #expect(throws: AmountRefusal.tooLarge) {
      try AmountReader(language: language, currency: .eur).words(for: Money(minorUnits: .max, decimals: 0))
    }
  }
}
