/// Turns Chinese and Japanese amounts back into hundredths; knows nothing of the grammars that made them.
enum CharacterReader {
  private static let digits: [Character: Int64] = [
    "零": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "两": 2, "兩": 2,
  ]
  private static let places: [Character: Int64] = ["十": 10, "百": 100, "千": 1000]
  private static let groups: [Character: Int64] = [
    "万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000, "兆": 1_000_000_000_000,
  ]

  /// A whole number, or nil for what is none.
  static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty else { return nil }
    var total: Int64 = 0
    var section: Int64 = 0
    var digit: Int64?
    for character in text {
      if let value = digits[character] {
        // A digit behind a digit would be read as one of both and lose the other; only 零 may stand before one.
        guard digit == nil || digit == 0 else { return nil }
        digit = value
      } else if let place = places[character] {
        section += (digit.flatMap { $0 == 0 ? nil : $0 } ?? 1) * place
        digit = nil
      } else if let group = groups[character] {
        section += digit ?? 0
        digit = nil
        // 亿 and 兆 count everything since the last greater group, 万 only its own section.
        let under = total % group
        let greater = total - under
        total = greater + (under + section) * group
        section = 0
      } else {
        return nil
      }
    }
    return total + section + (digit ?? 0)
  }

  /// Hundredths of an amount such as 十二点五元, 十二元零五分 or 十二ユーロ五十セント.
  static func hundredths(_ text: String, unit: String, tenth: String? = nil, hundredth: String? = nil)
    -> Int64?
  {
    if text.hasSuffix(unit), let point = text.firstIndex(where: { $0 == "点" || $0 == "點" }) {
      let fraction = text[text.index(after: point)...].dropLast(unit.count)
      let values = fraction.compactMap { digits[$0] }
      guard values.count == fraction.count, (1...2).contains(values.count), let whole = number(text[..<point])
      else { return nil }
      return whole * 100 + values[0] * 10 + (values.count == 2 ? values[1] : 0)
    }
    var rest = Substring(text)
    var sum: Int64 = 0
    if let end = rest.range(of: unit) {
      guard let whole = number(rest[..<end.lowerBound]) else { return nil }
      sum = whole * 100
      rest = rest[end.upperBound...]
    }
    if let tenth, let end = rest.range(of: tenth) {
      guard let count = number(rest[..<end.lowerBound]), count < 10 else { return nil }
      sum += count * 10
      rest = rest[end.upperBound...]
    }
    if let hundredth, let end = rest.range(of: hundredth) {
      guard let count = number(rest[..<end.lowerBound]), count < 100 else { return nil }
      sum += count
      rest = rest[end.upperBound...]
    }
    return rest.isEmpty ? sum : nil
  }
}

extension Substring {
  fileprivate func range(of text: String) -> Range<Index>? {
    var index = startIndex
    while index < endIndex {
      if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
      index = self.index(after: index)
    }
    return nil
  }
}
