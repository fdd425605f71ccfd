extension CountedAmounts {
  /// « Douze euros cinquante », « douze euros et cinq centimes ».
  static func french(_ currency: SpokenCurrency) -> CountedAmounts {
    let (unit, subunit): (Noun, Noun?) =
      switch currency {
      case .cny: (Noun("cny", "yuan", "yuans", of: "de yuans"), Noun("fen", "fen", "fens"))
      case .eur: (Noun("eur", "euro", "euros", of: "d'euros"), Noun("centime", "centime", "centimes"))
      case .usd: (Noun("usd", "dollar", "dollars", of: "de dollars"), Noun("cent", "cent", "cents"))
      case .gbp: (Noun("gbp", "livre", "livres", of: "de livres", .feminine), Noun("penny", "penny", "pence"))
      case .jpy: (Noun("jpy", "yen", "yens", of: "de yens"), nil)
      case .hkd:
        (
          Noun("hkd", "dollar de Hong Kong", "dollars de Hong Kong", of: "de dollars de Hong Kong"),
          Noun("cent", "cent", "cents")
        )
      case .chf:
        (
          Noun("chf", "franc suisse", "francs suisses", of: "de francs suisses"),
          Noun("centime", "centime", "centimes")
        )
      }
    return CountedAmounts(
      numerals: FrenchNumerals.words, unit: unit, subunit: subunit, and: SpokenWord("and", "et"),
      saysHundredthsBare: true)
  }
}
