import Glibc
import Sound

/// What the online voice has said, kept on disk by what was asked, the least used taken away first.
public struct SpeechCache: Sendable, Equatable {
  /// The folder.
  public let folder: String
  /// Bytes of all files together at most.
  public let limit: Int
  /// Whether it is only read: nothing is kept, made or taken away.
  public let isReadOnly: Bool

  /// Names a cache; nothing is made yet.
  public init(folder: String, limit: Int = 32 << 20, isReadOnly: Bool = false) {
    self.folder = folder
    self.limit = limit
    self.isReadOnly = isReadOnly
  }

  /// What was said to this question, or nil. A file that is no sound is taken away.
  func sound(for question: String) -> PCM? {
    guard let name = Self.name(question), let bytes = try? SoundFiles.bytes(name, in: folder, limit: limit)
    else {
      return nil
    }
    let path = "\(folder)/\(name.text)"
    guard let pcm = try? AudioFile.read(bytes, name: path), !pcm.samples.isEmpty else {
      if !isReadOnly { unlink(path) }
      return nil
    }
    if !isReadOnly { utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) }
    return pcm
  }

  /// Keeps an answer, whole or not at all.
  ///
  /// - Throws: ``SoundError``; the answer is then only not kept.
  func keep(_ pcm: PCM, for question: String) throws(SoundError) {
    guard !isReadOnly, let name = Self.name(question) else { return }
    try SoundFiles.makeFolder(folder)
    try SoundFiles.write(AudioFile.wav(pcm), to: "\(folder)/\(name.text)")
    var sum = 0
    for entry in SoundFiles.entries(of: folder) {
      sum += entry.size
      if sum > limit { unlink("\(folder)/\(entry.name)") }
    }
  }

  private static func name(_ question: String) -> SoundName? {
    SHA256.hex(Array(question.utf8)).flatMap { SoundName("\($0).wav") }
  }
}
