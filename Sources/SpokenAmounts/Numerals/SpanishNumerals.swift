/// Spanish numbers as they stand before a noun: "un", "una", "veintiún", "ciento un", "doscientas", "mil millones".
enum SpanishNumerals {
  /// A number below 10^15 in words.
  static func words(_ number: Int64, _ gender: CountedAmounts.Gender) -> [SpokenWord] {
    var words: [SpokenWord] = []
    var rest = number
    for (scale, one, many) in scales where rest >= scale {
      let count = Int(rest / scale)
      words += thousands(count, .masculine)
      words.append(count == 1 ? SpokenWord("\(many)-one", one) : SpokenWord(many, "\(many)es"))
      rest %= scale
    }
    if rest > 0 || words.isEmpty { words += thousands(Int(rest), gender) }
    return words
  }

  /// The long scale: a thousand millions have no name of their own.
  private static let scales: [(Int64, String, String)] = [
    (1_000_000_000_000, "billón", "billon"), (1_000_000, "millón", "millon"),
  ]

  private static func thousands(_ number: Int, _ gender: CountedAmounts.Gender) -> [SpokenWord] {
    guard number >= 1000 else { return hundreds(number, gender) }
    let (count, rest) = number.quotientAndRemainder(dividingBy: 1000)
    let words = (count == 1 ? [] : hundreds(count, gender)) + [SpokenWord("thousand", "mil")]
    return rest == 0 ? words : words + hundreds(rest, gender)
  }

  private static func hundreds(_ number: Int, _ gender: CountedAmounts.Gender) -> [SpokenWord] {
    let (count, rest) = number.quotientAndRemainder(dividingBy: 100)
    switch (count, rest) {
    case (0, _): return [small(rest, gender)]
    case (1, 0): return [SpokenWord("100", "cien")]
    case (1, _): return [SpokenWord("100and", "ciento"), small(rest, gender)]
    default:
      let hundred =
        gender == .feminine
        ? SpokenWord("\(count)00f", "\(hundredStems[count])as")
        : SpokenWord("\(count)00", "\(hundredStems[count])os")
      return rest == 0 ? [hundred] : [hundred, small(rest, gender)]
    }
  }

  private static func small(_ number: Int, _ gender: CountedAmounts.Gender) -> SpokenWord {
    let isFeminine = gender == .feminine && number % 10 == 1 && number != 11
    return SpokenWord(isFeminine ? "\(number)f" : "\(number)", text(number, isFeminine: isFeminine))
  }

  private static func text(_ number: Int, isFeminine: Bool) -> String {
    switch number {
    case 1: return isFeminine ? "una" : "un"
    case 21: return isFeminine ? "veintiuna" : "veintiún"
    case ..<30: return ones[number]
    default:
      let tens = tensNames[number / 10]
      return number % 10 == 0 ? tens : "\(tens) y \(text(number % 10, isFeminine: isFeminine))"
    }
  }

  private static let ones = [
    "cero", "un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce",
    "trece",
    "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiún",
    "veintidós",
    "veintitrés", "veinticuatro", "veinticinco", "veintiséis", "veintisiete", "veintiocho", "veintinueve",
  ]
  private static let tensNames = [
    "", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa",
  ]
  private static let hundredStems = [
    "", "", "doscient", "trescient", "cuatrocient", "quinient", "seiscient", "setecient", "ochocient",
    "novecient",
  ]
}
