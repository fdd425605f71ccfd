import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Testing

@Suite("The built-in layouts")
struct OrderLayoutTests {
  private func sample(_ id: String) throws -> Order {
    try DocumentReader.read(Order.self, from: Fixtures.bytes("samples/\(id).json"))
  }

  /// Each block on a line: what it is, how it looks, what it says.
  private func listing(_ receipt: Receipt) -> String {
    func look(_ style: Receipt.Style) -> String {
      (style.bold ? " bold" : "") + (style.width * style.height > 1 ? " \(style.width)x\(style.height)" : "")
    }
    return receipt.blocks.map { block in
      switch block {
      case .text(let text): "text \(text.align)\(look(text.style)): \(text.text)"
      case .columns(let columns):
        "columns\(look(columns.style)): "
          + columns.cells.map { "\($0.text)\($0.width.map { " <\($0)>" } ?? "")" }.joined(separator: " | ")
      case .rule(let rule): "rule \(rule.style)"
      case .image(let image): "image \(image.source)"
      case .qr(let qr): "qr \(qr.data)"
      case .feed(let feed): "feed \(feed.lines)"
      case .cut: "cut"
      case .barcode, .drawer, .beep: "\(block)"
      }
    }.joined(separator: "\n")
  }

  @Test("a Chinese restaurant bill")
  func chinese() throws {
    var order = try sample("20261130-000187")
    order.locale = nil
    order.paidAt = 1_796_013_378
    order.merchant?.logo = "logo.png"
    let layout = OrderLayout(locale: "zh_CN.UTF-8", clock: try WallClock(zone: "Asia/Shanghai"))
    #expect(
      listing(layout.receipt(for: order)) == """
        image named("logo.png")
        text center bold 2x2: 江南小馆
        text center: 绍兴市解放南路 88 号
        text center: 电话 0575-5550 0187
        text center: 结账单
        text left: 单号: A08-187
        text left: 时间: 2026-11-30 12:36:18
        rule single
        columns bold: 品名 | 数量 <5> | 金额 <6>
        columns: 鲜肉小笼包（8只） | 1 <5> | 8.00 <6>
        columns: 现磨豆浆 | 2 <5> | 3.00 <6>
        text left:   2 x 1.50
        columns: 五香茶叶蛋 | 1 <5> | 2.00 <6>
        rule single
        columns: 合计 | ￥13.00 <8>
        columns: 会员优惠 | -￥0.50 <8>
        columns bold 2x2: 实收 | ￥12.50 <16>
        columns: 支付方式 | 微信支付
        rule dotted
        text left: 不要香菜，谢谢。
        feed 1
        qr https://pay.example.cn/invoice/20261130-000187
        feed 1
        text center: 谢谢惠顾，欢迎再次光临！
        cut
        """)
  }

  @Test("what is due stands in capitals below it, on a Chinese receipt in renminbi and no other")
  func capitals() throws {
    let clock = try WallClock(zone: "Asia/Shanghai")
    func lines(_ locale: String, _ change: (inout Order) -> Void = { _ in }) throws -> [String] {
      var order = try sample("20261130-000187")
      order.locale = nil
      change(&order)
      let layout = OrderLayout(locale: locale, clock: clock) { "<\($0.minorUnits)>" }
      return listing(layout.receipt(for: order)).split(separator: "\n").map(String.init)
    }
    let plain = try listing(OrderLayout(locale: "zh", clock: clock).receipt(for: sample("20261130-000187")))
    #expect(!plain.contains("大写"))
    let line = "text left: 大写: 人民币<1250>"
    var chinese = try lines("zh")
    let place = try #require(chinese.firstIndex(of: line))
    #expect(chinese[place - 1].contains("实收 | ￥12.50"))
    chinese.remove(at: place)
    #expect(!chinese.contains { $0.contains("大写") }, "once")
    #expect(try lines("en") { $0.locale = "zh-CN" }.contains(line), "in the order's language")
    #expect(try !lines("zh") { $0.locale = "ja" }.contains { $0.contains("大写") })
    #expect(try !lines("zh-TW").contains { $0.contains("大写") })
    #expect(try !lines("zh") { $0.currency = "EUR" }.contains { $0.contains("大写") })
    #expect(try !lines("zh") { $0.totals = [] }.contains { $0.contains("大写") })
    let unmarked = try lines("zh") { order in
      for index in order.totals.indices { order.totals[index].emphasis = false }
    }
    #expect(unmarked.contains(line), "of the last total where none is marked")
  }

  @Test("a German receipt, in German on a Chinese printer since the order says so")
  func german() throws {
    var order = try sample("20261130-000188")
    order.paidAt = 1_796_013_378
    let layout = OrderLayout(locale: "zh-CN", clock: try WallClock(zone: "Europe/Berlin"))
    #expect(
      listing(layout.receipt(for: order)) == """
        text center bold 2x2: Bäckerei Grün & Söhne
        text center: Große Straße 12, 49074 Osnabrück
        text center: USt-IdNr. DE 000 000 000
        text center: Beleg
        text left: Beleg-Nr.: 2026/4711
        text left: Datum: 30.11.2026 05:36
        rule single
        columns: Käsebrötchen | 3,90 <6>
        text left:   2 x 1,95
        columns: Äpfel Boskoop, Herkunft Altes Land, je kg | 2,24 <6>
        text left:   0,750 x 2,99
        columns: Müsliriegel Haselnuss | 1,49 <6>
        columns: Pfandrückgabe | -0,75 <6>
        text left:   3 x -0,25
        rule single
        columns: Netto | 6,43 € <7>
        columns: MwSt 7 % | 0,45 € <7>
        columns bold 2x2: Summe | 6,88 € <14>
        columns: Bezahlt mit | Karte
        rule dotted
        text left: Öffnungszeiten: Mo–Sa 6:30–18:30 Uhr
        feed 1
        text center: Vielen Dank für Ihren Einkauf!
        cut
        """)
  }

  @Test("an order's own receipt is printed as it is")
  func readyMade() throws {
    let order = try sample("20261130-000189")
    #expect(OrderLayout(locale: "de", clock: .utc).receipt(for: order) == order.receipt)
  }

  @Test(
    "money is written as the country writes it",
    arguments: [
      ("de", "EUR", "1234567.89", "1.234.567,89 €"), ("fr", "EUR", "1234.50", "1 234,50 €"),
      ("es", "EUR", "-0.05", "-0,05 €"),
      ("de", "CHF", "12.50", "12,50 CHF"), ("en", "EUR", "1234.50", "€1,234.50"),
      ("en", "GBP", "-5.80", "-£5.80"),
      ("en", "USD", "1000", "$1,000"), ("en", "CNY", "12.50", "CNY 12.50"), ("zh", "CNY", "0.05", "￥0.05"),
      ("zh-TW", "TWD", "1200", "NT$1,200"), ("ja", "JPY", "12500", "￥12,500"),
      ("ja", "CNY", "1.5", "CNY 1.5"),
      ("en", "XXX", "999", "999"), ("pt", "EUR", "1.00", "€1.00"),
    ])
  func money(locale: String, currency: String, amount: String, expected: String) throws {
    let total = Order.Total(label: "T", amount: try #require(Money(amount)))
    let order = Order(id: "1", currency: currency, items: [], totals: [total])
    let blocks = OrderLayout(locale: locale, clock: .utc).receipt(for: order).blocks
    #expect(
      blocks.contains {
        if case .columns(let columns) = $0 { columns.cells.last?.text == expected } else { false }
      })
  }

  @Test(
    "each language has its words, for each way to pay",
    arguments: ["en", "de", "fr", "es", "zh", "zh-Hant-HK", "ja", "xx", ""])
  func words(locale: String) {
    let layout = OrderLayout(locale: locale, clock: .utc)
    for type in ["1", "2", "5", "card", "cash", "Twint"] {
      let order = Order(id: "1", currency: "EUR", payType: type, items: [], totals: [])
      let text = listing(layout.receipt(for: order))
      #expect(!text.contains(": \n") && !text.contains("|  "))
      #expect(type != "Twint" || text.contains("Twint"))
    }
    #expect(layout.copyMark(2).contains("COPY 2"))
  }

  @Test("the total stays on the paper, however long it is")
  func wideTotal() throws {
    for amount in ["0.01", "12.50", "99999.99", "9999999999999.9999"] {
      for locale in ["de", "zh", "en"] {
        let total = Order.Total(
          label: "Gesamtbetrag inkl. MwSt", amount: try #require(Money(amount)), emphasis: true)
        let order = Order(id: "1", currency: "EUR", items: [], totals: [total])
        for block in OrderLayout(locale: locale, clock: .utc).receipt(for: order).blocks {
          guard case .columns(let columns) = block else { continue }
          let fixed = columns.cells.compactMap(\.width).reduce(0, +)
          #expect(fixed <= 28)
        }
      }
    }
  }

  @Test("a line break in a name does not break the table")
  func oneLine() {
    let item = Order.Item(
      name: "Tea\nFREE\u{1B}p\u{0}", quantity: Money(minorUnits: 1, decimals: 0),
      amount: Money(minorUnits: 100, decimals: 2))
    let order = Order(id: "1", currency: "EUR", items: [item], totals: [])
    #expect(listing(OrderLayout(locale: "en", clock: .utc).receipt(for: order)).contains("Tea FREE p "))
  }

  @Test("the kitchen sees names and quantities, and no prices")
  func kitchen() throws {
    let ticket = OrderLayout(locale: "zh", clock: .utc).kitchenTicket(for: try sample("20261130-000187"))
    #expect(
      listing(ticket) == """
        text center: 厨房单
        text center bold 2x2: A08-187
        rule double
        columns bold 1x2: 1 x <3> |  鲜肉小笼包（8只）
        columns bold 1x2: 2 x <3> |  现磨豆浆
        columns bold 1x2: 1 x <3> |  五香茶叶蛋
        rule single
        text left bold 1x2: 不要香菜，谢谢。
        cut
        """)
  }
}
