/// How a payment's announcement ended. Printing goes on in every case.
public enum VoiceEnd: Equatable, Hashable, Sendable {
  /// Said to its end.
  case played
  /// The speaker is muted, and that is respected.
  case muted
  /// Too old to be said, or the wake's budget was over before its end.
  case expired
  /// There is no sound server, or nothing that could sound.
  case noDevice
  /// It could not be said, and why.
  case failed(String)
  /// Nothing was to be said: no sound was asked for, or it has been said before.
  case silent

  /// The word in reports, logs and the journal.
  public var word: String {
    switch self {
    case .played: "played"
    case .muted: "muted"
    case .expired: "expired"
    case .noDevice: "no-device"
    case .failed: "failed"
    case .silent: "silent"
    }
  }

  /// Why, where there is a why.
  public var reason: String? {
    if case .failed(let reason) = self { reason } else { nil }
  }
}

extension VoiceEnd {
  /// Turned away, since as many as may wait do so already.
  public static let queueFull = VoiceEnd.failed("too many announcements wait already")

  /// Not begun, since the daemon stops.
  public static let stopping = VoiceEnd.failed("printd is stopping")

  /// Whether it ended before anything of it can have sounded, and by what may be mended: the payment may be asked for again.
  public var mayBeAskedForAgain: Bool { self == .noDevice || self == .queueFull || self == .stopping }
}
