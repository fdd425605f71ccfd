import Glibc

/// Files of sound: WAV, FLAC, Ogg (Vorbis, Opus) and MP3 are read, WAV is written.
public enum AudioFile {
  /// The longest sound that is taken where nothing else is said.
  public static let longest = Duration.seconds(60)

  /// The largest file that is taken.
  public static let largest = 64 << 20

  /// Reads a file of any usual rate and up to eight channels, which are mixed into one.
  ///
  /// 16-bit mono comes back sample by sample as it is in the file.
  ///
  /// - Parameters:
  ///   - path: A regular file of ``largest`` bytes at most.
  ///   - longest: The longest sound to take.
  /// - Throws: ``SoundError``: `file` when it cannot be read; `content` for what is no sound, breaks off, is too long, has
  ///   a rate outside ``PCM/rates`` or samples that are no numbers.
  public static func read(_ path: String, longest: Duration = longest) throws(SoundError) -> PCM {
    try read(try bytes(of: path), name: path, longest: longest)
  }

  /// Reads the bytes of such a file.
  ///
  /// - Parameter name: What they are called in messages.
  /// - Throws: ``SoundError`` (`content`).
  public static func read(
    _ bytes: [UInt8], name: String, longest: Duration = longest
  ) throws(SoundError) -> PCM {
    guard let container = AudioContainer(of: bytes) else {
      throw SoundError(.content, "\(name): neither WAV, FLAC, Ogg nor MP3; convert it to one of them")
    }
    guard !container.breaksOff(bytes) else {
      throw SoundError(
        .content, "\(name): the \(container.rawValue) file breaks off; copy it again from its source")
    }
    return try SndFile.decode(bytes, container, name: name, longest: longest)
  }

  /// The bytes of a WAV file with a sound.
  public static func wav(_ pcm: PCM) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let length = pcm.samples.count * 2
    var bytes = Array("RIFF".utf8) + little(36 + length, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2)
    bytes += little(pcm.rate, 4) + little(pcm.rate * 2, 4) + little(2, 2) + little(16, 2)
    bytes += Array("data".utf8) + little(length, 4)
    bytes.reserveCapacity(bytes.count + length)
    for sample in pcm.samples {
      let bits = UInt16(bitPattern: sample)
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
    }
    return bytes
  }

  /// Writes a sound as a WAV file, whole or not at all: beside it first, synced, then renamed over it.
  ///
  /// - Throws: ``SoundError`` (`file`); an older file of that name is then as it was.
  public static func writeWAV(_ pcm: PCM, to path: String) throws(SoundError) {
    let beside = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw fault("cannot be written", path) }
    var error: SoundError?
    let bytes = wav(pcm)
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty, error == nil {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          error = fault("cannot be written", path)
        }
      }
    }
    if error == nil, fsync(descriptor) != 0 { error = fault("cannot be written", path) }
    close(descriptor)
    if error == nil, rename(beside, path) != 0 { error = fault("cannot be put in place", path) }
    guard let error else { return }
    unlink(beside)
    throw error
  }

  private static func bytes(of path: String) throws(SoundError) -> [UInt8] {
    // Without O_NONBLOCK, a pipe among the clips would hold up whoever opens it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw fault("cannot be opened", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fault("cannot be read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SoundError(.file, "\(path): not a regular file") }
    guard status.st_size <= largest else {
      throw SoundError(.content, "\(path): larger than \(largest >> 20) MB; a clip has seconds, not minutes")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw fault("cannot be read", path)
      }
    }
    return Array(bytes[..<filled])
  }

  private static func fault(_ what: String, _ path: String) -> SoundError {
    SoundError(.file, "\(path): \(what): \(String(cString: strerror(errno)))")
  }
}
