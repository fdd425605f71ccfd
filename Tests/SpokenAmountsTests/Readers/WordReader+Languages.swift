extension WordReader {
  static let english = WordReader(
    additions: numbered(
      "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        + "eighteen nineteen"
    ).merging(tens("twenty thirty forty fifty sixty seventy eighty ninety", from: 20)) { $1 },
    multipliers: [
      "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
      "trillion": 1_000_000_000_000,
    ],
    units: ["euro", "euros", "pound", "pounds"], subunits: ["cent", "cents", "penny", "pence"],
    fillers: ["and"])

  static let german = WordReader(
    additions: numbered(
      "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
        + "achtzehn neunzehn"
    ).merging(tens("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", from: 20)) { $1 }
      .merging(["eine": 1]) { $1 },
    multipliers: [
      "hundert": 100, "tausend": 1000, "Million": 1_000_000, "Millionen": 1_000_000,
      "Milliarde": 1_000_000_000,
      "Milliarden": 1_000_000_000, "Billion": 1_000_000_000_000, "Billionen": 1_000_000_000_000,
    ],
    units: ["Euro"], subunits: ["Cent"], fillers: ["und"], split: splitGerman)

  static let french = WordReader(
    additions: numbered(
      "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
    ).merging(tens("vingt trente quarante cinquante soixante", from: 20)) { $1 }
      .merging(["vingts": 20, "une": 1]) { $1 },
    multipliers: [
      "cent": 100, "cents": 100, "mille": 1000, "million": 1_000_000, "millions": 1_000_000,
      "milliard": 1_000_000_000, "milliards": 1_000_000_000, "billion": 1_000_000_000_000,
      "billions": 1_000_000_000_000,
    ],
    units: ["euro", "euros", "d'euros", "livre", "livres"],
    subunits: ["centime", "centimes", "penny", "pence"],
    fillers: ["et", "de"], countsByTwenties: true)

  static let spanish = WordReader(
    additions: numbered(
      "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
        + "dieciocho diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
        + "veintiocho veintinueve"
    ).merging(tens("treinta cuarenta cincuenta sesenta setenta ochenta noventa", from: 30)) { $1 }
      .merging(hundreds) { $1 }.merging(["una": 1, "veintiuna": 21]) { $1 },
    multipliers: [
      "mil": 1000, "millón": 1_000_000, "millones": 1_000_000, "billón": 1_000_000_000_000,
      "billones": 1_000_000_000_000,
    ],
    units: ["euro", "euros", "libra", "libras"], subunits: ["céntimo", "céntimos", "penique", "peniques"],
    fillers: ["con", "y", "de"])

  private static let hundreds: [String: Int64] = [
    "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400,
    "quinientos": 500,
    "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900, "doscientas": 200,
    "trescientas": 300, "cuatrocientas": 400, "quinientas": 500, "seiscientas": 600, "setecientas": 700,
    "ochocientas": 800, "novecientas": 900,
  ]

  private static func numbered(_ words: String) -> [String: Int64] {
    Dictionary(uniqueKeysWithValues: words.split(separator: " ").enumerated().map { (String($1), Int64($0)) })
  }

  private static func tens(_ words: String, from first: Int64) -> [String: Int64] {
    Dictionary(
      uniqueKeysWithValues: words.split(separator: " ").enumerated().map {
        (String($1), first + Int64($0) * 10)
      })
  }

  /// `zweihunderteinundzwanzig` into its parts, the longest first; a part that nobody knows is left as it is.
  @Sendable private static func splitGerman(_ word: Substring) -> [String] {
    var parts: [String] = []
    var rest = word
    while !rest.isEmpty {
      if rest.hasPrefix("und") {
        rest = rest.dropFirst(3)
        continue
      }
      guard let part = germanParts.first(where: { rest.hasPrefix($0) }) else { return parts + [String(rest)] }
      parts.append(part)
      rest = rest.dropFirst(part.count)
    }
    return parts
  }

  private static let germanParts =
    (Array(german.additions.keys) + Array(german.multipliers.keys)).sorted { $0.count > $1.count }
}
