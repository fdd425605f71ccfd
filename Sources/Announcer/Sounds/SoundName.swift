/// The name of a sound in one folder, and nowhere else: what a wake's `sound` may say.
///
/// No slash, no NUL or other control character, no dot in front (so neither `.` nor `..`), at most 128 bytes.
public struct SoundName: Sendable, Hashable {
  /// The name.
  public let text: String

  /// Takes a name; nil for one that could lead elsewhere.
  public init?(_ text: String) {
    guard (1...128).contains(text.utf8.count), !text.hasPrefix("."),
      text.unicodeScalars.allSatisfy({ $0 != "/" && $0 != "\\" && $0.properties.generalCategory != .control })
    else { return nil }
    self.text = text
  }

  /// The name with the ending of the files that are written here: `cash.m4a` as `cash.wav`.
  var asWAV: SoundName? {
    guard let dot = text.lastIndex(of: "."), dot > text.startIndex else { return SoundName(text + ".wav") }
    return SoundName(text[..<dot] + ".wav")
  }
}
