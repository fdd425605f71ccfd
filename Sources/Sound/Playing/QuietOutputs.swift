public import ESCPOS

/// Writes each sound to a WAV file instead of playing it; the last one stays.
public struct FileOutput: SoundOutput {
  /// The file.
  public let path: String

  /// Creates the output; nothing is written yet.
  public init(path: String) { self.path = path }

  /// Opens; never fails.
  public func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    QuietSession(name: path) { [path] pcm throws(SoundError) in try AudioFile.writeWAV(pcm, to: path) }
  }
}

/// Takes every sound and plays none.
public struct NullOutput: SoundOutput {
  private let heard: @Sendable (PCM) -> Void

  /// Creates the output.
  ///
  /// - Parameter heard: Is given each sound in place of a speaker.
  public init(heard: @escaping @Sendable (PCM) -> Void = { _ in }) { self.heard = heard }

  /// Opens; never fails.
  public func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    QuietSession(name: "none") { [heard] pcm throws(SoundError) in heard(pcm) }
  }
}

/// A session without a mixer.
struct QuietSession: SoundSession {
  let name: String
  let take: @Sendable (PCM) throws(SoundError) -> Void

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    var sink = Sink(name: name, description: name)
    sink.isTimed = false
    return sink
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    try take(pcm)
    return Playback(elapsed: .zero)
  }

  func close() async {}
}

/// What outputs without a mixer, or without other programs in it, have in common.
extension SoundSession {
  /// There is no volume.
  public func setVolume(
    _ volume: ChannelVolume, ofSink name: String, by deadline: BootInstant
  ) async throws(SoundError) {}

  /// There is no mute.
  public func setMute(_ isMuted: Bool, ofSink name: String, by deadline: BootInstant) async throws(SoundError)
  {}

  /// Only the one speaker is known.
  public func sink(named name: String, by deadline: BootInstant) async throws(SoundError) -> Sink? {
    let sink = try await sink(by: deadline)
    return sink.name == name ? sink : nil
  }

  /// There is nobody to lower others.
  public func lowersOthers(by deadline: BootInstant) async throws(SoundError) -> Bool { false }

  /// Other programs cannot be seen.
  public func others(by deadline: BootInstant) async throws(SoundError) -> [OtherSound] { [] }

  /// Other programs cannot be reached.
  public func setVolume(
    _ volume: ChannelVolume, of other: OtherSound, by deadline: BootInstant
  ) async throws(SoundError) {}

  /// Nothing is remembered.
  public func forget(
    _ lowered: ChannelVolume, for original: ChannelVolume, of memory: String, by deadline: BootInstant
  ) async throws(SoundError) {}
}
