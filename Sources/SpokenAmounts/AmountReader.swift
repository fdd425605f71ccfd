public import PrintJobs

/// Reads amounts of money in one language and one currency.
///
/// From integer minor units, by grammars of its own: a spell-out of ICU says 〇 for 零, "一亿一万" for 100,010,000 and
/// drops what it takes for rounding; and it would cost the daemon 30 MB.
public struct AmountReader: Sendable, Equatable {
  /// The language.
  public var language: SpokenLanguage
  /// The currency.
  public var currency: SpokenCurrency
  /// Chinese: 十二元五角 instead of 十二点五元. Only for renminbi and Hong Kong dollars.
  public var usesJiaoAndFen: Bool
  /// Chinese: 两 instead of 二 before 千, 万 and 亿, and for exactly 2.
  public var usesLiang: Bool

  /// Whole units are less than this; what a wake's 13 digits can hold.
  static let unitLimit: Int64 = 10_000_000_000_000

  /// Creates a reader.
  public init(
    language: SpokenLanguage, currency: SpokenCurrency, usesJiaoAndFen: Bool = false, usesLiang: Bool = false
  ) {
    self.language = language
    self.currency = currency
    self.usesJiaoAndFen = usesJiaoAndFen
    self.usesLiang = usesLiang
  }

  /// The words of an amount, one clip each.
  ///
  /// - Throws: ``AmountRefusal``; nothing is ever left out or rounded instead.
  public func words(for amount: Money) throws(AmountRefusal) -> [SpokenWord] {
    let (units, subunits) = try parts(of: amount)
    return words(units: units, subunits: subunits)
  }

  /// The words of a plain decimal such as `12.50`.
  ///
  /// - Throws: ``AmountRefusal``.
  public func words(for text: String) throws(AmountRefusal) -> [SpokenWord] {
    guard let amount = Money(text) else { throw .notDecimal }
    return try words(for: amount)
  }

  /// Whole units and hundredths; refuses what cannot be said exactly.
  private func parts(of amount: Money) throws(AmountRefusal) -> (units: Int64, subunits: Int) {
    guard amount.decimals <= 2 else { throw .tooFine }
    guard amount.minorUnits > 0 else { throw .notPositive }
    let scale: Int64 = [1, 10, 100][amount.decimals]
    let units = amount.minorUnits / scale
    let subunits = Int(amount.minorUnits % scale) * Int(100 / scale)
    guard currency.decimals > 0 || subunits == 0 else { throw .tooFine }
    guard units < Self.unitLimit else { throw .tooLarge }
    return (units, subunits)
  }

  private func words(units: Int64, subunits: Int) -> [SpokenWord] {
    switch language {
    case .mandarin, .cantonese:
      ChineseAmounts(
        numerals: ChineseNumerals(language == .mandarin ? .simplified : .traditional, usesLiang: usesLiang),
        currency: currency, usesJiaoAndFen: usesJiaoAndFen
      ).words(units: units, subunits: subunits)
    case .japanese: JapaneseAmounts(currency: currency).words(units: units, subunits: subunits)
    case .english: CountedAmounts.english(currency).words(units: units, subunits: subunits)
    case .german: CountedAmounts.german(currency).words(units: units, subunits: subunits)
    case .french: CountedAmounts.french(currency).words(units: units, subunits: subunits)
    case .spanish: CountedAmounts.spanish(currency).words(units: units, subunits: subunits)
    }
  }

  /// Every word that an amount below `limit` whole units can have, each once, in the order of counting.
  ///
  /// A set of clips with all of these can say every such amount.
  public func vocabulary(below limit: Int64 = 1_000_000_000_000) -> [SpokenWord] {
    var seen: Set<String> = []
    var words: [SpokenWord] = []
    func add(_ more: [SpokenWord]) {
      for word in more where seen.insert(word.id).inserted {
        var bare = word
        bare.isGlued = false
        words.append(bare)
      }
    }
    let lastSubunit = currency.decimals > 0 ? 99 : 0
    for subunits in stride(from: 1, through: lastSubunit, by: 1) {
      add(self.words(units: 0, subunits: subunits))
    }
    for scale: Int64 in [1, 1_000, 10_000, 1_000_000, 100_000_000, 1_000_000_000, 1_000_000_000_000] {
      // Hundreds are said with the words of smaller numbers, but for a few forms of their own.
      for count in Array(Int64(1)...101) + Array(stride(from: Int64(200), through: 1_000, by: 100))
      where count * scale < limit {
        add(self.words(units: count * scale, subunits: 0))
        if count * scale + 1 < limit { add(self.words(units: count * scale + 1, subunits: lastSubunit)) }
      }
    }
    add(self.words(units: 1, subunits: min(1, lastSubunit)))
    return words
  }
}
