extension CountedAmounts {
  /// "Twelve euros and fifty cents."
  static func english(_ currency: SpokenCurrency) -> CountedAmounts {
    let (unit, subunit): (Noun, Noun?) =
      switch currency {
      case .cny: (Noun("cny", "yuan", "yuan"), Noun("fen", "fen", "fen"))
      case .eur: (Noun("eur", "euro", "euros"), Noun("cent", "cent", "cents"))
      case .usd: (Noun("usd", "dollar", "dollars"), Noun("cent", "cent", "cents"))
      case .gbp: (Noun("gbp", "pound", "pounds"), Noun("penny", "penny", "pence"))
      case .jpy: (Noun("jpy", "yen", "yen"), nil)
      case .hkd: (Noun("hkd", "Hong Kong dollar", "Hong Kong dollars"), Noun("cent", "cent", "cents"))
      case .chf: (Noun("chf", "Swiss franc", "Swiss francs"), Noun("centime", "centime", "centimes"))
      }
    return CountedAmounts(
      numerals: { number, _ in EnglishNumerals.words(number) }, unit: unit, subunit: subunit,
      and: SpokenWord("and", "and"), saysHundredthsBare: false)
  }
}
