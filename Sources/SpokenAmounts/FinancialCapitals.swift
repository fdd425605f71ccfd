public import PrintJobs

/// Amounts of renminbi in the capitals of vouchers and receipts (大写), which cannot be altered by a stroke: 壹拾元整.
///
/// After the rules for vouchers of the central bank of China: 整 behind whole yuan and behind 角, none behind 分; one 零
/// for zeros between digits, and between 元 and 分 when there is no 角; no 零元 before an amount below one yuan.
public enum FinancialCapitals {
  /// The capitals, with 负 before a negative amount; nil for more than two decimals or 10^13 and more.
  ///
  /// A form writes 人民币 right before them.
  public static func text(_ amount: Money) -> String? {
    guard amount.decimals <= 2 else { return nil }
    let scale: UInt64 = [1, 10, 100][amount.decimals]
    let hundredths = amount.minorUnits.magnitude.multipliedReportingOverflow(by: 100 / scale)
    guard !hundredths.overflow, hundredths.partialValue / 100 < UInt64(AmountReader.unitLimit) else {
      return nil
    }
    let yuan = Int64(hundredths.partialValue / 100)
    let (jiao, fen) = Int(hundredths.partialValue % 100).quotientAndRemainder(dividingBy: 10)
    var text = amount.minorUnits < 0 ? "负" : ""
    if yuan > 0 || jiao + fen == 0 { text += whole(yuan) + "元" }
    if jiao > 0 { text += digits[jiao] + "角" }
    if fen > 0 {
      if yuan > 0, jiao == 0 { text += "零" }
      return text + digits[fen] + "分"
    }
    return text + "整"
  }

  private static let digits = ["零", "壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖"]

  private static func whole(_ number: Int64) -> String {
    number == 0 ? digits[0] : spell(number)
  }

  private static func spell(_ number: Int64) -> String {
    for (scale, name) in scales where number >= scale {
      let (count, rest) = number.quotientAndRemainder(dividingBy: scale)
      let head = (scale < 10_000 ? digits[Int(count)] : spell(count)) + name
      guard rest > 0 else { return head }
      return head + (rest < scale / 10 ? digits[0] : "") + spell(rest)
    }
    return digits[Int(number)]
  }

  private static let scales: [(Int64, String)] = [
    (100_000_000, "亿"), (10_000, "万"), (1_000, "仟"), (100, "佰"), (10, "拾"),
  ]
}
