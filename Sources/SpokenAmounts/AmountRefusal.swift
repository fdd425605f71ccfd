/// Why an amount is not said. An amount is said whole and exactly, or not at all.
public enum AmountRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is no plain decimal: `12.`, `1,234.5`, `¥12.50`.
  case notDecimal
  /// More decimals than two were written, or more than the currency has.
  case tooFine
  /// Zero or less was not received.
  case notPositive
  /// 10^13 whole units and more.
  case tooLarge
  /// Its currency has no words here.
  case unknownCurrency

  /// The reason in words.
  public var description: String {
    switch self {
    case .notDecimal: "is not a plain decimal such as 12.50"
    case .tooFine: "has more decimals than its currency"
    case .notPositive: "is not more than zero"
    case .tooLarge: "is too large to be said"
    case .unknownCurrency: "is in a currency that cannot be said"
    }
  }
}
