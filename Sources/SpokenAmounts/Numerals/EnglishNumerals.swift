/// English numbers without "and", which stands between units and hundredths alone: "one hundred one".
enum EnglishNumerals {
  /// A number below 10^15 in words.
  static func words(_ number: Int64) -> [SpokenWord] {
    var words: [SpokenWord] = []
    var rest = number
    for (scale, name) in scales where rest >= scale {
      words += hundreds(Int(rest / scale)) + [SpokenWord(name, name)]
      rest %= scale
    }
    if rest > 0 || words.isEmpty { words += hundreds(Int(rest)) }
    return words
  }

  private static let scales: [(Int64, String)] = [
    (1_000_000_000_000, "trillion"), (1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand"),
  ]

  private static func hundreds(_ number: Int) -> [SpokenWord] {
    guard number >= 100 else { return [small(number)] }
    let hundreds = [small(number / 100), SpokenWord("hundred", "hundred")]
    return number % 100 == 0 ? hundreds : hundreds + [small(number % 100)]
  }

  private static func small(_ number: Int) -> SpokenWord {
    let text =
      if number < 20 {
        ones[number]
      } else if number % 10 == 0 {
        tens[number / 10]
      } else {
        "\(tens[number / 10])-\(ones[number % 10])"
      }
    return SpokenWord("\(number)", text)
  }

  private static let ones = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
  ]
  private static let tens = [
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
  ]
}
