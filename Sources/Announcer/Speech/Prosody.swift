import Sound

/// How words are spoken, whoever speaks them. The chime and prepared sounds stay as they are.
public struct Prosody: Sendable, Equatable {
  /// 1.2 speaks a fifth faster, with the pitch kept; inside ``Sound/PCM/speeds``.
  public var rate: Double
  /// 1.2 speaks a fifth higher, as fast as before; inside ``Sound/PCM/pitches``.
  public var pitch: Double
  /// Louder or, where negative, softer than the level that all speech is brought to, in decibels.
  public var gain: Double

  /// Creates a way of speaking; the defaults leave speech as it is.
  public init(rate: Double = 1, pitch: Double = 1, gain: Double = 0) {
    self.rate = rate
    self.pitch = pitch
    self.gain = gain
  }

  /// Speech, spoken so.
  ///
  /// - Throws: ``SoundError``: `invalid` for a rate or pitch that no voice has, `failed` when memory is short.
  func applied(to pcm: PCM) throws(SoundError) -> PCM {
    try pcm.stretched(by: rate, pitch: pitch).amplified(by: gain)
  }
}
