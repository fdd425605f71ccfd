/// How a language writes money, quantities and times on paper.
struct PaperFormat: Sendable {
  let language: PaperLanguage

  /// An amount with its currency: `￥12.50`, `12,50 €`, `€12.50`, `CHF 12.50`.
  func money(_ money: Money, currency: String) -> String {
    let number = amount(
      Money(minorUnits: Int64(clamping: money.minorUnits.magnitude), decimals: money.decimals))
    let minus = money.minorUnits < 0 ? "-" : ""
    if currency == "XXX" { return minus + number }
    let sign = sign(currency)
    if isSignBehind { return "\(minus)\(number) \(sign ?? currency)" }
    return sign.map { "\(minus)\($0)\(number)" } ?? "\(minus)\(currency) \(number)"
  }

  /// An amount without currency: `1,234.50`, `1.234,50`.
  func amount(_ money: Money) -> String {
    let digits = String(money.minorUnits.magnitude)
    let padded = String(repeating: "0", count: max(0, money.decimals + 1 - digits.count)) + digits
    var whole = padded.dropLast(money.decimals)
    var groups: [Substring] = []
    while whole.count > 3 {
      groups.insert(whole.suffix(3), at: 0)
      whole = whole.dropLast(3)
    }
    groups.insert(whole, at: 0)
    let minus = money.minorUnits < 0 ? "-" : ""
    let point = money.decimals > 0 ? "\(decimalPoint)\(padded.suffix(money.decimals))" : ""
    return minus + groups.joined(separator: groupSeparator) + point
  }

  /// A quantity: `2`, `0,350`; zeros behind the point of a whole one are left out.
  func quantity(_ quantity: Money) -> String {
    var (units, decimals) = (quantity.minorUnits, quantity.decimals)
    if units % Self.powers[decimals, default: 1] == 0 {
      units /= Self.powers[decimals, default: 1]
      decimals = 0
    }
    return amount(Money(minorUnits: units, decimals: decimals))
  }

  private static let powers: [Int: Int64] = [0: 1, 1: 10, 2: 100, 3: 1_000, 4: 10_000]

  /// A date and a time to the minute, or to the second where that is usual.
  func time(_ time: CivilTime) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(time.hour)):\(two(time.minute))"
    return switch language {
    case .en: "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock)"
    case .de: "\(two(time.day)).\(two(time.month)).\(time.year) \(clock)"
    case .fr, .es: "\(two(time.day))/\(two(time.month))/\(time.year) \(clock)"
    case .zh, .zhHant: "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock):\(two(time.second))"
    case .ja: "\(time.year)/\(two(time.month))/\(two(time.day)) \(clock)"
    }
  }

  private var isSignBehind: Bool { [.de, .fr, .es].contains(language) }

  private var decimalPoint: String { isSignBehind ? "," : "." }

  /// In French a space stands between groups; a plain one, since few printers have the narrow one.
  private var groupSeparator: String {
    switch language {
    case .de, .es: "."
    case .fr: " "
    case .en, .zh, .zhHant, .ja: ","
    }
  }

  /// The sign of a currency where it can only be meant so; the fullwidth yen sign is in GBK and Shift_JIS, the other is not.
  private func sign(_ currency: String) -> String? {
    switch (currency, language) {
    case ("EUR", _): "€"
    case ("GBP", .en): "£"
    case ("USD", .en): "$"
    case ("CNY", .zh), ("JPY", .ja): "￥"
    case ("TWD", .zhHant): "NT$"
    default: nil
    }
  }
}
