import PrintJobs
public import SpokenAmounts

/// What a shop says: its language, its currency, its phrases.
public struct Phrasebook: Sendable, Equatable {
  /// How amounts are read.
  public var reader: AmountReader
  /// Said before everything, or empty: the shop's name.
  public var brand: String
  /// The phrases around amounts.
  public var templates: PhraseTemplates
  /// What a payment's way (`pay_type`) is, beside the ways that everybody has.
  public var payTypes: [String: PhraseTemplates.Kind]

  /// The ways that everybody has: the numbers of wakes, and words.
  public static let knownPayTypes: [String: PhraseTemplates.Kind] = [
    "1": .wx, "3": .wx, "wx": .wx, "wechat": .wx, "weixin": .wx, "2": .zfb, "4": .zfb, "zfb": .zfb,
    "alipay": .zfb,
    "5": .vipcard, "vipcard": .vipcard, "card": .card, "cash": .cash, "refund": .refund, "other": .other,
  ]

  /// An amount of this many whole units is not said: nobody would follow it.
  static let unitCap: Int64 = 1_000_000_000_000

  /// Creates a phrasebook.
  public init(
    reader: AmountReader, brand: String = "", templates: PhraseTemplates? = nil,
    payTypes: [String: PhraseTemplates.Kind] = [:]
  ) {
    self.reader = reader
    self.brand = brand
    self.templates = templates ?? .standard(reader.language)
    self.payTypes = payTypes
  }

  /// What is to be said for an announcement.
  public enum Saying: Sendable, Equatable {
    /// A phrase with its whole amount.
    case phrase([SpokenWord])
    /// A free text.
    case text(String)
    /// The fixed phrase, because the amount cannot be said; and why.
    case fixed([SpokenWord], reason: String)
    /// No words; and why, where that is a fault.
    case nothing(reason: String?)
  }

  /// Chooses what is said: the amount with its phrase; the text where the way of paying has no phrase, or where there is
  /// no amount.
  public func saying(for announcement: Announcement) -> Saying {
    // Nothing was received, so nothing may say so.
    if announcement.amount?.minorUnits == 0 {
      return .nothing(reason: "the amount \(AmountRefusal.notPositive)")
    }
    let kind = kind(of: announcement)
    let text = announcement.text.flatMap { $0.isEmpty ? nil : $0 }
    guard let amount = announcement.amount, kind != nil || text == nil else {
      return text.map(Saying.text) ?? .nothing(reason: nil)
    }
    let isRefund = isRefund(announcement)
    do throws(AmountRefusal) {
      return .phrase(
        try words(
          isRefund ? .refund : kind ?? .other, isRefund ? amount.magnitude : amount,
          order: announcement.orderAmount,
          currency: announcement.currency))
    } catch {
      // Without the amount: this goes into the log.
      let reason = "the amount \(error)"
      return error == .notPositive
        ? .nothing(reason: reason) : .fixed(fixed(isRefund: isRefund), reason: reason)
    }
  }

  /// The fixed phrase of an announcement; none where nothing was received.
  func fixed(for announcement: Announcement) -> [SpokenWord] {
    guard let amount = announcement.amount else { return [] }
    let isRefund = isRefund(announcement)
    return isRefund || amount.minorUnits > 0 ? fixed(isRefund: isRefund) : []
  }

  /// Whether the money went back.
  func isRefund(_ announcement: Announcement) -> Bool {
    announcement.isRefund || kind(of: announcement) == .refund
  }

  /// Nil where somebody named a way of paying that has no phrase.
  private func kind(of announcement: Announcement) -> PhraseTemplates.Kind? {
    guard let payType = announcement.payType?.lowercased(), !payType.isEmpty else { return .other }
    return payTypes[payType] ?? Self.knownPayTypes[payType]
  }

  private func words(
    _ kind: PhraseTemplates.Kind, _ amount: Money, order: Money?, currency: String?
  ) throws(AmountRefusal) -> [SpokenWord] {
    var words = brandWords + (try words(kind, amount, currency))
    // What was received is the whole of it; an order's amount that cannot be said is not worth losing it.
    if let order, let more = try? self.words(.order, order, currency) { words += more }
    return words
  }

  private func words(
    _ kind: PhraseTemplates.Kind, _ amount: Money, _ currency: String?
  ) throws(AmountRefusal) -> [SpokenWord] {
    var reader = reader
    if let currency {
      guard let known = SpokenCurrency(rawValue: currency) else { throw .unknownCurrency }
      reader.currency = known
    }
    let pieces = templates.template(kind).pieces(kind.rawValue, reader)
    let said = try reader.words(for: amount)
    guard amount.isBelow(units: Self.unitCap) else { throw .tooLarge }
    return pieces.before + said + pieces.after
  }

  private var brandWords: [SpokenWord] { SpokenWord.phrase("brand", brand, reader) }

  private func fixed(isRefund: Bool) -> [SpokenWord] {
    brandWords
      + (isRefund
        ? SpokenWord.phrase("fixed-refund", templates.fixedRefund, reader)
        : SpokenWord.phrase("fixed", templates.fixed, reader))
  }
}

extension Phrasebook {
  /// Every piece of its phrases, the ones before an amount first.
  public var phrases: [SpokenWord] {
    let pieces = PhraseTemplates.Kind.allCases.map {
      templates.template($0).pieces($0.rawValue, reader)
    }
    return brandWords + pieces.flatMap(\.before) + pieces.flatMap(\.after)
      + SpokenWord.phrase("fixed", templates.fixed, reader)
      + SpokenWord.phrase("fixed-refund", templates.fixedRefund, reader)
  }

  /// The phrases that leave the amount out.
  var fixedPhrases: [[SpokenWord]] { [fixed(isRefund: false), fixed(isRefund: true)].filter { !$0.isEmpty } }

  /// Everything that is worth a clip: the phrases, and the words of amounts with every option.
  public var clips: [SpokenWord] {
    var seen: Set<String> = []
    var plain = self
    var every = self
    (plain.reader.usesJiaoAndFen, plain.reader.usesLiang) = (false, false)
    (every.reader.usesJiaoAndFen, every.reader.usesLiang) = (true, true)
    return (phrases + plain.numbers + every.numbers).filter { seen.insert($0.id).inserted }
  }

  /// Every word that an amount can have.
  public var numbers: [SpokenWord] { reader.vocabulary(below: Self.unitCap) }
}

extension Money {
  fileprivate var magnitude: Money {
    Money(minorUnits: minorUnits == .min ? .max : abs(minorUnits), decimals: decimals)
  }

  fileprivate func isBelow(units: Int64) -> Bool {
    minorUnits / (0..<decimals).reduce(1) { product, _ in product * 10 } < units
  }
}
