import SpokenAmounts

/// Text from outside, made fit for a synthesiser.
enum SpeakableText {
  /// The longest text that is spoken, in characters. A longer one is not cut: the cut could go through an amount.
  static let longest = 300

  /// The text without what a synthesiser would take for commands, and with numbers in words where it cannot read them.
  ///
  /// Mandarin and Cantonese voices leave out points and misread digits, so they never get any. `¥12.50` becomes
  /// 十二点五元.
  ///
  /// - Returns: nil for a text that is too long or has no word in it.
  static func clean(_ text: String, _ reader: AmountReader) -> String? {
    guard text.unicodeScalars.prefix(longest * 4 + 1).count <= longest * 4, text.count <= longest else {
      return nil
    }
    let words = reading(text, reader).split(separator: " ").joined(separator: " ")
    return words.contains { $0.isLetter || $0.isNumber } ? words : nil
  }

  /// Whether the synthesiser can read a text: its Japanese voice says "Chinese letter" for every character.
  static func isReadable(_ text: String, in language: SpokenLanguage) -> Bool {
    language != .japanese || !text.unicodeScalars.contains { $0.properties.isIdeographic }
  }

  /// A text for a screen: in one line, without control characters and marks of direction.
  static func oneLine(_ text: String) -> String {
    let plain = text.unicodeScalars.map { isSilent($0) ? " " : $0 }
    return String(String.UnicodeScalarView(plain)).split(separator: " ").joined(separator: " ")
  }

  /// A text as a synthesiser is to read it.
  static func reading(_ text: String, _ reader: AmountReader) -> String {
    let plain = String(String.UnicodeScalarView(text.unicodeScalars.map(plain)))
    return readsDigitsWrong(reader.language) ? withNumbersInWords(plain, reader) : plain
  }

  private static func readsDigitsWrong(_ language: SpokenLanguage) -> Bool {
    switch language {
    case .mandarin, .cantonese, .japanese: true
    case .english, .german, .french, .spanish: false
    }
  }

  /// Control characters, marks of direction and the synthesiser's own marks become spaces; full-width digits narrow.
  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0xFF10...0xFF19: return Unicode.Scalar(UInt8(scalar.value - 0xFF10 + 0x30))
    case 0xFF0E: return "."
    case 0x5B, 0x5D, 0x3C, 0x3E, 0x7B, 0x7D, 0x5C, 0x60, 0x7C: return " "
    default: break
    }
    return isSilent(scalar) ? " " : scalar
  }

  private static func isSilent(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }

  private static func withNumbersInWords(_ text: String, _ reader: AmountReader) -> String {
    var result = ""
    var rest = Substring(text)
    var sign: Character?
    while let character = rest.first {
      if character.isASCII, character.isNumber {
        let number = number(at: &rest)
        let unit = sign.flatMap { _ in rest.first.map { !isUnit($0) } ?? true } ?? false
        result += reader.words(ofNumber: number)?.map(word(reader)).joined() ?? ""
        if unit { result += reader.language == .japanese ? "えん" : "元" }
        sign = nil
      } else if "¥￥".contains(character) {
        sign = character
        rest.removeFirst()
      } else if "-−－".contains(character), isMinus(after: result, before: rest.dropFirst()) {
        result += reader.language == .mandarin ? "负" : reader.language == .cantonese ? "負" : "マイナス"
        rest.removeFirst()
      } else {
        sign = character == " " ? sign : nil
        result.append(character)
        rest.removeFirst()
      }
    }
    return result
  }

  private static func word(_ reader: AmountReader) -> (SpokenWord) -> String {
    { reader.language == .japanese ? $0.reading : $0.text }
  }

  private static func isUnit(_ character: Character) -> Bool { "元圆圓円块塊".contains(character) }

  /// A dash before a number, where no other number or word stands before it, takes away.
  private static func isMinus(after text: String, before rest: Substring) -> Bool {
    guard let next = rest.first, next.isASCII && next.isNumber || "¥￥".contains(next) else { return false }
    guard let last = text.last else { return true }
    return !(last.isASCII && (last.isNumber || last.isLetter)) && !"零一二三四五六七八九十百千万亿萬億".contains(last)
  }

  /// Takes a number: digits, with commas between groups of three, and a point with more digits.
  private static func number(at rest: inout Substring) -> String {
    var number = digits(at: &rest)
    while number.count <= 12, rest.first == "," {
      let group = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard group.count == 3 else { break }
      number += group
      rest = rest.dropFirst(4)
    }
    if rest.first == ".", let next = rest.dropFirst().first, next.isASCII, next.isNumber {
      rest.removeFirst()
      number += "." + digits(at: &rest)
    }
    return number
  }

  private static func digits(at rest: inout Substring) -> String {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest[digits.endIndex...]
    return String(digits)
  }
}
