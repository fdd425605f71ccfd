import Announcer
import ESCPOS
import PrintJobs
import SpokenAmounts
import Testing

/// A payment that has just come.
func payment(
  _ amount: String?, payType: String? = nil, order: String? = nil, currency: String? = nil,
  text: String? = nil,
  sound: String? = nil, refund: Bool = false, id: String = "p1"
) -> Announcement {
  Announcement(
    id: id, payType: payType, amount: amount.flatMap { Money($0) }, orderAmount: order.flatMap { Money($0) },
    currency: currency, text: text, soundName: sound, receivedAt: BootInstant(nanoseconds: 0),
    isRefund: refund)
}

extension Phrasebook {
  static let mandarin = Phrasebook(reader: AmountReader(language: .mandarin, currency: .cny))
  static let english = Phrasebook(reader: AmountReader(language: .english, currency: .eur))

  /// The words of the phrase, or nil for any other saying.
  func phrase(_ announcement: Announcement) -> String? {
    if case .phrase(let words) = saying(for: announcement) { words.text } else { nil }
  }
}

@Suite("What is said of a payment")
struct PhrasebookTests {
  @Test(
    "depends on the way of paying",
    arguments: [
      ("1", "微信收款十二点五元"), ("3", "微信收款十二点五元"), ("wx", "微信收款十二点五元"), ("2", "支付宝收款十二点五元"),
      ("4", "支付宝收款十二点五元"), ("ZFB", "支付宝收款十二点五元"), ("5", "会员卡收款十二点五元"), ("card", "刷卡收款十二点五元"),
      ("cash", "现金收款十二点五元"), ("refund", "退款十二点五元"), ("", "收款十二点五元"),
    ])
  func payTypes(_ payType: String, _ expected: String) {
    #expect(Phrasebook.mandarin.phrase(payment("12.50", payType: payType)) == expected)
  }

  @Test(
    "is one phrase in every language",
    arguments: [
      (SpokenLanguage.cantonese, SpokenCurrency.hkd, "信用卡收款十二點五港元"),
      (.english, .eur, "Received twelve euros and fifty cents by card"),
      (.german, .eur, "Zahlung mit Karte: zwölf Euro fünfzig"),
      (.french, .eur, "Reçu douze euros cinquante par carte"),
      (.spanish, .eur, "Cobro con tarjeta: doce euros con cincuenta céntimos"),
      (.japanese, .eur, "カードで十二ユーロ五十セントうけとりました"),
    ])
  func languages(_ language: SpokenLanguage, _ currency: SpokenCurrency, _ expected: String) {
    let book = Phrasebook(reader: AmountReader(language: language, currency: currency))
    #expect(book.phrase(payment("12.50", payType: "card")) == expected)
  }

  @Test("has the order's amount behind the one that was received")
  func order() {
    #expect(
      Phrasebook.mandarin.phrase(payment("10", payType: "wx", order: "12.50")) == "微信收款十元，订单金额十二点五元")
    #expect(
      Phrasebook.english.phrase(payment("10", order: "12.50"))
        == "Received ten euros, order amount twelve euros and fifty cents")
  }

  @Test(
    "is whole without an order's amount that cannot be said",
    arguments: ["0", "-1", "12.345", "1000000000000"])
  func badOrder(_ order: String) {
    #expect(Phrasebook.mandarin.phrase(payment("10", payType: "wx", order: order)) == "微信收款十元")
  }

  @Test("has the shop's name before it where there is one")
  func brand() {
    var book = Phrasebook.mandarin
    book.brand = "小店"
    #expect(book.phrase(payment("1", payType: "wx")) == "小店微信收款一元")
  }

  @Test("has the shop's own words, and its own ways of paying")
  func ownWords() throws {
    var book = Phrasebook.english
    book.templates.templates[.card] = try PhraseTemplate("Ta! {amount}  on the card.")
    book.payTypes = ["9": .card, "1": .cash]
    #expect(book.phrase(payment("1", payType: "9")) == "Ta! one euro on the card.")
    #expect(book.phrase(payment("1", payType: "1")) == "Received one euro in cash")
  }

  @Test("is the alert where nobody knows the way of paying")
  func unknownWay() {
    let saying = Phrasebook.mandarin.saying(for: payment("12.50", payType: "77", text: "新方式收款12.50元"))
    #expect(saying == .text("新方式收款12.50元"))
    #expect(Phrasebook.mandarin.phrase(payment("12.50", payType: "77")) == "收款十二点五元")
  }

  @Test("is the text where there is no amount, and nothing where there is neither")
  func noAmount() {
    #expect(Phrasebook.mandarin.saying(for: payment(nil, text: "打烊了")) == .text("打烊了"))
    #expect(Phrasebook.mandarin.saying(for: payment(nil)) == .nothing(reason: nil))
    #expect(Phrasebook.mandarin.saying(for: payment(nil, text: "")) == .nothing(reason: nil))
  }

  @Test("names the currency that the payment has")
  func currency() {
    #expect(Phrasebook.mandarin.phrase(payment("12.50", currency: "USD")) == "收款十二点五美元")
  }

  @Test(
    "leaves an amount out that cannot be said whole",
    arguments: [
      ("12.345", nil, "has more decimals than its currency"),
      ("12", "BRL", "is in a currency that cannot be said"),
      ("1000000000000", nil, "is too large to be said"), ("9999999999999", nil, "is too large to be said"),
    ] as [(String, String?, String)])
  func fixed(_ amount: String, _ currency: String?, _ fault: String) throws {
    guard
      case .fixed(let words, let reason) = Phrasebook.mandarin.saying(
        for: payment(amount, currency: currency))
    else {
      Issue.record("\(amount) is said")
      return
    }
    #expect(words.text == "收款成功")
    #expect(reason == "the amount \(fault)", "no amount, since this is logged")
  }

  @Test("is nothing for zero, whatever the alert says and however it was paid", arguments: ["wx", "77"])
  func zeroWithText(_ payType: String) {
    let saying = Phrasebook.mandarin.saying(for: payment("0.00", payType: payType, text: "收款0元"))
    #expect(saying == .nothing(reason: "the amount is not more than zero"))
  }

  @Test("is never a receipt of nothing", arguments: ["0", "0.00", "-12.50"])
  func nothingReceived(_ amount: String) throws {
    guard case .nothing(let reason?) = Phrasebook.mandarin.saying(for: payment(amount, payType: "wx")) else {
      Issue.record("\(amount) was announced")
      return
    }
    #expect(reason == "the amount is not more than zero", "no amount, since this is logged")
  }

  @Test(
    "says of a refund that it is one, whichever sign it was written with", arguments: ["12.50", "-12.50"])
  func refund(_ amount: String) {
    #expect(Phrasebook.mandarin.phrase(payment(amount, payType: "wx", refund: true)) == "退款十二点五元")
    guard case .fixed(let words, _) = Phrasebook.mandarin.saying(for: payment("12.345", refund: true)) else {
      Issue.record("it is said")
      return
    }
    #expect(words.text == "退款成功")
  }

  @Test(
    "is refused as a template without one place for the amount",
    arguments: [
      "收款", "{amount}{amount}", "{amount", "{sum} {amount}", String(repeating: "很", count: 100) + "{amount}",
    ])
  func templates(_ text: String) {
    #expect(throws: PhraseTemplate.Fault.self) { try PhraseTemplate(text) }
  }

  @Test("has no two pieces of one name", arguments: SpokenLanguage.allCases)
  func pieces(_ language: SpokenLanguage) {
    for currency in SpokenCurrency.allCases {
      let book = Phrasebook(
        reader: AmountReader(language: language, currency: currency, usesJiaoAndFen: true, usesLiang: true),
        brand: "A1")
      let ids = (book.phrases + book.numbers).map(\.id)
      #expect(Set(ids).count == ids.count)
      #expect(ids.allSatisfy { id in id.utf8.allSatisfy { $0 < 0x80 } && !id.isEmpty && !id.contains("/") })
    }
  }
}
