/// Japanese numbers, in characters to be read and in kana to be said: 三百 is さんびゃく.
///
/// Hundreds and thousands are clips of their own, because their sounds run together.
enum JapaneseNumerals {
  /// A number below 10^15 in words.
  static func words(_ number: Int64) -> [SpokenWord] {
    guard number > 0 else { return [digit(0)] }
    var words: [SpokenWord] = []
    var rest = number
    for (scale, id, text, reading) in scales where rest >= scale {
      let count = Int(rest / scale)
      // 兆 changes the sound of what is before it: いっちょう, はっちょう, じゅっちょう.
      let isTrillion = scale == 1_000_000_000_000
      words += group(count, saysOneThousand: true, isBeforeTrillion: isTrillion)
      words.append(SpokenWord(id, text, reading: reading, isGlued: true))
      rest %= scale
    }
    return rest > 0 ? words + group(Int(rest), saysOneThousand: false) : words
  }

  /// The word of a digit, 0 through 9.
  static func digit(_ digit: Int) -> SpokenWord {
    SpokenWord("\(digit)", characters[digit], reading: digits[digit], isGlued: true)
  }

  /// The point before decimals.
  static let point = SpokenWord("dot", "点", reading: "てん", isGlued: true)

  private static let scales: [(Int64, String, String, String)] = [
    (1_000_000_000_000, "1000000000000", "兆", "ちょう"), (100_000_000, "100000000", "億", "おく"),
    (10_000, "10000", "万", "まん"),
  ]

  /// 1 through 9999. A thousand is 千, before 万 and 億 it is 一千.
  private static func group(
    _ number: Int, saysOneThousand: Bool, isBeforeTrillion: Bool = false
  ) -> [SpokenWord] {
    var words: [SpokenWord] = []
    let thousand = number / 1000
    if thousand == 1, saysOneThousand {
      words.append(SpokenWord("1000ichi", "一千", reading: "いっせん", isGlued: true))
    } else if thousand > 0 {
      words.append(word(thousand, 1000, "千", thousands))
    }
    if number / 100 % 10 > 0 { words.append(word(number / 100 % 10, 100, "百", hundreds)) }
    if number / 10 % 10 > 0 { words.append(word(number / 10 % 10, 10, "十", tens)) }
    if number % 10 > 0 { words.append(digit(number % 10)) }
    if isBeforeTrillion, let last = words.last, ["一", "八", "十"].contains(last.text.suffix(1)) {
      words[words.count - 1] = SpokenWord(
        "\(last.id)cho", last.text, reading: last.reading.dropLast() + "っ", isGlued: true)
    }
    return words
  }

  private static func word(_ count: Int, _ scale: Int, _ name: String, _ readings: [String]) -> SpokenWord {
    SpokenWord(
      "\(count * scale)", count == 1 ? name : characters[count] + name, reading: readings[count],
      isGlued: true)
  }

  private static let characters = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"]
  private static let digits = ["れい", "いち", "に", "さん", "よん", "ご", "ろく", "なな", "はち", "きゅう"]
  private static let tens = [
    "", "じゅう", "にじゅう", "さんじゅう", "よんじゅう", "ごじゅう", "ろくじゅう", "ななじゅう", "はちじゅう", "きゅうじゅう",
  ]
  private static let hundreds = [
    "", "ひゃく", "にひゃく", "さんびゃく", "よんひゃく", "ごひゃく", "ろっぴゃく", "ななひゃく", "はっぴゃく", "きゅうひゃく",
  ]
  private static let thousands = [
    "", "せん", "にせん", "さんぜん", "よんせん", "ごせん", "ろくせん", "ななせん", "はっせん", "きゅうせん",
  ]
}
