import Foundation
import PrintJobs
import SpokenAmounts
import Testing

// Our numbers beside ICU's. Where they differ on purpose, the difference is written down here and is the only one.

@Suite("Numbers beside the spell-out of ICU")
struct SpellOutTests {
  /// ICU's number, and our own for the same locale with the noun taken off.
  struct Language: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var voice: AmountReader
    var noun: [String]
    /// ICU's text as ours must be.
    var adapted: @Sendable (_ text: String) -> String
    /// From here on ICU is wrong.
    var limit: Int64 = 1_000_000_000_000

    static let all = [
      Language(
        testDescription: "en", voice: AmountReader(language: .english, currency: .jpy), noun: [" yen"],
        adapted: { text in text }),
      // ICU counts "eins" and marks where a word may be cut; before a noun it is "ein".
      Language(
        testDescription: "de", voice: AmountReader(language: .german, currency: .jpy), noun: [" Yen"],
        adapted: { text in
          let whole = text.replacingOccurrences(of: "\u{AD}", with: "")
          return whole.hasSuffix("eins") ? String(whole.dropLast()) : whole
        }),
      // ICU has the hyphens of 1990 around "et", and leaves out the plural of "cents" and "vingts" before "millions", which is a noun.
      Language(
        testDescription: "fr", voice: AmountReader(language: .french, currency: .jpy),
        noun: [" de yens", " yens", " yen"],
        adapted: { text in
          text.replacingOccurrences(of: "-et-", with: " et ").replacingOccurrences(
            of: "quatre-vingt mi(?=lli(on|ard))", with: "quatre-vingts mi", options: .regularExpression
          )
          .replacingOccurrences(
            of: "(?<=deux|trois|quatre|cinq|six|sept|huit|neuf) cent mi(?=lli(on|ard))", with: " cents mi",
            options: .regularExpression)
        }),
      // ICU counts "uno" and marks where a word may be cut; before a noun it is "un".
      Language(
        testDescription: "es", voice: AmountReader(language: .spanish, currency: .jpy),
        noun: [" de yenes", " yenes", " yen"],
        adapted: { text in
          let whole = text.replacingOccurrences(of: "\u{AD}", with: "")
          if whole.hasSuffix("veintiuno") { return whole.dropLast("veintiuno".count) + "veintiún" }
          return whole.hasSuffix("uno") ? String(whole.dropLast()) : whole
        }),
      // ICU has 千万; ten millions are said 一千万.
      Language(
        testDescription: "ja", voice: AmountReader(language: .japanese, currency: .jpy), noun: ["円"],
        adapted: { text in
          var sections = [""]
          for character in text {
            sections[sections.count - 1].append(character)
            if "万億".contains(character) { sections.append("") }
          }
          return sections.dropLast().map { $0.hasPrefix("千") ? "一" + $0 : $0 }.joined()
            + sections[sections.count - 1]
        }),
      // ICU has 〇, which is for years, and above 亿 it loses the 零 between groups: see below.
      Language(
        testDescription: "zh-CN", voice: AmountReader(language: .mandarin, currency: .jpy), noun: ["日元"],
        adapted: { text in text.replacingOccurrences(of: "〇", with: "零") }, limit: 100_000_000),
      Language(
        testDescription: "zh-HK", voice: AmountReader(language: .cantonese, currency: .jpy), noun: ["日圓"],
        adapted: { text in text }, limit: 100_000_000),
    ]
  }

  private static func spellOut(_ locale: String) -> (Int64) -> String? {
    let formatter = NumberFormatter()
    formatter.locale = Locale(identifier: locale)
    formatter.numberStyle = .spellOut
    return { formatter.string(from: NSNumber(value: $0)) }
  }

  private static var numbers: [Int64] {
    var random = SplitMix(seed: 0x1C0)
    let powers = (0..<13).map { power in (0..<power).reduce(Int64(1)) { product, _ in product * 10 } }
    let around = powers.flatMap { [$0 - 1, $0, $0 + 1, $0 * 2, $0 * 8, $0 * 21 % 1_000_000_000_000] }
    let some = (0..<5_000).map { _ in
      Int64.random(in: 1..<powers[.random(in: 1..<13, using: &random)], using: &random)
    }
    return Array(1...9_999) + (around + some).filter { $0 > 0 && $0 < 1_000_000_000_000 }
  }

  @Test("to 9,999, at the powers of ten and between them", arguments: Language.all)
  func agree(_ language: Language) throws {
    let spellOut = Self.spellOut(language.testDescription)
    for number in Self.numbers where number < language.limit {
      let text = try language.voice.words(for: Money(minorUnits: number, decimals: 0)).text
      let noun = try #require(language.noun.first { text.hasSuffix($0) })
      let expected = language.adapted(try #require(spellOut(number)))
      #expect(text.dropLast(noun.count) == expected, "\(number)")
    }
  }

  /// Why money is not read by it, each seen with the ICU of this Foundation.
  @Test(
    "where ICU's Chinese is wrong for money ours is right",
    arguments: [
      ("101", "一百〇一", "一百零一元"), ("100010000", "一亿一万", "一亿零一万元"),
      ("300172954", "三亿十七万二千九百五十四", "三亿零一十七万二千九百五十四元"),
      ("1000000000000", "一兆", "一万亿元"), ("12.05", "十二点〇五", "十二点零五元"),
    ])
  func chinese(_ amount: String, icu: String, ours: String) throws {
    let formatter = NumberFormatter()
    formatter.locale = Locale(identifier: "zh-CN")
    formatter.numberStyle = .spellOut
    #expect(formatter.string(from: NSNumber(value: try #require(Double(amount)))) == icu)
    #expect(try AmountReader(language: .mandarin, currency: .cny).words(for: amount).text == ours)
  }
}
