import ESCPOS
public import Sound

/// A program that shows what was said, or was to be said, on a screen.
///
/// Its command line is a list of words, not a line for a shell: whatever stands in a text, it is one word of it.
public struct Screen: Sendable, Equatable {
  /// Words that no program can be started by.
  public struct Fault: Error, Equatable, CustomStringConvertible {
    /// The fault, with the remedy.
    public let description: String
  }

  /// How long the program may take for one text.
  static let patience = Duration.seconds(5)

  /// The program and its words; `{title}` and `{body}` in them are filled.
  public let words: [String]

  /// Takes a command line: `["notify-send", "--", "{title}", "{body}"]`.
  ///
  /// - Throws: ``Fault``.
  public init(_ words: [String]) throws(Fault) {
    guard let program = words.first, !program.isEmpty, !program.contains("{") else {
      throw Fault(description: "must begin with a program")
    }
    guard words.dropFirst().contains(where: { $0.contains("{body}") }) else {
      throw Fault(description: "must have a word with {body} behind the program")
    }
    guard words.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw Fault(description: "must not have a NUL in it")
    }
    self.words = words
  }

  /// The program: a path, or a name in `PATH`.
  public var program: String { words[0] }

  /// Shows a text and waits for the program's end.
  ///
  /// - Throws: ``SoundError``: `unavailable` when it cannot be started, `deadline` when it takes more than five seconds,
  ///   `failed`.
  public func show(_ text: ScreenText) async throws(SoundError) {
    let run = Program(
      path: program, arguments: words.dropFirst().map { Self.fill($0, text) }, outputLimit: 65_536,
      remedy: "see voice.screen in the configuration")
    _ = try await run.run([], by: BootClock().now.advanced(by: Self.patience))
  }

  /// A word with its places filled, each once: a text that has such a place in it fills nothing.
  static func fill(_ word: String, _ text: ScreenText) -> String {
    var filled = ""
    var rest = Substring(word)
    while let character = rest.first {
      if rest.hasPrefix("{title}") {
        filled += text.title
        rest = rest.dropFirst("{title}".count)
      } else if rest.hasPrefix("{body}") {
        filled += text.body
        rest = rest.dropFirst("{body}".count)
      } else {
        filled.append(character)
        rest = rest.dropFirst()
      }
    }
    return filled
  }
}
