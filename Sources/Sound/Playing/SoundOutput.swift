public import ESCPOS

/// A way to be heard: a sound server, a sound card, a file, or nothing at all.
public protocol SoundOutput: Sendable {
  /// Opens the way for one announcement, or for several in a row.
  ///
  /// - Throws: ``SoundError``: `unavailable` when nothing is there, `deadline` when it does not answer in time.
  func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession
}

/// An open ``SoundOutput``. Its holder closes it.
public protocol SoundSession: Sendable {
  /// The speaker that sound would go to, as it is now.
  ///
  /// - Throws: ``SoundError``: `unavailable` when there is none; `lost`, `deadline`.
  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink

  /// Plays a sound; returns when its last sample has been heard.
  ///
  /// - Parameters:
  ///   - gain: What the sound's own volume is to be, 1 for as it is; only where ``Sink/carriesGain``.
  ///   - overridesMute: Whether the sound's own mute, which a user can set in a mixer, is taken off.
  ///   - deadline: When to give up; the sound then ends at once.
  /// - Throws: ``SoundError``: `lost` when the server or the speaker goes away in the middle; `deadline`, `failed`.
  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback

  /// Sets a speaker's volume, of each channel.
  func setVolume(_ volume: ChannelVolume, ofSink name: String, by deadline: BootInstant)
    async throws(SoundError)

  /// Mutes a speaker, or takes its mute off.
  func setMute(_ isMuted: Bool, ofSink name: String, by deadline: BootInstant) async throws(SoundError)

  /// The speaker of a name as it is now, or nil when it is not there.
  func sink(named name: String, by deadline: BootInstant) async throws(SoundError) -> Sink?

  /// Whether the server itself lowers other sound while an announcement (media.role=announce) plays.
  func lowersOthers(by deadline: BootInstant) async throws(SoundError) -> Bool

  /// The sound of other programs, of all speakers.
  func others(by deadline: BootInstant) async throws(SoundError) -> [OtherSound]

  /// Sets the volume of another program's sound.
  func setVolume(_ volume: ChannelVolume, of other: OtherSound, by deadline: BootInstant)
    async throws(SoundError)

  /// Where the server remembers `lowered` as the volume of the program's next sound, makes it remember `original`.
  func forget(
    _ lowered: ChannelVolume, for original: ChannelVolume, of memory: String, by deadline: BootInstant
  ) async throws(SoundError)

  /// Closes; a second call does nothing.
  func close() async
}

/// How a sound was played.
public struct Playback: Sendable, Equatable {
  /// From the first sample given to the last one heard.
  public var elapsed: Duration
  /// Gaps because samples came late.
  public var gaps: Int
  /// Whether the sound itself was muted in the server, so that nothing was played.
  public var wasMuted: Bool

  /// Creates the facts.
  public init(elapsed: Duration, gaps: Int = 0, wasMuted: Bool = false) {
    self.elapsed = elapsed
    self.gaps = gaps
    self.wasMuted = wasMuted
  }
}

/// The sound of another program.
public struct OtherSound: Sendable, Equatable {
  /// The server's number for it; may be used again after it has ended.
  public var index: UInt32
  /// The speaker's number.
  public var sink: UInt32
  /// What it is called: the program, and the server's name for its remembered volume.
  public var name: String
  /// The key under which the server remembers its volume, or nil.
  public var memory: String?
  /// Its volume, or nil when it has none that can be set.
  public var volume: ChannelVolume?

  /// Creates the description.
  public init(index: UInt32, sink: UInt32, name: String, memory: String?, volume: ChannelVolume?) {
    self.index = index
    self.sink = sink
    self.name = name
    self.memory = memory
    self.volume = volume
  }
}
