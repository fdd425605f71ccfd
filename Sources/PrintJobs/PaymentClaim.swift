/// The name of one announcement in the journal: `order:20261130-000187`.
public struct PaymentKey: Hashable, Sendable {
  /// The key as the journal holds it.
  public let text: String

  /// A key as it stands in a journal.
  public init(text: String) { self.text = text }

  /// The first payment of an order, which is the one that its jobs tell of.
  public init(orderID: String) { text = "order:" + orderID }

  /// A payment that is known by its delivery alone.
  public init(deliveryID: String) { text = "delivery:" + deliveryID }
}

/// A payment or a refund as a wake tells of it, which is to be announced once.
///
/// An order may be paid in parts, and given back in parts. Two wakes tell of the same one when what both of them say is the
/// same: their ids where both have one, else their amounts where both have one, else that there was a payment at all.
public struct PaymentClaim: Hashable, Sendable {
  /// What was paid: `order:` or `refund:` with the order's id, `delivery:` with the delivery's.
  public let subject: String
  /// The payment's or refund's own id, or nil.
  public let id: String?
  /// The amount in ten-thousandths, without its sign and however it was written; or nil.
  public let amount: String?

  /// A payment of an order.
  public init(orderID: String, id: String? = nil, amount: Money? = nil) {
    subject = Prefix.order + orderID
    self.id = id
    self.amount = amount.map(Self.tenThousandths)
  }

  /// What went back of an order.
  public init(refundOf orderID: String, id: String? = nil, amount: Money? = nil) {
    subject = Prefix.refund + orderID
    self.id = id
    self.amount = amount.map(Self.tenThousandths)
  }

  /// A payment that is known by its delivery alone.
  public init(deliveryID: String) {
    subject = Prefix.delivery + deliveryID
    (id, amount) = (nil, nil)
  }

  /// A claim as a journal holds it.
  public init(subject: String, id: String?, amount: String?) {
    (self.subject, self.id, self.amount) = (subject, id, amount)
  }

  /// Whether two claims tell of the same payment.
  public func isSame(as other: PaymentClaim) -> Bool {
    guard subject == other.subject else { return false }
    if let id, let known = other.id { return id == known }
    if let amount, let known = other.amount { return amount == known }
    return true
  }

  /// Which of the payments that are known this one is, or nil: the one with its id, else with its amount, else the first that
  /// nothing tells it from.
  public func place(among known: [PaymentClaim]) -> Int? {
    let same = known.indices.filter { isSame(as: known[$0]) }
    return same.first { id != nil && known[$0].id == id }
      ?? same.first { amount != nil && known[$0].amount == amount } ?? same.first
  }

  /// What both claims about a payment say of it together, so that the next one is told apart by all of it.
  public func completed(by other: PaymentClaim) -> PaymentClaim {
    PaymentClaim(subject: subject, id: id ?? other.id, amount: amount ?? other.amount)
  }

  /// The key of the subject's payment number 1, 2, …: `order:A`, `payment:A#2`; `refund:A#1`; `delivery:a`.
  ///
  /// No two orders have a key in common, whatever their ids are: number and id are told apart by the last `#`.
  public func key(_ number: Int) -> PaymentKey {
    if subject.hasPrefix(Prefix.refund) { return PaymentKey(text: "\(subject)#\(number)") }
    guard number > 1 else { return PaymentKey(text: subject) }
    return PaymentKey(text: "payment:\(subject.dropFirst(Prefix.order.count))#\(number)")
  }

  /// The key of the subject's next payment.
  ///
  /// - Parameter taken: The keys of those that there are; the first ones may have been forgotten.
  public func nextKey(besides taken: [PaymentKey]) -> PaymentKey {
    let taken = Set(taken)
    var number = 1
    while taken.contains(key(number)) { number += 1 }
    return key(number)
  }

  private enum Prefix {
    static let order = "order:"
    static let refund = "refund:"
    static let delivery = "delivery:"
  }

  private static func tenThousandths(_ amount: Money) -> String {
    let missing = max(0, 4 - max(0, amount.decimals))
    return String((0..<missing).reduce(amount.minorUnits.magnitude) { value, _ in value &* 10 })
  }
}
