/// Chinese numbers, a clip for each character.
///
/// Groups of four from the right: 万, 亿, 万亿 (never 兆, which is a million to some and 10^12 to others). A run of zeros
/// between other digits is one 零, across groups as well; zeros at the end of a group are silent (107000: 十万七千). A ten
/// is 十 at the very start and 一十 elsewhere.
struct ChineseNumerals: Equatable, Sendable {
  enum Script: Sendable { case simplified, traditional }

  let script: Script
  /// 两 before 千, 万 and 亿 where a 2 begins its group.
  let usesLiang: Bool

  init(_ script: Script, usesLiang: Bool = false) {
    self.script = script
    self.usesLiang = usesLiang
  }

  /// A number below 10^16 in words.
  func words(_ number: Int64) -> [SpokenWord] { number == 0 ? [digit(0)] : words(number, isStart: true) }

  /// The word of a digit, 0 through 9.
  func digit(_ digit: Int) -> SpokenWord {
    let characters = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"]
    return word("\(digit)", characters[digit])
  }

  /// 2 as it counts things: 两 or 兩.
  var liang: SpokenWord { word("liang", "两", "兩") }

  /// The point before decimals.
  var point: SpokenWord { word("dot", "点", "點") }

  /// A word of this script, written without a space before it.
  func word(_ id: String, _ simplified: String, _ traditional: String? = nil) -> SpokenWord {
    SpokenWord(id, script == .simplified ? simplified : traditional ?? simplified, isGlued: true)
  }

  private func words(_ number: Int64, isStart: Bool) -> [SpokenWord] {
    let (scale, name): (Int64, SpokenWord)
    switch number {
    case 100_000_000...: (scale, name) = (100_000_000, word("100000000", "亿", "億"))
    case 10_000...: (scale, name) = (10_000, word("10000", "万", "萬"))
    default: return group(Int(number), isStart: isStart)
    }
    let (count, rest) = number.quotientAndRemainder(dividingBy: scale)
    var words = count == 2 && usesLiang ? [liang] : words(count, isStart: isStart)
    words.append(name)
    guard rest > 0 else { return words }
    // The next digit would stand right behind the group's name only if it is the group's first.
    if rest < scale / 10 { words.append(digit(0)) }
    return words + self.words(rest, isStart: false)
  }

  /// 1 through 9999.
  private func group(_ number: Int, isStart: Bool) -> [SpokenWord] {
    var words: [SpokenWord] = []
    var rest = number
    var skipped = false
    for (scale, name) in [(1000, word("1000", "千")), (100, word("100", "百")), (10, word("10", "十"))] {
      let digit = rest / scale
      rest %= scale
      if digit == 0 {
        skipped = !words.isEmpty
        continue
      }
      if skipped { words.append(self.digit(0)) }
      skipped = false
      if digit == 2, scale == 1000, usesLiang {
        words.append(liang)
      } else if !(digit == 1 && scale == 10 && isStart && words.isEmpty) {
        words.append(self.digit(digit))
      }
      words.append(name)
    }
    if rest > 0 {
      if skipped { words.append(digit(0)) }
      words.append(digit(rest))
    }
    return words
  }
}
