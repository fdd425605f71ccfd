public import ESCPOS
public import Sound

/// What is to be heard for one announcement.
public struct Speech: Sendable, Equatable {
  /// Where it came from, from the best to the least.
  public enum Source: String, Sendable, CaseIterable {
    /// Joined from the clips of a set.
    case clips
    /// A sound that lay ready under the announcement's name for it.
    case prepared
    /// Spoken by the online voice.
    case online
    /// Spoken by the synthesiser of this machine.
    case synthesis
    /// A phrase that leaves the amount out, because it could not be said.
    case fixed
    /// Only the chime.
    case chime
  }

  /// The sound; never empty.
  public var pcm: PCM
  /// What is said, in words; empty where nothing is.
  public var text: String
  /// Where it came from.
  public var source: Source
  /// Why it is not better, for the log; nil where nothing went wrong.
  public var shortfall: String?

  /// Creates speech.
  public init(pcm: PCM, text: String, source: Source, shortfall: String? = nil) {
    self.pcm = pcm
    self.text = text
    self.source = source
    self.shortfall = shortfall
  }
}

/// Finds the sound for an announcement.
public protocol Speaker: Sendable {
  /// The best speech that can be had by `deadline`; there is always one, if only the chime.
  ///
  /// An amount is in it whole or not at all.
  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech
}
