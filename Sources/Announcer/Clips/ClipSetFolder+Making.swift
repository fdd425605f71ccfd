import ESCPOS
public import Sound
import SpokenAmounts

extension ClipSetFolder {
  /// Makes a set with the synthesiser of this machine: every word of every amount, every phrase.
  ///
  /// - Parameter progress: Called with the clips that are ready and all that will be.
  /// - Throws: ``SoundError``; the set that was there before is then as it was.
  public func build(
    _ phrasebook: Phrasebook, with synthesiser: Synthesiser,
    progress: @Sendable (_ ready: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws(SoundError) -> ClipManifest {
    let words = phrasebook.clips
    var recordings: [Recording] = []
    for word in words {
      let pcm = try await synthesiser.speak(word.reading, in: phrasebook.reader.language, by: .inSeconds(10))
      recordings.append(Recording(word: word, pcm: pcm))
      progress(recordings.count, words.count)
    }
    let engine = try await synthesiser.version(by: .inSeconds(10))
    return try install(
      recordings, language: phrasebook.reader.language,
      engine: "\(engine), voice \(Synthesiser.voice(phrasebook.reader.language))",
      licence: "made by a synthesiser on this machine; free of recordings of others")
  }

  /// Makes a set of a shop's own recordings.
  ///
  /// A file belongs to the word whose name or text it bears, whatever its ending: `7.wav`, `七.mp3`, `tts_7.flac`, `wx.ogg`.
  ///
  /// - Parameters:
  ///   - source: The folder with the recordings: WAV, FLAC, Ogg, MP3.
  ///   - licence: What may be done with them.
  /// - Returns: The set, and the files that belong to no word.
  /// - Throws: ``SoundError`` that names everything that is missing or wrong: `invalid` when `source` is no folder that can be
  ///   read, or has no recordings. The set that was there before is then as it was.
  public func take(
    from source: String, _ phrasebook: Phrasebook, licence: String
  ) throws(SoundError) -> (manifest: ClipManifest, unused: [String]) {
    var files = try Recordings(in: source)
    var recordings: [Recording] = []
    for word in phrasebook.clips {
      guard let path = try files.take(word) else { continue }
      let pcm = try AudioFile.read(path, longest: .seconds(10)).trimmed().levelled()
      guard !pcm.samples.isEmpty else { throw SoundError(.content, "\(path): is silent") }
      recordings.append(Recording(word: word, pcm: pcm))
    }
    let rate = recordings.map(\.pcm.rate).max().map { min($0, ClipSet.rates.upperBound) } ?? 22_050
    for index in recordings.indices where recordings[index].pcm.rate != rate {
      recordings[index].pcm = try recordings[index].pcm.resampled(to: rate)
    }
    let manifest = ClipManifest(language: "", engine: "", licence: "", rate: rate, clips: [])
    let clips = recordings.map { ($0.word.id, ClipSet.Clip(text: $0.word.text, pcm: $0.pcm)) }
    try ClipSet(manifest: manifest, clips: Dictionary(uniqueKeysWithValues: clips)).requireComplete(
      phrasebook, at: source)
    return (
      try install(
        recordings, language: phrasebook.reader.language, engine: "recordings", licence: licence),
      files.unused
    )
  }

  /// The files of a folder by what they are called without their endings.
  private struct Recordings {
    private let folder: String
    private var files: [String: [String]] = [:]

    init(in folder: String) throws(SoundError) {
      self.folder = folder
      try SoundFiles.requireFolder(folder)
      for entry in SoundFiles.entries(of: folder) where !entry.name.hasPrefix(".") {
        guard let dot = entry.name.lastIndex(of: ".") else { continue }
        let stem = entry.name[..<dot].lowercased()
        files[stem.hasPrefix("tts_") ? String(stem.dropFirst(4)) : stem, default: []].append(entry.name)
      }
      guard !files.isEmpty else {
        throw SoundError(
          .invalid,
          "\(folder): there are no recordings in this folder (WAV, FLAC, Ogg, MP3); "
            + "`printd voice script` lists what to record")
      }
    }

    mutating func take(_ word: SpokenWord) throws(SoundError) -> String? {
      let names = Set([word.id.lowercased(), word.text.lowercased()]).flatMap { files[$0] ?? [] }
      guard names.count < 2 else {
        throw SoundError(
          .content,
          "\(folder): \(names.sorted().joined(separator: " and ")) are both \"\(word.text)\"; keep one")
      }
      files[word.id.lowercased()] = nil
      files[word.text.lowercased()] = nil
      return names.first.map { "\(folder)/\($0)" }
    }

    var unused: [String] { files.values.flatMap(\.self).sorted() }
  }
}

extension BootInstant {
  /// An instant from now.
  static func inSeconds(_ seconds: Int) -> BootInstant { BootClock().now.advanced(by: .seconds(seconds)) }
}
