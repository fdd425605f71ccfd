/// A piece of speech that is one clip: a number's word, a unit of money, a phrase.
public struct SpokenWord: Hashable, Sendable {
  /// The clip's name inside its language, ASCII: `7`, `hundred`, `eur-many`.
  public var id: String
  /// As it is written.
  public var text: String
  /// What is given to a synthesiser, where that is not the text: kana for Japanese numbers.
  public var reading: String
  /// Whether it is written onto the word before it, without a space: `ein` `hundert`.
  public var isGlued: Bool

  /// Creates a word.
  public init(_ id: String, _ text: String, reading: String? = nil, isGlued: Bool = false) {
    self.id = id
    self.text = text
    self.reading = reading ?? text
    self.isGlued = isGlued
  }

  /// The word, written onto the one before it.
  var glued: SpokenWord {
    var word = self
    word.isGlued = true
    return word
  }
}

extension Sequence<SpokenWord> {
  /// The words as a reader would write them.
  public var text: String { joined(\.text) }

  /// The words as a synthesiser should read them.
  public var reading: String { joined(\.reading) }

  private func joined(_ part: (SpokenWord) -> String) -> String {
    reduce(into: "") { text, word in
      if !word.isGlued, !text.isEmpty { text += " " }
      text += part(word)
    }
  }
}
