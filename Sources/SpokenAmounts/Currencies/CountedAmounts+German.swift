extension CountedAmounts {
  /// „Zwölf Euro fünfzig“, „zwölf Euro und fünf Cent“.
  static func german(_ currency: SpokenCurrency) -> CountedAmounts {
    let (unit, subunit): (Noun, Noun?) =
      switch currency {
      case .cny: (Noun("cny", "Yuan", "Yuan"), Noun("fen", "Fen", "Fen"))
      case .eur: (Noun("eur", "Euro", "Euro"), Noun("cent", "Cent", "Cent"))
      case .usd: (Noun("usd", "Dollar", "Dollar"), Noun("cent", "Cent", "Cent"))
      case .gbp: (Noun("gbp", "Pfund", "Pfund"), Noun("penny", "Penny", "Pence"))
      case .jpy: (Noun("jpy", "Yen", "Yen"), nil)
      case .hkd: (Noun("hkd", "Hongkong-Dollar", "Hongkong-Dollar"), Noun("cent", "Cent", "Cent"))
      case .chf: (Noun("chf", "Schweizer Franken", "Schweizer Franken"), Noun("rappen", "Rappen", "Rappen"))
      }
    return CountedAmounts(
      numerals: { number, _ in GermanNumerals.words(number) }, unit: unit, subunit: subunit,
      and: SpokenWord("and", "und"), saysHundredthsBare: true)
  }
}
