import Glibc
public import Sound

/// The group container: a folder of sounds that other programs share with the daemon.
///
/// `groups/<id>/Library/Sounds/` under the state directory. A sound that lies there can be played by its name; the phrase
/// of an event can be left there, as `event-<id>.wav`, for another program to play.
public struct SoundGroup: Sendable, Equatable {
  /// The largest prepared sound.
  static let largest = 16 << 20
  /// The longest prepared sound: the payments that wait behind it must not grow too old.
  static let longest = Duration.seconds(30)
  /// Phrases of events that are kept.
  static let mostEvents = 16
  private static let eventPrefix = "event-"

  /// The folder.
  public let folder: String

  /// Names a group's folder; nothing is made yet. Nil for an id that is no plain name.
  public init?(_ id: String, stateDirectory: String) {
    guard let name = SoundName(id) else { return nil }
    folder = "\(stateDirectory)/groups/\(name.text)/Library/Sounds"
  }

  /// Makes the folder and the ones it is in, for the daemon and its group.
  ///
  /// - Throws: ``SoundError`` (`file`).
  public func make() throws(SoundError) { try SoundFiles.makeFolder(folder) }

  /// The sound that lies ready under a name, or under the same name with the ending `.wav`.
  ///
  /// The name comes from a wake: one that could lead out of the folder names nothing, and a link is not followed.
  ///
  /// - Returns: nil when there is none.
  /// - Throws: ``SoundError`` for a file that is no sound, or one of more than half a minute.
  public func prepared(_ text: String) throws(SoundError) -> PCM? {
    guard let name = SoundName(text) else { return nil }
    for name in [name, name.asWAV].compactMap(\.self) {
      guard let bytes = try SoundFiles.bytes(name, in: folder, limit: Self.largest) else { continue }
      let pcm = try AudioFile.read(bytes, name: "\(folder)/\(name.text)", longest: Self.longest)
      if !pcm.samples.isEmpty { return pcm }
    }
    return nil
  }

  /// Leaves the phrase of an event as a file of its own, whole or not at all, and takes the oldest ones away.
  ///
  /// - Returns: The file's name.
  /// - Throws: ``SoundError``.
  @discardableResult
  public func leave(_ pcm: PCM, for event: String) throws(SoundError) -> String {
    try make()
    let name = Self.eventName(event)
    try SoundFiles.write(AudioFile.wav(pcm), to: "\(folder)/\(name)")
    reap()
    return name
  }

  /// Takes away all phrases of events but the newest, and what an interrupted writer has left.
  public func reap() {
    var kept = 0
    for entry in SoundFiles.entries(of: folder) where entry.name.hasPrefix(Self.eventPrefix) {
      if entry.name.hasSuffix(".wav"), kept < Self.mostEvents {
        kept += 1
      } else if entry.name.hasSuffix(".wav") || Self.isOld(entry) {
        unlink("\(folder)/\(entry.name)")
      }
    }
  }

  /// A writer needs milliseconds; what is older than a minute was left by one that is gone.
  private static func isOld(_ entry: SoundFiles.Entry) -> Bool { time(nil) - entry.time.0 > 60 }

  /// Plain ids stand in the name, others their digest.
  private static func eventName(_ event: String) -> String {
    let isPlain =
      (1...64).contains(event.utf8.count)
      && event.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
    let word = isPlain ? event : SHA256.hex(Array(event.utf8)).map { String($0.prefix(32)) } ?? "unnamed"
    return "\(eventPrefix)\(word).wav"
  }
}
