/// French numbers as they stand before a noun: "un", "une", "quatre-vingts", "deux cent un", "deux cent mille".
///
/// "cent" and "vingt" have their plural only where no number follows; "million" and its like are nouns, "mille" is none.
enum FrenchNumerals {
  /// A number below 10^15 in words.
  static func words(_ number: Int64, _ gender: CountedAmounts.Gender) -> [SpokenWord] {
    var words: [SpokenWord] = []
    var rest = number
    for (scale, name) in scales where rest >= scale {
      let count = Int(rest / scale)
      words += hundreds(count, .masculine, isLast: true)
      words.append(count == 1 ? SpokenWord(name, name) : SpokenWord("\(name)s", "\(name)s"))
      rest %= scale
    }
    if rest >= 1000 {
      let count = Int(rest / 1000)
      if count > 1 { words += hundreds(count, .masculine, isLast: false) }
      words.append(SpokenWord("thousand", "mille"))
      rest %= 1000
    }
    if rest > 0 || words.isEmpty { words += hundreds(Int(rest), gender, isLast: true) }
    return words
  }

  private static let scales: [(Int64, String)] = [
    (1_000_000_000_000, "billion"), (1_000_000_000, "milliard"), (1_000_000, "million"),
  ]

  private static func hundreds(
    _ number: Int, _ gender: CountedAmounts.Gender, isLast: Bool
  ) -> [SpokenWord] {
    let (count, rest) = number.quotientAndRemainder(dividingBy: 100)
    guard count > 0 else { return [small(rest, gender, isLast: isLast)] }
    let isPlural = count > 1 && rest == 0 && isLast
    let hundred = isPlural ? SpokenWord("hundreds", "cents") : SpokenWord("hundred", "cent")
    let words = count == 1 ? [hundred] : [small(count, .masculine, isLast: false), hundred]
    return rest == 0 ? words : words + [small(rest, gender, isLast: isLast)]
  }

  private static func small(_ number: Int, _ gender: CountedAmounts.Gender, isLast: Bool) -> SpokenWord {
    if number == 80, isLast { return SpokenWord("80s", "quatre-vingts") }
    let isFeminine = gender == .feminine && number % 10 == 1 && ![11, 71, 91].contains(number)
    return isFeminine ? SpokenWord("\(number)f", "\(text(number))e") : SpokenWord("\(number)", text(number))
  }

  private static func text(_ number: Int) -> String {
    guard number >= 20 else { return ones[number] }
    // Seventy and ninety are counted on from sixty and eighty.
    let tens = [7, 9].contains(number / 10) ? number / 10 - 1 : number / 10
    let rest = number - tens * 10
    switch rest {
    case 0: return tensNames[tens]
    case 1 where tens < 8, 11 where tens < 8: return "\(tensNames[tens]) et \(ones[rest])"
    default: return "\(tensNames[tens])-\(ones[rest])"
    }
  }

  private static let ones = [
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    "treize",
    "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
  ]
  private static let tensNames = [
    "", "", "vingt", "trente", "quarante", "cinquante", "soixante", "", "quatre-vingt", "",
  ]
}
