/// A language in which amounts are said.
public enum SpokenLanguage: String, Sendable, CaseIterable {
  /// Mandarin, in simplified characters.
  case mandarin = "zh"
  /// Cantonese, in traditional characters.
  case cantonese = "yue"
  /// English, numbers without "and": "one hundred one".
  case english = "en"
  /// German.
  case german = "de"
  /// French as in France: "soixante-dix", "quatre-vingts".
  case french = "fr"
  /// Spanish.
  case spanish = "es"
  /// Japanese.
  case japanese = "ja"

  /// The language of a tag such as `zh-CN`, `zh_HK` or `de`; nil for one that is not spoken here.
  ///
  /// Chinese of Hong Kong and Macau is Cantonese, every other Chinese is Mandarin.
  public init?(tag: String) {
    let parts = tag.lowercased().split { $0 == "-" || $0 == "_" || $0 == "." }
    guard let first = parts.first else { return nil }
    if first == "zh", parts.dropFirst().contains(where: { ["hk", "mo", "yue"].contains($0) }) {
      self = .cantonese
    } else {
      self.init(rawValue: first == "cmn" ? "zh" : String(first))
    }
  }

  /// Whether words are written without spaces between them.
  public var isUnspaced: Bool {
    switch self {
    case .mandarin, .cantonese, .japanese: true
    case .english, .german, .french, .spanish: false
    }
  }
}
