public import SpokenAmounts
public import Sound

/// The clips of one voice in one language, in memory, ready to be joined.
public struct ClipSet: Sendable, Equatable {
  /// Sample rates that a set may have.
  static let rates = 8000...48_000
  /// The longest clip in samples: ten seconds at the highest rate.
  static let longestClip = 480_000
  /// Clips that one set has at most.
  static let mostClips = 2000
  /// Samples of all clips together at most; 32 MB.
  static let mostSamples = 16 << 20

  /// A clip and what is said in it.
  struct Clip: Sendable, Equatable {
    var text: String
    var pcm: PCM
  }

  /// The manifest that came with it.
  public let manifest: ClipManifest
  let clips: [String: Clip]

  init(manifest: ClipManifest, clips: [String: Clip]) {
    self.manifest = manifest
    self.clips = clips
  }

  /// Samples per second.
  public var rate: Int { manifest.rate }

  /// The words that it cannot say: it has no such clip, or one that says something else.
  public func missing(of words: some Sequence<SpokenWord>) -> [SpokenWord] {
    words.filter { clips[$0.id]?.text != $0.text }
  }

  /// The words one straight after the other, as many samples as their clips have together.
  ///
  /// - Returns: nil when one of them is missing; a part of a phrase is never said.
  public func joined(_ words: [SpokenWord]) -> PCM? {
    guard !words.isEmpty, missing(of: words).isEmpty else { return nil }
    return try? PCM.joined(words.compactMap { clips[$0.id]?.pcm })
  }

  /// The length of all clips of some words, in samples; nil when one is missing.
  public func frames(of words: [SpokenWord]) -> Int? {
    guard missing(of: words).isEmpty else { return nil }
    return words.reduce(0) { $0 + (clips[$1.id]?.pcm.samples.count ?? 0) }
  }

  /// Without the words of amounts and the beginning of at least one phrase a set is of no use.
  ///
  /// - Throws: ``SoundError`` (`content`) that names everything that is missing.
  func requireComplete(_ phrasebook: Phrasebook, at path: String) throws(SoundError) {
    let numbers = missing(of: phrasebook.numbers)
    let phrases = phrasebook.phrases
    let lacksPhrases = missing(of: phrases).count == phrases.count && !phrases.isEmpty
    guard !numbers.isEmpty || lacksPhrases else { return }
    let names = (numbers + (lacksPhrases ? phrases : [])).map { "\($0.id) (\($0.text))" }
    let listed = names.prefix(12).joined(separator: ", ")
    throw SoundError(
      .content,
      "\(path): the set is not complete; \(numbers.isEmpty ? "it needs at least one of" : "it lacks") \(listed)"
        + (names.count > 12 ? " and \(names.count - 12) more" : ""))
  }
}
