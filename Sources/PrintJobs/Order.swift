public import ESCPOS

/// A paid order, as the shop's backend returns it. JSON Schema: `Docs/schema/order.schema.json`.
///
/// Other people's document: it may carry more than is read here, but what is read must be right.
public struct Order: Equatable, Sendable {
  /// The order's id.
  public var id: String
  /// The number that people call it by, when it differs from the id.
  public var number: String?
  /// ISO 4217 code: `CNY`, `EUR`.
  public var currency: String
  /// When it was paid, seconds since 1970, from an RFC 3339 string.
  public var paidAt: Double?
  /// The shop.
  public var merchant: Merchant?
  /// How it was paid: 1, 3 WeChat; 2, 4 Alipay; 5 member card; or a word such as `card`.
  public var payType: String?
  /// The language of the paper, when it is not the shop's: `de-DE`.
  public var locale: String?
  /// What was bought.
  public var items: [Item]
  /// Lines under the items, the last of them usually the total.
  public var totals: [Total]
  /// Free text under the totals.
  public var note: String?
  /// What a QR code at the end holds.
  public var qr: String?
  /// The receipt, ready-made; instead of the built-in layout.
  public var receipt: Receipt?

  /// The shop as its name stands on the paper.
  public struct Merchant: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Address, telephone, tax number: a line each.
    public var lines: [String]
    /// The name of a picture in the image folder.
    public var logo: String?

    /// Creates a shop.
    public init(name: String, lines: [String] = [], logo: String? = nil) {
      self.name = name
      self.lines = lines
      self.logo = logo
    }
  }

  /// One thing bought.
  public struct Item: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// How many, as a plain decimal: `1`, `0.350`.
    public var quantity: Money
    /// The price of one.
    public var unitPrice: Money?
    /// The price of all.
    public var amount: Money

    /// Creates an item.
    public init(name: String, quantity: Money, unitPrice: Money? = nil, amount: Money) {
      self.name = name
      self.quantity = quantity
      self.unitPrice = unitPrice
      self.amount = amount
    }
  }

  /// One line under the items.
  public struct Total: Equatable, Sendable {
    /// What it is: `Total`, `MwSt 19 %`.
    public var label: String
    /// How much.
    public var amount: Money
    /// Whether it is the one to be seen from afar.
    public var emphasis: Bool

    /// Creates a line.
    public init(label: String, amount: Money, emphasis: Bool = false) {
      self.label = label
      self.amount = amount
      self.emphasis = emphasis
    }
  }

  /// Creates an order.
  public init(
    id: String, number: String? = nil, currency: String, paidAt: Double? = nil, merchant: Merchant? = nil,
    payType: String? = nil, items: [Item], totals: [Total], note: String? = nil, qr: String? = nil,
    locale: String? = nil, receipt: Receipt? = nil
  ) {
    self.id = id
    self.number = number
    self.currency = currency
    self.paidAt = paidAt
    self.merchant = merchant
    self.payType = payType
    self.items = items
    self.totals = totals
    self.note = note
    self.qr = qr
    self.locale = locale
    self.receipt = receipt
  }
}
