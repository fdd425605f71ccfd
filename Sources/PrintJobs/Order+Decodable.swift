import ESCPOS

extension Order {
  /// The most items of an order.
  public static let maximumItems = 10_000
  /// The most lines under the items.
  public static let maximumTotals = 500
}

extension Order: Decodable {
  /// Reads an order. Unknown fields are passed over, and `null` stands for a missing one.
  ///
  /// `currency` and `items` may be missing when there is a ready-made `receipt`; the currency is then `XXX`, the
  /// ISO 4217 code for none.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, null: .absent)
    let receipt = try fields.optional("receipt", as: Receipt.self)
    let items = try fields.list("items", of: Item.self, limit: Self.maximumItems)
    if items == nil, receipt == nil { throw fields.fault("items", "is missing") }
    self.init(
      id: try fields.orderID(), number: try fields.stringOrNumber("number", bytes: 0...128)?.nonEmpty,
      currency: try fields.currency(required: receipt == nil), paidAt: try fields.time("paid_at"),
      merchant: try fields.optional("merchant"),
      payType: try fields.stringOrNumber("pay_type", bytes: 0...64)?.nonEmpty, items: items ?? [],
      totals: try fields.list("totals", limit: Self.maximumTotals) ?? [],
      note: try fields.text("note"), qr: try fields.optionalString("qr", bytes: 0...2_953)?.nonEmpty,
      locale: try fields.optionalString("locale", bytes: 0...64)?.nonEmpty, receipt: receipt)
  }
}

extension Order.Merchant: Decodable {
  /// Reads a shop.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, null: .absent)
    let logo = try fields.optionalString("logo", bytes: 0...255)?.nonEmpty
    if let logo, !Receipt.Image.Source.isName(logo) {
      throw fields.fault("logo", "expected the name of a file in the image folder, such as \"logo.png\"")
    }
    self.init(
      name: try fields.string("name", bytes: 0...Order.textBytes),
      lines: try fields.list("lines", limit: 100) ?? [], logo: logo)
  }
}

extension Order.Item: Decodable {
  /// Reads an item; its quantity is 1 when missing.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, null: .absent)
    self.init(
      name: try fields.string("name", bytes: 0...Order.textBytes), quantity: try fields.quantity(),
      unitPrice: try fields.optionalMoney("unit_price"), amount: try fields.money("amount"))
  }
}

extension Order.Total: Decodable {
  /// Reads a line under the items.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, null: .absent)
    self.init(
      label: try fields.string("label", bytes: 0...Order.textBytes), amount: try fields.money("amount"),
      emphasis: try fields.flag("emphasis"))
  }
}

extension Order {
  fileprivate static let textBytes = 4_096
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension DocumentFields {
  private static let moneyExpected = #"expected a decimal string such as "12.50""#

  fileprivate func money(_ key: String) throws -> Money {
    guard has(key) else { throw fault(key, "is missing; \(Self.moneyExpected)") }
    guard let text = try? value(key, as: String.self), let money = Money(text) else {
      throw fault(key, Self.moneyExpected)
    }
    return money
  }

  fileprivate func optionalMoney(_ key: String) throws -> Money? {
    has(key) ? try money(key) : nil
  }

  fileprivate func quantity() throws -> Money {
    guard has("quantity") else { return Money(minorUnits: 1, decimals: 0) }
    let written =
      (try? value("quantity", as: String.self)) ?? (try? value("quantity", as: Int64.self)).map(String.init)
    guard let written, let quantity = Money(written) else {
      throw fault("quantity", #"expected a whole number or a decimal string such as "0.350""#)
    }
    return quantity
  }

  fileprivate func stringOrNumber(_ key: String, bytes: ClosedRange<Int>) throws -> String? {
    guard has(key) else { return nil }
    if let number = try? value(key, as: Int64.self) { return String(number) }
    guard (try? value(key, as: String.self)) != nil else {
      throw fault(key, "expected a string or a whole number")
    }
    let text = try string(key, bytes: bytes)
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }) else {
      throw fault(key, "must not have control characters")
    }
    return text
  }

  fileprivate func orderID() throws -> String {
    guard let id = try stringOrNumber("id", bytes: 1...128) else { throw fault("id", "is missing") }
    return id
  }

  fileprivate func currency(required: Bool) throws -> String {
    guard has("currency") || required else { return "XXX" }
    let code = has("currency") ? try? value("currency", as: String.self) : nil
    guard let code, code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw fault("currency", #"expected an ISO 4217 code such as "EUR""#)
    }
    return code
  }

  fileprivate func time(_ key: String) throws -> Double? {
    guard has(key) else { return nil }
    guard let text = try? value(key, as: String.self), let time = RFC3339.seconds(text) else {
      throw fault(key, #"expected an RFC 3339 time such as "2026-11-30T12:36:18+08:00""#)
    }
    return time
  }

  fileprivate func text(_ key: String) throws -> String? {
    try optionalString(key, bytes: 0...Receipt.maximumTextBytes)?.nonEmpty
  }
}
