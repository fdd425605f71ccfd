public import SpokenAmounts

/// What is said when payments have become too old to be said one by one.
public enum MissedPayments {
  /// "3 payments were not announced."
  public static func text(_ count: Int, in language: SpokenLanguage) -> String {
    switch language {
    case .mandarin: "有\(count)笔收款没有播报"
    case .cantonese: "有\(count)筆收款沒有播報"
    case .english: count == 1 ? "One payment was not announced" : "\(count) payments were not announced"
    case .german:
      count == 1 ? "Eine Zahlung wurde nicht angesagt" : "\(count) Zahlungen wurden nicht angesagt"
    case .french: count == 1 ? "Un paiement n'a pas été annoncé" : "\(count) paiements n'ont pas été annoncés"
    case .spanish: count == 1 ? "Un cobro no se ha anunciado" : "\(count) cobros no se han anunciado"
    case .japanese: "おしらせしていないおしはらいが\(count)けんあります"
    }
  }
}
