public import PrintJobs

/// What a push asks for, read from its APNs-shaped body. JSON Schema: `Docs/schema/wake.schema.json`.
///
/// A wake is a hint. It names an order, or none (pushes are coalesced and lost), and what is printed is fetched; only
/// where the configuration allows it does the wake carry the order itself.
public struct Wake: Equatable, Sendable {
  /// What the push would show and play.
  public struct Alert: Equatable, Sendable {
    /// The title, when the alert has one.
    public var title: String?
    /// The text.
    public var body: String?
  }

  /// `aps.content-available` is 1: print.
  public var printRequested: Bool
  /// `aps.mutable-content` is 1 and `aps.sound` is not empty: say it aloud.
  public var announceRequested: Bool
  /// `aps.alert`, a string (the body) or an object with title and body.
  public var alert: Alert?
  /// `aps.sound`, or its `name` where it is an object; nil when absent or empty.
  public var sound: String?
  /// `aps.category`.
  public var category: String?
  /// `type`: 2 and 3 are payments; others may come.
  public var type: Int?
  /// The order's id; nil asks for whatever is pending.
  public var orderID: String?
  /// The payment's own id (`payment_id`), where an order may be paid in parts.
  public var paymentID: String?
  /// The refund's own id (`refund_id`), where an order may be given back in parts.
  public var refundID: String?
  /// `pay_type` as it was written: 1, 3 WeChat; 2, 4 Alipay; 5 member card; others are kept.
  public var payType: String?
  /// The amount to be said; never what is printed.
  public var amount: Money?
  /// What the order came to, where that is to be said as well.
  public var orderAmount: Money?
  /// Ready text to be spoken (`contents`).
  public var contents: String?
  /// The order itself as JSON, when the wake carries one and inline orders are allowed.
  public var inlineOrder: [UInt8]?

  /// Whether it tells of a payment or a refund, as far as its ``type`` says: 2, 3, or none written.
  public var isPayment: Bool { type == nil || type == 2 || type == 3 }

  /// Whether its money went back: the amount is negative, or the way of paying says so.
  public var isRefund: Bool { (amount?.minorUnits ?? 0) < 0 || payType?.lowercased() == "refund" }

  /// Whether nothing is asked for, so that the wake is complete at once.
  public var asksForNothing: Bool { !printRequested && !announceRequested }
}

/// The rule for an order's id, wherever it comes from (it stands in addresses, logs and file names), and for a payment's.
enum OrderID {
  static let maximumBytes = 128

  /// What is wrong with `text` as an order id, or as what `name` calls it; or nil.
  static func fault(in text: String, called name: String = "an order id") -> String? {
    if text.isEmpty { return "\(name) must not be empty" }
    if text.utf8.count > maximumBytes { return "\(name) is at most \(maximumBytes) bytes long" }
    let forbidden = text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: true
      default: false
      }
    }
    return forbidden ? "\(name) must not hold control characters" : nil
  }
}
