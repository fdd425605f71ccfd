import Glibc
public import Sound
public import SpokenAmounts

/// The folder of one set, to be filled.
///
/// The clips' files are written first, under names that carry their digest, then the manifest takes the place of the old
/// one in one step: whoever reads the folder finds the old set or the new one, never half of each.
public struct ClipSetFolder: Sendable {
  /// A clip to be written.
  public struct Recording: Sendable {
    /// What it says.
    public var word: SpokenWord
    /// Its sound, already trimmed and levelled.
    public var pcm: PCM
  }

  /// The folder.
  public let path: String

  /// Names a folder; nothing is made yet.
  public init(_ path: String) { self.path = path }

  /// Installs a set.
  ///
  /// - Parameters:
  ///   - recordings: The clips, all of one rate.
  ///   - engine: Who speaks.
  ///   - licence: What may be done with them.
  /// - Throws: ``SoundError``; the set that was there before is then as it was.
  public func install(
    _ recordings: [Recording], language: SpokenLanguage, engine: String, licence: String
  ) throws(SoundError) -> ClipManifest {
    guard let rate = recordings.first?.pcm.rate else {
      throw SoundError(.invalid, "\(path): there are no clips")
    }
    try SoundFiles.makeFolder(path)
    let before = Set(SoundFiles.entries(of: path).map(\.name))
    do throws(SoundError) {
      return try write(recordings, rate: rate, language: language, engine: engine, licence: licence)
    } catch {
      // A full disk is not to be filled with half a set.
      for entry in SoundFiles.entries(of: path) where !before.contains(entry.name) {
        unlink("\(path)/\(entry.name)")
      }
      throw error
    }
  }

  private func write(
    _ recordings: [Recording], rate: Int, language: SpokenLanguage, engine: String, licence: String
  ) throws(SoundError) -> ClipManifest {
    var clips: [ClipManifest.Clip] = []
    for recording in recordings {
      guard recording.pcm.rate == rate else {
        throw SoundError(.invalid, "\(path): clips of \(rate) and of \(recording.pcm.rate) samples a second")
      }
      let bytes = AudioFile.wav(recording.pcm)
      guard let digest = SHA256.hex(bytes) else { throw SoundError(.failed, "libcrypto has no SHA-256") }
      let file = "\(recording.word.id)-\(digest.prefix(8)).wav"
      guard SoundName(file) != nil else { throw SoundError(.invalid, "\(file): is no name for a file") }
      try SoundFiles.write(bytes, to: "\(path)/\(file)")
      clips.append(
        .init(
          id: recording.word.id, text: recording.word.text, file: file, frames: recording.pcm.samples.count,
          sha256: digest))
    }
    let manifest = ClipManifest(
      language: language.rawValue, engine: engine, licence: licence, rate: rate, clips: clips)
    try SoundFiles.write(manifest.json(), to: "\(path)/\(ClipManifest.fileName)")
    removeAllBut(Set(clips.map(\.file)))
    return manifest
  }

  /// Takes away the clips of the set before, and what an interrupted writer has left.
  private func removeAllBut(_ files: Set<String>) {
    for entry in SoundFiles.entries(of: path)
    where entry.name.hasSuffix(".wav") && !files.contains(entry.name) || entry.name.hasSuffix(".tmp") {
      unlink("\(path)/\(entry.name)")
    }
  }
}
