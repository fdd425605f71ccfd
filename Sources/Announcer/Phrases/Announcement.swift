public import ESCPOS
public import PrintJobs

/// One payment, or one text, to be said aloud; never changed once it is made.
public struct Announcement: Sendable, Equatable {
  /// What makes it itself: the payment's id. The same id is said once.
  public var id: String
  /// What the file is called by that its phrase may be left in; ``id`` when it is nil.
  public var fileID: String?
  /// How it was paid, as it was written: `1`, `3`, `wx`, `card`; nil where nobody said.
  public var payType: String?
  /// What was received, or for a refund what went back; nil where only a text is to be said.
  public var amount: Money?
  /// What the order came to, where that is to be said as well.
  public var orderAmount: Money?
  /// ISO 4217 code of both amounts; nil for the shop's own.
  public var currency: String?
  /// Ready text: a wake's `contents`, or its alert.
  public var text: String?
  /// What a screen is to show in its first line: the alert's title.
  public var title: String?
  /// What it is to show below: the alert's body.
  public var body: String?
  /// The name of a prepared sound (`aps.sound`), which counts only inside the group's folder.
  public var soundName: String?
  /// When it got here.
  public var receivedAt: BootInstant
  /// Whether the amount went back to the customer.
  public var isRefund: Bool

  /// Creates an announcement.
  public init(
    id: String, fileID: String? = nil, payType: String? = nil, amount: Money? = nil,
    orderAmount: Money? = nil,
    currency: String? = nil,
    text: String? = nil, soundName: String? = nil, receivedAt: BootInstant,
    isRefund: Bool = false, title: String? = nil, body: String? = nil
  ) {
    self.id = id
    self.fileID = fileID
    self.payType = payType
    self.amount = amount
    self.orderAmount = orderAmount
    self.currency = currency
    self.text = text
    self.soundName = soundName
    self.receivedAt = receivedAt
    self.isRefund = isRefund
    (self.title, self.body) = (title, body)
  }
}
