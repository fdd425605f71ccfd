/// What a file of sound is, by its first bytes, and whether its end is there.
///
/// Only these four reach libsndfile, whose readers of rarer kinds have had faults; it mends a sound that breaks off
/// in silence, so that this is looked for here.
enum AudioContainer: String {
  case wav = "WAV"
  case flac = "FLAC"
  case ogg = "Ogg"
  case mp3 = "MP3"

  /// The container of a file with these bytes, or nil for anything else.
  init?(of bytes: [UInt8]) {
    func has(_ text: String, at offset: Int) -> Bool {
      bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
    }
    if has("RIFF", at: 0), has("WAVE", at: 8) {
      self = .wav
    } else if has("fLaC", at: 0) {
      self = .flac
    } else if has("OggS", at: 0) {
      self = .ogg
    } else if has("ID3", at: 0) || bytes.count > 1 && bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0 {
      self = .mp3
    } else {
      return nil
    }
  }

  /// Whether the container says that there should be more than there is. FLAC and MP3 say it by their count of samples.
  func breaksOff(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .wav: Self.waveBreaksOff(bytes)
    case .ogg: Self.oggBreaksOff(bytes)
    case .flac, .mp3: false
    }
  }

  /// Lengths that programs write which do not know it yet: of a pipe, and espeak-ng's.
  private static let unknownLengths: Set<Int> = [0, 0x7FFF_F000, 0xFFFF_FFFF]

  private static func waveBreaksOff(_ bytes: [UInt8]) -> Bool {
    var offset = 12
    while offset + 8 <= bytes.count {
      let length = bytes[(offset + 4)..<(offset + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let rest = bytes.count - offset - 8
      if bytes[offset...].starts(with: "data".utf8) {
        return length > rest && !unknownLengths.contains(length)
      }
      guard length <= rest else { return true }
      offset += 8 + length + length % 2
    }
    return true
  }

  /// The last page of an Ogg stream has bit 2 of its flags set (RFC 3533, 6) and all of its segments.
  private static func oggBreaksOff(_ bytes: [UInt8]) -> Bool {
    var offset = 0
    var isLast = false
    while offset + 27 <= bytes.count, bytes[offset...].starts(with: "OggS".utf8) {
      let segments = Int(bytes[offset + 26])
      let body = offset + 27 + segments
      guard body <= bytes.count else { return true }
      isLast = bytes[offset + 5] & 4 != 0
      offset = bytes[(offset + 27)..<body].reduce(body) { $0 + Int($1) }
      if offset > bytes.count { return true }
    }
    return !isLast
  }
}
