/// How announcements are played. Every setting has a default, so that a configuration names only what differs.
public struct AnnouncerOptions: Sendable {
  /// What a muted speaker means.
  public enum Mute: String, Sendable, CaseIterable {
    /// Nothing is played, and the announcement ends as `muted`.
    case respect
    /// The mute is taken off for the announcement and comes back after it.
    case override
  }

  /// What happens to the sound of other programs meanwhile.
  public enum Others: String, Sendable, CaseIterable {
    /// It goes on as it is.
    case mix
    /// It is lowered by ``AnnouncerOptions/duckDecibels``: by the server where it does that itself for the role `announce`, else
    /// by printd.
    case duck
  }

  /// What a muted speaker means.
  public var mute = Mute.respect
  /// What happens to other sound.
  public var others = Others.mix
  /// By how much other sound is lowered, in decibels, 0 through 60.
  public var duckDecibels = 20.0
  /// The volume, 0 through 1 (100 %), that a quieter speaker is raised to for the announcement. It is never lowered. 0 leaves it
  /// alone.
  public var minimumVolume = 0.0
  /// How long after its arrival an announcement may still begin; an older one is not said.
  public var maximumAge = Duration.seconds(30)
  /// How many announcements may wait; one more is turned away at once, as `failed`. The ones that wait are the older payments,
  /// and keep their turn.
  public var queueLimit = 64
  /// How many payments are remembered, so that none is said twice.
  public var memory = 1024
  /// Silence before the sound, for a speaker behind a cable that needs time to wake up.
  public var preRoll = Duration.zero
  /// The same for a Bluetooth speaker.
  public var bluetoothPreRoll = Duration.milliseconds(700)
  /// How long a speaker stays awake after a sound; within it there is no pre-roll.
  public var staysAwake = Duration.seconds(5)
  /// Silence between a change of volume and the sound.
  public var settlingTime = Duration.milliseconds(50)
  /// How long the server, the voice and a running scan are waited for, each time.
  public var patience = Duration.seconds(5)
  /// Where changes of other people's volumes are written down before they are made, so that they are undone after a crash; nil
  /// leaves those volumes alone.
  public var stateDirectory: String?
  /// Makes a text of how many announcements were too old to be said; nil keeps silent about them.
  public var summary: (@Sendable (Int) -> String)?
  /// How long the summary waits for others that are too old when they arrive.
  public var gathering = Duration.seconds(2)
  /// Keeps Bluetooth scans from running, and returns what lets them run again: scans make Bluetooth sound stutter.
  public var holdScans: @Sendable () async -> @Sendable () -> Void = { {} }

  /// The defaults.
  public init() {}
}
