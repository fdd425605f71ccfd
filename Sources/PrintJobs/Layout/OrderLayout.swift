public import ESCPOS

/// The built-in layouts: an order as a receipt in the manner of a country.
public struct OrderLayout: Sendable {
  private let words: PaperWords
  private let format: PaperFormat
  private let clock: WallClock
  private let capitals: (@Sendable (Money) -> String?)?

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - locale: `zh`, `zh-TW`, `de-AT`, `fr`, `es`, `ja`, `en`, also as `de_DE.UTF-8`; English for any other.
  ///   - clock: The clock of the shop, for the time of payment.
  ///   - capitals: Writes an amount of renminbi in financial capitals (大写), for the total of a receipt in simplified Chinese;
  ///     nil where the shop wants none.
  public init(
    locale: String, clock: WallClock, capitals: (@Sendable (Money) -> String?)? = nil
  ) {
    let language = PaperLanguage(locale: locale)
    self.words = PaperWords(language)
    self.format = PaperFormat(language: language)
    self.clock = clock
    self.capitals = capitals
  }

  /// The receipt of an order: its own when it brings one, else the built-in one, in the order's language when it names one.
  ///
  /// Nothing of the order is left out: what is too long for its place is wrapped there.
  public func receipt(for order: Order) -> Receipt {
    if let receipt = order.receipt { return receipt }
    return order.locale.map { OrderLayout(locale: $0, clock: clock, capitals: capitals) }?.builtIn(order)
      ?? builtIn(order)
  }

  private func builtIn(_ order: Order) -> Receipt {
    var blocks = head(order.merchant)
    blocks.append(.text(Receipt.Text(words.title, align: .center)))
    blocks += facts(order)
    blocks.append(.rule(Receipt.Rule()))
    blocks += items(order)
    blocks.append(.rule(Receipt.Rule()))
    blocks += totals(order)
    if let type = order.payType {
      blocks.append(
        .columns(Receipt.Columns([cell(words.payment), cell(words.payType(type), align: .right)])))
    }
    if let note = order.note {
      blocks += [.rule(Receipt.Rule(.dotted)), .text(Receipt.Text(note))]
    }
    if let qr = order.qr { blocks += [.feed(Receipt.Feed()), .qr(Receipt.QRCode(qr))] }
    blocks += [.feed(Receipt.Feed()), .text(Receipt.Text(words.thanks, align: .center)), .cut(Receipt.Cut())]
    return Receipt(blocks: blocks)
  }

  /// What the kitchen needs of an order: number, time, names and quantities in large letters, the note; no prices.
  public func kitchenTicket(for order: Order) -> Receipt {
    let large = Receipt.Style(bold: true, width: 2, height: 2)
    let tall = Receipt.Style(bold: true, height: 2)
    var blocks: [Receipt.Block] = [
      .text(Receipt.Text(words.kitchen, align: .center)),
      .text(Receipt.Text(Self.line(order.number ?? order.id), align: .center, style: large)),
    ]
    if let paidAt = order.paidAt {
      blocks.append(.text(Receipt.Text(format.time(clock.time(at: paidAt)), align: .center)))
    }
    blocks.append(.rule(Receipt.Rule(.double)))
    for item in order.items {
      let quantity = "\(format.quantity(item.quantity)) x"
      blocks.append(
        .columns(
          Receipt.Columns(
            [cell(quantity, align: .right, width: Self.columns(quantity)), cell(" " + Self.line(item.name))],
            style: tall)))
    }
    if let note = order.note {
      blocks += [.rule(Receipt.Rule()), .text(Receipt.Text(note, style: tall))]
    }
    blocks.append(.cut(Receipt.Cut()))
    return Receipt(blocks: blocks)
  }

  /// What marks copy `number` on the paper: `COPY 2 / 补打 2`, in English too, so that a stranger sees it.
  public func copyMark(_ number: Int) -> String {
    words.copy == "COPY" ? "COPY \(number)" : "COPY \(number) / \(words.copy) \(number)"
  }

  private func head(_ merchant: Order.Merchant?) -> [Receipt.Block] {
    guard let merchant else { return [] }
    var blocks: [Receipt.Block] = []
    if let logo = merchant.logo {
      blocks.append(.image(Receipt.Image(.named(logo), dither: .threshold)))
    }
    if !merchant.name.isEmpty {
      blocks.append(
        .text(
          Receipt.Text(
            Self.line(merchant.name), align: .center, style: Receipt.Style(bold: true, width: 2, height: 2))))
    }
    return blocks + merchant.lines.map { .text(Receipt.Text(Self.line($0), align: .center)) }
  }

  private func facts(_ order: Order) -> [Receipt.Block] {
    var facts = ["\(words.number): \(Self.line(order.number ?? order.id))"]
    if let paidAt = order.paidAt { facts.append("\(words.time): \(format.time(clock.time(at: paidAt)))") }
    return facts.map { .text(Receipt.Text($0)) }
  }

  private func items(_ order: Order) -> [Receipt.Block] {
    let amounts = order.items.map { format.amount($0.amount) }
    let quantities = order.items.map { format.quantity($0.quantity) }
    // Two columns between quantity and amount: "1 8.00" would be read as 18.00.
    let amountWidth =
      format.language.hasTable
      ? Self.width(of: amounts + [words.amount]) + 1 : Self.width(of: amounts)
    let quantityWidth = Self.width(of: quantities + [words.quantity])
    var blocks: [Receipt.Block] = []
    if format.language.hasTable {
      blocks.append(
        .columns(
          Receipt.Columns(
            [
              cell(words.item), cell(words.quantity, align: .right, width: quantityWidth),
              cell(words.amount, align: .right, width: amountWidth),
            ], style: Receipt.Style(bold: true))))
    }
    for (item, (quantity, amount)) in zip(order.items, zip(quantities, amounts)) {
      var cells = [cell(Self.line(item.name))]
      if format.language.hasTable { cells.append(cell(quantity, align: .right, width: quantityWidth)) }
      cells.append(cell(amount, align: .right, width: amountWidth))
      blocks.append(.columns(Receipt.Columns(cells)))
      if quantity != "1" {
        if let price = item.unitPrice {
          blocks.append(.text(Receipt.Text("  \(quantity) x \(format.amount(price))")))
        } else if !format.language.hasTable {
          blocks.append(.text(Receipt.Text("  \(quantity) x")))
        }
      }
    }
    return blocks
  }

  private func totals(_ order: Order) -> [Receipt.Block] {
    let due = order.totals.lastIndex { $0.emphasis } ?? order.totals.indices.last
    return order.totals.indices.flatMap { index in
      [line(of: order.totals[index], in: order.currency)]
        + (index == due ? inCapitals(order.totals[index].amount, order.currency) : [])
    }
  }

  /// What is due, once more, as a voucher has it: 人民币 stands right before the capitals.
  private func inCapitals(_ amount: Money, _ currency: String) -> [Receipt.Block] {
    guard format.language == .zh, currency == "CNY", let text = capitals?(amount) else { return [] }
    return [.text(Receipt.Text("大写: 人民币\(text)"))]
  }

  private func line(of total: Order.Total, in currency: String) -> Receipt.Block {
    let amount = format.money(total.amount, currency: currency)
    let label = Self.line(total.label)
    // Wide letters only where both fit side by side on the narrowest paper.
    let fits = 2 * (Self.columns(label) + 1 + Self.columns(amount)) <= Self.narrowestPaper
    let style =
      total.emphasis ? Receipt.Style(bold: true, width: fits ? 2 : 1, height: 2) : Receipt.Style()
    return .columns(
      Receipt.Columns(
        [cell(label), cell(amount, align: .right, width: Self.width(of: [amount]) * style.width)],
        style: style))
  }

  private func cell(_ text: String, align: Receipt.Alignment = .left, width: Int? = nil)
    -> Receipt.Columns.Cell
  {
    Receipt.Columns.Cell(text, align: align, width: width)
  }

  /// Columns of 58 mm paper.
  private static let narrowestPaper = 32
  /// The most columns that amounts and quantities may take from the names; longer ones wrap.
  private static let widestNumber = 16

  /// Columns for the widest of `texts` and the gap before it.
  private static func width(of texts: [String]) -> Int {
    min(texts.map(columns).max() ?? 0, widestNumber) + 1
  }

  /// Columns of a text: East Asian characters take two. Exact for the numbers and words that are set here; names are
  /// measured by the renderer.
  private static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
  }

  /// A text that belongs on one line: line breaks and other control characters become spaces.
  private static func line(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
