/// German numbers as they stand before a noun: "ein Euro", "einhundertein Euro", "eine Million".
enum GermanNumerals {
  /// A number below 10^15 in words.
  static func words(_ number: Int64) -> [SpokenWord] {
    var words: [SpokenWord] = []
    var rest = number
    for scale in scales where rest >= scale.value {
      let count = Int(rest / scale.value)
      words +=
        count == 1
        ? [eine, SpokenWord(scale.one, scale.one)]
        : feminine(hundreds(count)) + [SpokenWord(scale.many, scale.many)]
      rest %= scale.value
    }
    if rest > 0 || words.isEmpty { words += thousands(Int(rest)) }
    return words
  }

  private static let scales: [(value: Int64, one: String, many: String)] = [
    (1_000_000_000_000, "Billion", "Billionen"), (1_000_000_000, "Milliarde", "Milliarden"),
    (1_000_000, "Million", "Millionen"),
  ]

  private static let eine = SpokenWord("1f", "eine")

  /// "Einhunderteine Millionen": millions are feminine, and only a last "ein" shows it.
  private static func feminine(_ words: [SpokenWord]) -> [SpokenWord] {
    words.last?.id == "1" ? words.dropLast() + [eine.glued] : words
  }

  /// Up to 999,999: one long word.
  private static func thousands(_ number: Int) -> [SpokenWord] {
    guard number >= 1000 else { return hundreds(number) }
    let words = hundreds(number / 1000) + [SpokenWord("thousand", "tausend", isGlued: true)]
    return number % 1000 == 0 ? words : words + hundreds(number % 1000).map(\.glued)
  }

  private static func hundreds(_ number: Int) -> [SpokenWord] {
    guard number >= 100 else { return [small(number)] }
    let words = [small(number / 100), SpokenWord("hundred", "hundert", isGlued: true)]
    return number % 100 == 0 ? words : words + [small(number % 100).glued]
  }

  private static func small(_ number: Int) -> SpokenWord {
    let text =
      if number < 20 {
        ones[number]
      } else if number % 10 == 0 {
        tens[number / 10]
      } else {
        "\(ones[number % 10])und\(tens[number / 10])"
      }
    return SpokenWord("\(number)", text)
  }

  private static let ones = [
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
  ]
  private static let tens = [
    "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
  ]
}
