/// Amounts in Mandarin and Cantonese: 十二点五元, or 十二元五角.
struct ChineseAmounts: Sendable {
  let numerals: ChineseNumerals
  let currency: SpokenCurrency
  let usesJiaoAndFen: Bool

  func words(units: Int64, subunits: Int) -> [SpokenWord] {
    if usesJiaoAndFen, let (jiao, fen) = smallUnits {
      return words(units: units, jiao: subunits / 10, fen: subunits % 10, jiao, fen)
    }
    guard subunits > 0 else { return whole(units) + [unit] }
    var words = numerals.words(units) + [numerals.point, numerals.digit(subunits / 10)]
    if subunits % 10 > 0 { words.append(numerals.digit(subunits % 10)) }
    return words + [unit]
  }

  private func words(
    units: Int64, jiao: Int, fen: Int, _ jiaoName: SpokenWord, _ fenName: SpokenWord
  ) -> [SpokenWord] {
    var words: [SpokenWord] = []
    if units > 0 { words = (jiao + fen == 0 ? whole(units) : numerals.words(units)) + [unit] }
    if jiao > 0 { words += [numerals.digit(jiao), jiaoName] }
    if fen > 0 {
      if units > 0, jiao == 0 { words.append(numerals.digit(0)) }
      words += [numerals.digit(fen), fenName]
    }
    return words
  }

  /// Exactly 2 is counted with 两 where that is wanted.
  private func whole(_ units: Int64) -> [SpokenWord] {
    units == 2 && numerals.usesLiang ? [numerals.liang] : numerals.words(units)
  }

  private var unit: SpokenWord {
    switch currency {
    case .cny: numerals.word("cny", "元")
    case .eur: numerals.word("eur", "欧元", "歐元")
    case .usd: numerals.word("usd", "美元")
    case .gbp: numerals.word("gbp", "英镑", "英鎊")
    case .jpy: numerals.word("jpy", "日元", "日圓")
    case .hkd: numerals.word("hkd", "港元")
    case .chf: numerals.word("chf", "瑞士法郎")
    }
  }

  /// A tenth and a hundredth, where people say them.
  private var smallUnits: (SpokenWord, SpokenWord)? {
    switch (currency, numerals.script) {
    case (.hkd, .traditional): (numerals.word("hou", "毫"), numerals.word("sin", "仙"))
    case (.cny, _), (.hkd, _): (numerals.word("jiao", "角"), numerals.word("fen", "分"))
    default: nil
    }
  }
}
