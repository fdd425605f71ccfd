import Documents
import ESCPOS
public import Sound
import SpokenAmounts

extension ClipSet {
  /// Reads a set and makes its clips ready: as they are to be spoken, their ends faded.
  ///
  /// Every file is read and compared with the manifest; a set that is not whole is refused.
  ///
  /// - Parameters:
  ///   - folder: The folder with `set.json`.
  ///   - phrasebook: What the set must be able to say, or nil to ask for nothing.
  ///   - prosody: How they are to be spoken.
  /// - Throws: ``SoundError``: `file` when something cannot be read, `content` for anything that is not right, by name.
  public static func read(
    _ folder: String, for phrasebook: Phrasebook?, prosody: Prosody = Prosody()
  ) throws(SoundError) -> ClipSet {
    let manifest = try manifest(in: folder)
    if let phrasebook, manifest.language != phrasebook.reader.language.rawValue {
      throw SoundError(
        .content,
        "\(folder): the set speaks \"\(manifest.language)\", not \"\(phrasebook.reader.language.rawValue)\"")
    }
    var clips: [String: Clip] = [:]
    var samples = 0
    for entry in manifest.clips {
      let pcm = try pcm(of: entry, at: manifest.rate, in: folder)
      samples += pcm.samples.count
      guard samples <= mostSamples else {
        throw SoundError(.content, "\(folder): the clips are more than \(mostSamples >> 19) MB together")
      }
      let ready = try prosody.applied(to: pcm).faded(.milliseconds(3))
      clips[entry.id] = Clip(text: entry.text, pcm: ready)
    }
    let set = ClipSet(manifest: manifest, clips: clips)
    if let phrasebook { try set.requireComplete(phrasebook, at: folder) }
    return set
  }

  /// Reads only what a set says of itself.
  ///
  /// - Throws: ``SoundError``.
  public static func manifest(in folder: String) throws(SoundError) -> ClipManifest {
    let path = "\(folder)/\(ClipManifest.fileName)"
    guard let name = SoundName(ClipManifest.fileName),
      let bytes = try SoundFiles.bytes(name, in: folder, limit: 4 << 20)
    else { throw SoundError(.file, "\(path): is not there") }
    do throws(DocumentFault) {
      return try DocumentReader.read(ClipManifest.self, from: bytes)
    } catch {
      throw SoundError(.content, "\(path): \(error)")
    }
  }

  private static func pcm(
    of clip: ClipManifest.Clip, at rate: Int, in folder: String
  ) throws(SoundError) -> PCM {
    let path = "\(folder)/\(clip.file)"
    guard let name = SoundName(clip.file), let bytes = try SoundFiles.bytes(name, in: folder, limit: 4 << 20)
    else { throw SoundError(.file, "\(path): is not there, or is a link") }
    guard SHA256.hex(bytes) == clip.sha256 else {
      throw SoundError(
        .content, "\(path): is not the file that the set was made with; build or import it again")
    }
    let pcm = try AudioFile.read(bytes, name: path, longest: .seconds(60))
    guard pcm.rate == rate, pcm.samples.count == clip.frames else {
      throw SoundError(
        .content,
        "\(path): has \(pcm.samples.count) samples at \(pcm.rate) a second, not \(clip.frames) at \(rate)")
    }
    return pcm
  }
}
