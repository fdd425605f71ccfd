/// Amounts in Japanese: 千二百円, 十二ユーロ五十セント, 十二点五元.
struct JapaneseAmounts: Sendable {
  let currency: SpokenCurrency

  func words(units: Int64, subunits: Int) -> [SpokenWord] {
    guard subunits > 0 else { return whole(units) + [unit] }
    guard let subunit else { return pointed(units, subunits) + [unit] }
    let hundredths = JapaneseNumerals.words(Int64(subunits)) + [subunit]
    return units > 0 ? whole(units) + [unit] + hundredths : hundredths
  }

  /// 四円 is よえん, and so is every number of yen that ends in 4.
  private func whole(_ units: Int64) -> [SpokenWord] {
    var words = JapaneseNumerals.words(units)
    if currency == .jpy, let last = words.last, last.id == "4" {
      words[words.count - 1] = SpokenWord("4yen", last.text, reading: "よ", isGlued: true)
    }
    return words
  }

  private func pointed(_ units: Int64, _ subunits: Int) -> [SpokenWord] {
    var words = JapaneseNumerals.words(units)
    words += [JapaneseNumerals.point, JapaneseNumerals.digit(subunits / 10)]
    if subunits % 10 > 0 { words.append(JapaneseNumerals.digit(subunits % 10)) }
    return words
  }

  private var unit: SpokenWord {
    switch currency {
    case .cny: SpokenWord("cny", "元", reading: "げん", isGlued: true)
    case .eur: SpokenWord("eur", "ユーロ", isGlued: true)
    case .usd: SpokenWord("usd", "ドル", isGlued: true)
    case .gbp: SpokenWord("gbp", "ポンド", isGlued: true)
    case .jpy: SpokenWord("jpy", "円", reading: "えん", isGlued: true)
    case .hkd: SpokenWord("hkd", "香港ドル", reading: "ほんこんドル", isGlued: true)
    case .chf: SpokenWord("chf", "スイスフラン", isGlued: true)
    }
  }

  private var subunit: SpokenWord? {
    switch currency {
    case .eur, .usd, .hkd: SpokenWord("cent", "セント", isGlued: true)
    case .gbp: SpokenWord("pence", "ペンス", isGlued: true)
    case .chf: SpokenWord("centime", "サンチーム", isGlued: true)
    case .cny, .jpy: nil
    }
  }
}
