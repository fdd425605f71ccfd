import ESCPOS

/// What stands behind the command on the command line.
///
/// A command takes its options and positions out one after another; ``finish()`` refuses what is left.
struct Arguments {
  private var words: [String]
  private let command: String
  /// The options that the command has asked for, to name the nearest one.
  private var known: [String] = ["--help"]

  /// Creates the arguments of `command`; `--name=value` is read as `--name value`.
  init(_ words: some Sequence<String>, of command: String) {
    self.command = command
    var split: [String] = []
    var onlyPositions = false
    for word in words {
      if !onlyPositions, word.hasPrefix("--"), word != "--", let equals = word.firstIndex(of: "=") {
        split += [String(word[..<equals]), String(word[word.index(after: equals)...])]
      } else {
        split.append(word)
      }
      if word == "--" { onlyPositions = true }
    }
    self.words = split
  }

  private var optionsEnd: Int { words.firstIndex(of: "--") ?? words.count }

  /// Whether one of `names` is there.
  mutating func flag(_ names: String...) -> Bool {
    known += names
    guard let index = words[..<optionsEnd].firstIndex(where: { names.contains($0) }) else { return false }
    words.remove(at: index)
    return true
  }

  /// The word behind one of `names`, or nil when none is there.
  mutating func option(_ names: String...) throws(Failure) -> String? {
    known += names
    guard let index = words[..<optionsEnd].firstIndex(where: { names.contains($0) }) else { return nil }
    guard index + 1 < optionsEnd else {
      throw Failure(.usage, "\(words[index]) needs a value behind it", remedy: hint)
    }
    words.remove(at: index)
    return words.remove(at: index)
  }

  /// The next word that is no option, or nil.
  mutating func position() -> String? {
    if let end = words.firstIndex(of: "--") {
      guard let index = words[..<end].firstIndex(where: { !Self.isOption($0) }) else {
        return end + 1 < words.count ? words.remove(at: end + 1) : nil
      }
      return words.remove(at: index)
    }
    guard let index = words.firstIndex(where: { !Self.isOption($0) }) else { return nil }
    return words.remove(at: index)
  }

  /// The next word that is no option.
  mutating func position(_ name: String) throws(Failure) -> String {
    guard let word = position() else { throw Failure(.usage, "\(name) is missing", remedy: hint) }
    return word
  }

  /// Refuses what nobody has taken; an option by the name of the nearest one.
  func finish() throws(Failure) {
    guard let word = words[..<optionsEnd].first(where: Self.isOption) ?? words.first(where: { $0 != "--" })
    else { return }
    let long = known.filter { $0.hasPrefix("--") }
    let nearest = word.hasPrefix("--") ? nearestWord(to: word, among: long) : nil
    let question = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    throw Failure(.usage, "\(word) is not understood\(question)", remedy: hint)
  }

  private var hint: String { "printd help \(command)" }

  private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }
}
