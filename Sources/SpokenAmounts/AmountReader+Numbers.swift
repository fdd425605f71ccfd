extension AmountReader {
  /// A number that stands in a text, without a unit: `12.50` is 十二点五.
  ///
  /// One that is a name rather than a count is read digit by digit: it begins with a zero, has more than thirteen digits,
  /// or more than two behind the point.
  ///
  /// - Parameter text: ASCII digits, with a point and more digits at most.
  /// - Returns: nil for anything else, and in languages whose synthesisers read digits right.
  public func words(ofNumber text: some StringProtocol) -> [SpokenWord]? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.map { $0.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil } }
    guard zip(parts, digits).allSatisfy({ $0.utf8.count == $1.count && !$1.isEmpty }),
      let first = digits.first
    else { return nil }
    guard let numerals else { return nil }
    let isName = first.count > 13 || first.count > 1 && first[0] == 0
    var words = isName ? first.map(numerals.digit) : numerals.whole(first.reduce(0) { $0 * 10 + Int64($1) })
    guard digits.count == 2 else { return words }
    var fraction = digits[1][...]
    if fraction.count <= 2 {
      while fraction.last == 0 { fraction.removeLast() }
    }
    if !fraction.isEmpty { words += [numerals.point] + fraction.map(numerals.digit) }
    return words
  }

  /// The parts of a number where we read it ourselves.
  private struct Numerals {
    var digit: (Int) -> SpokenWord
    var whole: (Int64) -> [SpokenWord]
    var point: SpokenWord

    init(_ chinese: ChineseNumerals) {
      digit = chinese.digit
      whole = chinese.words
      point = chinese.point
    }

    init() {
      digit = JapaneseNumerals.digit
      whole = JapaneseNumerals.words
      point = JapaneseNumerals.point
    }
  }

  private var numerals: Numerals? {
    switch language {
    case .mandarin: Numerals(ChineseNumerals(.simplified, usesLiang: usesLiang))
    case .cantonese: Numerals(ChineseNumerals(.traditional, usesLiang: usesLiang))
    case .japanese: Numerals()
    case .english, .german, .french, .spanish: nil
    }
  }
}
