/// A speaker, as a server or a card tells of it.
public struct Sink: Sendable, Equatable {
  /// The server's number for it.
  public var index: UInt32 = 0
  /// Its name for programs: `alsa_output.usb-…`.
  public var name: String
  /// Its name for people.
  public var description: String
  /// Whether nothing can sound there: the server's stand-in for a missing device.
  public var isAbstract = false
  /// Whether it is muted.
  public var isMuted = false
  /// Its volume, or nil where it has none.
  public var volume: ChannelVolume?
  /// Whether a sound may be louder by itself instead of the speaker: the server multiplies both before it cuts anything off.
  public var carriesGain = false
  /// Whether it is behind Bluetooth, and may sleep.
  public var isBluetooth = false
  /// Whether it takes as long as the sound lasts; files do not.
  public var isTimed = true
  /// The places of its channels, in the server's numbers.
  public var channels: [Int32] = []

  /// Creates a speaker that does nothing special.
  public init(name: String, description: String) {
    self.name = name
    self.description = description
  }
}

/// The volume of each channel. The scale is the one of desktops: 1 is 100 %, loudness falls with the third power
/// (PulseAudio's `pa_volume_t`).
public struct ChannelVolume: Sendable, Equatable, Codable {
  /// What 100 % is in ``steps``.
  public static let full: UInt32 = 0x10000

  /// The volume of each channel in steps; ``full`` is 100 %.
  public var steps: [UInt32]

  /// Creates a volume.
  public init(steps: [UInt32]) { self.steps = steps }

  /// The loudest channel; 1 is 100 %.
  public var loudest: Double { Double(steps.max() ?? 0) / Double(Self.full) }

  /// The same balance with the loudest channel at `fraction`; all channels alike where all are silent.
  public func raised(to fraction: Double) -> ChannelVolume {
    let target = min(max(fraction, 0), 4) * Double(Self.full)
    guard let loudest = steps.max(), loudest > 0 else {
      return ChannelVolume(steps: steps.map { _ in UInt32(target.rounded()) })
    }
    return scaled(by: target / Double(loudest))
  }

  /// Each channel times `factor`.
  public func scaled(by factor: Double) -> ChannelVolume {
    ChannelVolume(
      steps: steps.map { UInt32(min(Double($0) * max(0, factor), Double(Self.full) * 4).rounded()) })
  }
}
