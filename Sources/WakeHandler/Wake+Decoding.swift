public import ESCPOS
import FoundationEssentials
import PrintJobs

extension Wake {
  /// How a body came, which says how large it may be and what may be in it.
  public struct Limits: Equatable, Sendable {
    /// The largest body in bytes.
    public var bytes: Int
    /// Whether the wake may carry the order itself under `order`.
    public var allowsInlineOrder: Bool

    /// The largest payload that a push service carries (APNs, Web Push).
    public static let pushBytes = 4096
    /// The largest body from anywhere.
    public static let anyBytes = 65536

    /// Creates limits; `bytes` is held to ``anyBytes``.
    public init(bytes: Int = anyBytes, allowsInlineOrder: Bool = false) {
      self.bytes = min(bytes, Self.anyBytes)
      self.allowsInlineOrder = allowsInlineOrder
    }
  }

  /// Reads a wake.
  ///
  /// What is read must be right; keys that are not read may be there.
  ///
  /// - Throws: ``DocumentFault`` with the path of what is wrong.
  public init(json body: [UInt8], limits: Limits = Limits()) throws(DocumentFault) {
    guard body.count <= limits.bytes else {
      throw DocumentFault(
        path: "", message: "the wake is \(body.count) bytes long, at most \(limits.bytes) are taken")
    }
    let raw = try WakeJSON.read(RawWake.self, from: body, at: "")
    try self.init(raw, limits: limits)
  }

  private init(_ raw: RawWake, limits: Limits) throws(DocumentFault) {
    var details = RawDetails()
    switch raw.data {
    case .object(let object): details = object
    case .text(let text) where !text.isEmpty:
      details = try WakeJSON.read(RawDetails.self, from: Array(text.utf8), at: "data")
    case .text, nil: break
    }
    let prefix = raw.data == nil ? "" : "data."
    printRequested = raw.aps.contentAvailable?.isOn ?? false
    sound = raw.aps.sound?.name.flatMap { $0.isEmpty ? nil : $0 }
    announceRequested = (raw.aps.mutableContent?.isOn ?? false) && sound != nil
    alert = raw.aps.alert?.alert
    category = raw.aps.category
    type = raw.type?.value
    contents = raw.contents
    payType = (details.payType ?? raw.payType)?.text
    orderID = nil
    amount = nil
    let order = limits.allowsInlineOrder ? try raw.inlineOrder() : nil
    inlineOrder = try order?.bytes()

    let amounts: [(path: String, value: RawAmount?)] = [
      ("\(prefix)sum_amount", details.sumAmount), ("amount", raw.amount),
      ("value", raw.key == "sound" ? raw.value : nil),
    ]
    if let (path, written) = amounts.first(where: { $0.value != nil }) {
      amount = try Self.money(written, at: path)
    }
    orderAmount = try Self.money(details.orderAmount, at: "\(prefix)order_amount")
    let ids: [(path: String, value: RawWord?)] = [
      ("\(prefix)order_id", details.orderID), ("order_id", raw.orderID), ("order.id", order?.id),
    ]
    for (path, written) in ids {
      guard let written, !written.text.isEmpty else { continue }
      if let fault = OrderID.fault(in: written.text) { throw DocumentFault(path: path, message: fault) }
      if let orderID, orderID != written.text {
        throw DocumentFault(path: path, message: "names another order than the rest of the wake")
      }
      orderID = written.text
    }
    paymentID = try Self.id(
      ("\(prefix)payment_id", details.paymentID), ("payment_id", raw.paymentID), called: "a payment id")
    refundID = try Self.id(
      ("\(prefix)refund_id", details.refundID), ("refund_id", raw.refundID), called: "a refund id")
    if inlineOrder != nil, orderID == nil {
      throw DocumentFault(path: "order.id", message: "is missing")
    }
  }

  /// The first id that is there; nil where none was written.
  private static func id(
    _ places: (path: String, written: RawWord?)..., called name: String
  ) throws(DocumentFault) -> String? {
    for (path, written) in places {
      guard let written, !written.text.isEmpty else { continue }
      if let fault = OrderID.fault(in: written.text, called: name) {
        throw DocumentFault(path: path, message: fault)
      }
      return written.text
    }
    return nil
  }

  /// An amount; nil where none was written.
  private static func money(_ written: RawAmount?, at path: String) throws(DocumentFault) -> Money? {
    guard let written, !written.text.isEmpty else { return nil }
    guard let amount = Money(written.text) else {
      throw DocumentFault(path: path, message: "expected a decimal string such as \"12.50\"")
    }
    return amount
  }
}
