public import SpokenAmounts

/// What is said around an amount, for each kind of payment.
public struct PhraseTemplates: Sendable, Equatable {
  /// The kinds of payment that have phrases of their own.
  public enum Kind: String, Sendable, CaseIterable {
    /// WeChat Pay.
    case wx
    /// Alipay.
    case zfb
    /// A member's card.
    case vipcard
    /// A bank card.
    case card
    /// Cash.
    case cash
    /// Any other, or none named.
    case other
    /// Money that went back.
    case refund
    /// Said behind the payment: what the order came to.
    case order
  }

  /// The phrase of each kind.
  public var templates: [Kind: PhraseTemplate]
  /// Said where an amount was received that cannot be said.
  public var fixed: String
  /// Said where an amount went back that cannot be said.
  public var fixedRefund: String

  /// The phrase of a kind.
  func template(_ kind: Kind) -> PhraseTemplate { templates[kind] ?? PhraseTemplate(before: "") }

  /// The phrases that come with printd.
  ///
  /// Japanese is in kana, because the synthesiser cannot read characters.
  public static func standard(_ language: SpokenLanguage) -> PhraseTemplates {
    switch language {
    case .mandarin:
      prefixes(
        ["微信收款", "支付宝收款", "会员卡收款", "刷卡收款", "现金收款", "收款", "退款", "，订单金额"], fixed: "收款成功", "退款成功")
    case .cantonese:
      prefixes(
        ["微信收款", "支付寶收款", "會員卡收款", "信用卡收款", "現金收款", "收款", "退款", "，訂單金額"], fixed: "收款成功", "退款成功")
    case .english:
      around(
        "Received", ["by WeChat Pay", "by Alipay", "by member card", "by card", "in cash", ""],
        refund: "Refunded",
        order: ", order amount", fixed: "Payment received", "Refund made")
    case .german:
      prefixes(
        [
          "Zahlung mit WeChat Pay:", "Zahlung mit Alipay:", "Zahlung mit Kundenkarte:", "Zahlung mit Karte:",
          "Barzahlung:", "Zahlung erhalten:", "Erstattet:", ", Bestellwert",
        ], fixed: "Zahlung erhalten", "Zahlung erstattet")
    case .french:
      around(
        "Reçu", ["par WeChat Pay", "par Alipay", "par carte de membre", "par carte", "en espèces", ""],
        refund: "Remboursé", order: ", montant de la commande", fixed: "Paiement reçu",
        "Remboursement effectué")
    case .spanish:
      prefixes(
        [
          "Cobro por WeChat Pay:", "Cobro por Alipay:", "Cobro con tarjeta de socio:", "Cobro con tarjeta:",
          "Cobro en efectivo:", "Cobro recibido:", "Reembolso:", ", importe del pedido",
        ], fixed: "Pago recibido", "Reembolso realizado")
    case .japanese:
      PhraseTemplates(
        templates: [
          .wx: .init(before: "ウィーチャットペイで", after: "うけとりました"), .zfb: .init(before: "アリペイで", after: "うけとりました"),
          .vipcard: .init(before: "かいいんカードで", after: "うけとりました"),
          .card: .init(before: "カードで", after: "うけとりました"),
          .cash: .init(before: "げんきんで", after: "うけとりました"), .other: .init(before: "", after: "うけとりました"),
          .refund: .init(before: "", after: "へんきんしました"), .order: .init(before: "、ごちゅうもんは"),
        ], fixed: "おしはらいをうけとりました", fixedRefund: "へんきんしました")
    }
  }

  /// Phrases before the amount, in the order of the kinds.
  private static func prefixes(_ texts: [String], fixed: String, _ fixedRefund: String) -> PhraseTemplates {
    let templates = zip(Kind.allCases, texts).map { ($0, PhraseTemplate(before: $1)) }
    return PhraseTemplates(
      templates: Dictionary(uniqueKeysWithValues: templates), fixed: fixed, fixedRefund: fixedRefund)
  }

  /// One word before the amount, and the kind of payment behind it.
  private static func around(
    _ before: String, _ after: [String], refund: String, order: String, fixed: String, _ fixedRefund: String
  ) -> PhraseTemplates {
    var templates = Dictionary(
      uniqueKeysWithValues: zip(Kind.allCases, after).map { ($0, PhraseTemplate(before: before, after: $1)) })
    templates[.refund] = PhraseTemplate(before: refund)
    templates[.order] = PhraseTemplate(before: order)
    return PhraseTemplates(templates: templates, fixed: fixed, fixedRefund: fixedRefund)
  }
}
