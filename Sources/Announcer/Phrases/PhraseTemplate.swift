import SpokenAmounts

/// A phrase with a place for an amount: `微信收款{amount}`, `Received {amount} by card`.
public struct PhraseTemplate: Sendable, Equatable {
  /// What is wrong with a template's text.
  public struct Fault: Error, Equatable, CustomStringConvertible {
    /// The fault, with the remedy.
    public let description: String
  }

  /// The mark that stands for the amount.
  public static let place = "{amount}"
  /// The longest text.
  static let longest = 100

  let before: String
  let after: String

  /// Reads a template: some text, and the place of the amount exactly once.
  ///
  /// - Throws: ``Fault``.
  public init(_ text: String) throws(Fault) {
    guard text.count <= Self.longest else {
      throw Fault(description: "must be at most \(Self.longest) characters long")
    }
    guard let place = text.firstRange(of: Self.place) else {
      throw Fault(description: "must have \(Self.place) where the amount is to be said")
    }
    before = String(text[..<place.lowerBound])
    after = String(text[place.upperBound...])
    if let mark = (before + after).first(where: { $0 == "{" || $0 == "}" }) {
      throw Fault(description: "must have \(Self.place) once, and no other \"\(mark)\"")
    }
  }

  /// A template of this file.
  init(before: String, after: String = "") {
    self.before = before
    self.after = after
  }

  /// The clips around the amount, named after the template: `wx` before it, `wx-2` behind it.
  func pieces(_ id: String, _ reader: AmountReader) -> (before: [SpokenWord], after: [SpokenWord]) {
    (SpokenWord.phrase(id, before, reader), SpokenWord.phrase("\(id)-2", after, reader))
  }
}

extension SpokenWord {
  /// A fixed piece of speech; none for a text without a word. It is read with its numbers in words, where a synthesiser reads
  /// digits wrong.
  static func phrase(_ id: String, _ text: String, _ reader: AmountReader) -> [SpokenWord] {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
    let words = text.split(separator: " ").joined(separator: " ")
    let startsWithMark = words.first?.isPunctuation ?? false
    return [
      SpokenWord(
        id, words, reading: SpeakableText.reading(words, reader),
        isGlued: reader.language.isUnspaced || startsWithMark)
    ]
  }
}

extension String {
  /// The first place where `text` stands.
  fileprivate func firstRange(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
