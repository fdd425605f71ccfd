extension CountedAmounts {
  /// «Doce euros con cincuenta céntimos».
  static func spanish(_ currency: SpokenCurrency) -> CountedAmounts {
    let (unit, subunit): (Noun, Noun?) =
      switch currency {
      case .cny: (Noun("cny", "yuan", "yuanes", of: "de yuanes"), Noun("fen", "fen", "fenes"))
      case .eur: (Noun("eur", "euro", "euros", of: "de euros"), Noun("centimo", "céntimo", "céntimos"))
      case .usd: (Noun("usd", "dólar", "dólares", of: "de dólares"), Noun("centavo", "centavo", "centavos"))
      case .gbp:
        (Noun("gbp", "libra", "libras", of: "de libras", .feminine), Noun("penique", "penique", "peniques"))
      case .jpy: (Noun("jpy", "yen", "yenes", of: "de yenes"), nil)
      case .hkd:
        (
          Noun("hkd", "dólar de Hong Kong", "dólares de Hong Kong", of: "de dólares de Hong Kong"),
          Noun("centavo", "centavo", "centavos")
        )
      case .chf:
        (
          Noun("chf", "franco suizo", "francos suizos", of: "de francos suizos"),
          Noun("centimo", "céntimo", "céntimos")
        )
      }
    return CountedAmounts(
      numerals: SpanishNumerals.words, unit: unit, subunit: subunit, and: SpokenWord("con", "con"),
      saysHundredthsBare: false)
  }
}
