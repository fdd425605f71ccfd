import Glibc
import PrintJobs
import SpokenAmounts
import Testing

/// A way to say amounts, and the reader that takes them back.
struct Way: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var voice: AmountReader
  /// Every how manieth amount is heard; a step that shares no factor with 100 meets every whole number and every
  /// hundredth many times. All eleven millions take minutes without optimisation: `make amounts`.
  var step: Int64 = getenv("EVERY_AMOUNT") == nil ? 13 : 1
  var hundredths: @Sendable (String) -> Int64?

  static let all: [Way] = [
    Way(testDescription: "zh", voice: AmountReader(language: .mandarin, currency: .cny), step: 1) {
      CharacterReader.hundredths($0, unit: "元")
    },
    Way(
      testDescription: "zh, 角分 and 两",
      voice: AmountReader(language: .mandarin, currency: .cny, usesJiaoAndFen: true, usesLiang: true)
    ) { CharacterReader.hundredths($0, unit: "元", tenth: "角", hundredth: "分") },
    Way(testDescription: "yue", voice: AmountReader(language: .cantonese, currency: .hkd)) {
      CharacterReader.hundredths($0, unit: "港元")
    },
    Way(
      testDescription: "yue, 毫仙",
      voice: AmountReader(language: .cantonese, currency: .hkd, usesJiaoAndFen: true)
    ) { CharacterReader.hundredths($0, unit: "港元", tenth: "毫", hundredth: "仙") },
    Way(testDescription: "ja", voice: AmountReader(language: .japanese, currency: .eur)) {
      CharacterReader.hundredths($0, unit: "ユーロ", hundredth: "セント")
    },
    Way(testDescription: "en", voice: AmountReader(language: .english, currency: .eur)) {
      WordReader.english.hundredths($0)
    },
    Way(testDescription: "de", voice: AmountReader(language: .german, currency: .eur)) {
      WordReader.german.hundredths($0)
    },
    Way(testDescription: "fr", voice: AmountReader(language: .french, currency: .eur)) {
      WordReader.french.hundredths($0)
    },
    Way(testDescription: "fr, feminine", voice: AmountReader(language: .french, currency: .gbp)) {
      WordReader.french.hundredths($0)
    },
    Way(testDescription: "es", voice: AmountReader(language: .spanish, currency: .eur)) {
      WordReader.spanish.hundredths($0)
    },
    Way(testDescription: "es, feminine", voice: AmountReader(language: .spanish, currency: .gbp)) {
      WordReader.spanish.hundredths($0)
    },
  ]
}

@Suite("Words back into amounts")
struct RoundTripTests {
  @Test("amounts to 9,999.99 are heard as they were said", arguments: Way.all)
  func small(_ way: Way) throws {
    for hundredths in stride(from: Int64(1), through: 999_999, by: Int(way.step)) {
      let text = try way.voice.words(for: Money(minorUnits: hundredths, decimals: 2)).text
      guard way.hundredths(text) != hundredths else { continue }
      Issue.record("\(hundredths) is said \(text) and heard \(way.hundredths(text) ?? -1)")
      return
    }
  }

  @Test("amounts to 10¹² are heard as they were said", arguments: Way.all)
  func large(_ way: Way) throws {
    var random = SplitMix(seed: 0x5EED)
    for _ in 0..<20_000 {
      // As many small as large ones, and many zeros within.
      let digits = Int64.random(in: 1...14, using: &random)
      let limit = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      var hundredths = Int64.random(in: 1...limit, using: &random)
      if Bool.random(using: &random) {
        let hole = (0..<Int64.random(in: 1...digits, using: &random)).reduce(Int64(1)) { product, _ in
          product * 10
        }
        hundredths = max(1, hundredths / hole * hole + hundredths % 10)
      }
      let text = try way.voice.words(for: Money(minorUnits: hundredths, decimals: 2)).text
      #expect(way.hundredths(text) == hundredths, "\(hundredths) is said \(text)")
    }
  }

  @Test("every word of every amount is in the vocabulary", arguments: Way.all)
  func vocabulary(_ way: Way) throws {
    let known = Dictionary(uniqueKeysWithValues: way.voice.vocabulary().map { ($0.id, $0) })
    var random = SplitMix(seed: 0xC11B)
    for _ in 0..<50_000 {
      let digits = Int64.random(in: 1...14, using: &random)
      let limit = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      let amount = Money(minorUnits: .random(in: 1..<limit, using: &random), decimals: 2)
      for word in try way.voice.words(for: amount) {
        let clip = try #require(known[word.id], "\(word.text) of \(amount)")
        #expect(clip.text == word.text && clip.reading == word.reading)
      }
    }
  }
}

/// A generator whose numbers are the same in every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
