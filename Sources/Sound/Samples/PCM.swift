/// Sound as it is: one channel of signed 16-bit samples at a rate.
public struct PCM: Sendable, Equatable {
  /// The samples in the order of time; full scale is 32,767.
  public var samples: [Int16]
  /// Samples per second.
  public let rate: Int

  /// The rates that are taken, in samples per second.
  public static let rates = 8000...192_000

  /// Creates a sound; a rate outside ``rates`` becomes the nearest one inside.
  public init(samples: [Int16], rate: Int) {
    self.samples = samples
    self.rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
  }

  /// Silence of a length.
  public static func silence(_ duration: Duration, rate: Int) -> PCM {
    var silence = PCM(samples: [], rate: rate)
    silence.samples = [Int16](repeating: 0, count: silence.count(of: duration))
    return silence
  }

  /// How long it sounds.
  public var duration: Duration { .nanoseconds(Int64(samples.count) * 1_000_000_000 / Int64(rate)) }

  /// The largest distance from silence, 0 through 32,768.
  public var peak: Int { samples.reduce(0) { max($0, abs(Int($1))) } }

  /// Samples in a stretch of time; none in a negative one, and an hour's at most.
  func count(of duration: Duration) -> Int {
    let (seconds, attoseconds) = min(max(duration, .zero), .seconds(3600)).components
    return Int(seconds) * rate + Int((Double(attoseconds) * 1e-18 * Double(rate)).rounded())
  }
}
