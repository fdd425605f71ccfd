/// The languages of the built-in layout.
enum PaperLanguage: String, Sendable, CaseIterable {
  case en, de, fr, es, zh, zhHant, ja

  /// The language of a locale such as `de`, `de-AT`, `zh_TW.UTF-8` or `zh-Hant`; English for any other.
  init(locale: String) {
    let tag = locale.split(separator: ".").first.map { $0.lowercased() } ?? ""
    let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" })
    guard let language = parts.first else {
      self = .en
      return
    }
    let traditional = parts.dropFirst().contains { ["hant", "tw", "hk", "mo"].contains($0) }
    self = language == "zh" && traditional ? .zhHant : PaperLanguage(rawValue: String(language)) ?? .en
  }

  /// Whether the items are set as a table with a head and a column for the quantity, as in East Asia.
  var hasTable: Bool { [.zh, .zhHant, .ja].contains(self) }
}

/// The fixed words on the paper.
struct PaperWords: Sendable {
  var title, number, time, payment, item, quantity, amount, thanks, kitchen, copy: String
  var weChat, alipay, memberCard, card, cash: String

  /// The words of a language.
  init(_ language: PaperLanguage) {
    switch language {
    case .en:
      (title, number, time, payment) = ("Receipt", "No.", "Date", "Paid with")
      (item, quantity, amount) = ("Item", "Qty", "Amount")
      (thanks, kitchen, copy) = ("Thank you for your visit!", "Kitchen", "COPY")
      (weChat, alipay, memberCard, card, cash) = ("WeChat Pay", "Alipay", "Member card", "Card", "Cash")
    case .de:
      (title, number, time, payment) = ("Beleg", "Beleg-Nr.", "Datum", "Bezahlt mit")
      (item, quantity, amount) = ("Artikel", "Anz.", "Betrag")
      (thanks, kitchen, copy) = ("Vielen Dank für Ihren Einkauf!", "Küche", "KOPIE")
      (weChat, alipay, memberCard, card, cash) = ("WeChat Pay", "Alipay", "Kundenkarte", "Karte", "Bar")
    case .fr:
      (title, number, time, payment) = ("Ticket", "N°", "Date", "Payé par")
      (item, quantity, amount) = ("Article", "Qté", "Montant")
      (thanks, kitchen, copy) = ("Merci de votre visite !", "Cuisine", "DUPLICATA")
      (weChat, alipay, memberCard, card, cash) = (
        "WeChat Pay", "Alipay", "Carte de fidélité", "Carte", "Espèces"
      )
    case .es:
      (title, number, time, payment) = ("Recibo", "N.º", "Fecha", "Pagado con")
      (item, quantity, amount) = ("Artículo", "Cant.", "Importe")
      (thanks, kitchen, copy) = ("¡Gracias por su visita!", "Cocina", "COPIA")
      (weChat, alipay, memberCard, card, cash) = (
        "WeChat Pay", "Alipay", "Tarjeta de socio", "Tarjeta", "Efectivo"
      )
    case .zh:
      (title, number, time, payment) = ("结账单", "单号", "时间", "支付方式")
      (item, quantity, amount) = ("品名", "数量", "金额")
      (thanks, kitchen, copy) = ("谢谢惠顾，欢迎再次光临！", "厨房单", "补打")
      (weChat, alipay, memberCard, card, cash) = ("微信支付", "支付宝", "会员卡", "银行卡", "现金")
    case .zhHant:
      (title, number, time, payment) = ("結帳單", "單號", "時間", "付款方式")
      (item, quantity, amount) = ("品名", "數量", "金額")
      (thanks, kitchen, copy) = ("謝謝惠顧，歡迎再次光臨！", "廚房單", "補印")
      (weChat, alipay, memberCard, card, cash) = ("微信支付", "支付寶", "會員卡", "信用卡", "現金")
    case .ja:
      (title, number, time, payment) = ("領収書", "番号", "日時", "お支払い")
      (item, quantity, amount) = ("品名", "数量", "金額")
      (thanks, kitchen, copy) = ("ありがとうございました", "厨房伝票", "再発行")
      (weChat, alipay, memberCard, card, cash) = ("WeChat Pay", "Alipay", "会員カード", "カード", "現金")
    }
  }

  /// The word for a way to pay; one that is not known stands as it came.
  func payType(_ type: String) -> String {
    switch type.lowercased() {
    case "1", "3", "wechat", "wx", "weixin": weChat
    case "2", "4", "alipay", "zfb": alipay
    case "5", "vip", "member": memberCard
    case "card": card
    case "cash": cash
    default: type
    }
  }
}
