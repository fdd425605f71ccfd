/// A currency whose units can be said in every ``SpokenLanguage``.
public enum SpokenCurrency: String, Sendable, CaseIterable {
  /// Renminbi.
  case cny = "CNY"
  /// Euro.
  case eur = "EUR"
  /// US dollar.
  case usd = "USD"
  /// Pound sterling.
  case gbp = "GBP"
  /// Yen.
  case jpy = "JPY"
  /// Hong Kong dollar.
  case hkd = "HKD"
  /// Swiss franc.
  case chf = "CHF"

  /// Digits of the smallest unit, by ISO 4217.
  public var decimals: Int { self == .jpy ? 0 : 2 }
}
