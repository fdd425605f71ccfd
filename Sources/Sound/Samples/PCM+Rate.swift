import Glibc

extension PCM {
  /// The same sound at another rate.
  ///
  /// By a windowed sinc of 16 zero crossings to either side; when the rate goes down, what the new one cannot carry is
  /// filtered out first.
  ///
  /// - Parameter rate: The new rate, inside ``rates``.
  /// - Throws: ``SoundError`` (`invalid`) for a rate outside.
  public func resampled(to rate: Int) throws(SoundError) -> PCM {
    guard PCM.rates.contains(rate) else {
      throw SoundError(
        .invalid, "\(rate) samples a second: expected \(PCM.rates.lowerBound) to \(PCM.rates.upperBound)")
    }
    guard rate != self.rate, !samples.isEmpty else { return PCM(samples: samples, rate: rate) }
    let kernel = SincKernel(from: self.rate, to: rate)
    let count = (samples.count * rate + self.rate - 1) / self.rate
    var result: [Int16] = []
    result.reserveCapacity(count)
    samples.withUnsafeBufferPointer { samples in
      for index in 0..<count {
        let (whole, rest) = (index * self.rate).quotientAndRemainder(dividingBy: rate)
        result.append(Int16(clamping: kernel.value(samples, at: whole, phase: rest)))
      }
    }
    return PCM(samples: result, rate: rate)
  }
}

/// The weights of a resampling, one row for each place that an output sample can have between two input samples.
private struct SincKernel {
  private static let crossings = 16
  private let reach: Int
  private let step: Int
  private let rows: [[Float]]

  init(from: Int, to: Int) {
    var (a, b) = (from, to)
    while b != 0 { (a, b) = (b, a % b) }
    step = a
    let cutoff = min(1, Double(to) / Double(from))
    let reach = Int((Double(Self.crossings) / cutoff).rounded(.up))
    self.reach = reach
    rows = (0..<to / a).map { row in
      let phase = Double(row) / Double(to / a)
      let weights = (1 - reach...reach).map { offset -> Double in
        let distance = (Double(offset) - phase) * cutoff
        guard abs(distance) < Double(Self.crossings) else { return 0 }
        let angle = distance * Double.pi
        let window = 0.5 + 0.5 * cos(angle / Double(Self.crossings))
        return (distance == 0 ? 1 : sin(angle) / angle) * window
      }
      // Every row passes a constant unchanged.
      let sum = weights.reduce(0, +)
      return weights.map { Float($0 / sum) }
    }
  }

  func value(_ samples: UnsafeBufferPointer<Int16>, at place: Int, phase: Int) -> Double {
    let row = rows[phase / step]
    var sum: Float = 0
    let first = place + 1 - reach
    for index in max(0, -first)..<min(row.count, samples.count - first) {
      sum += row[index] * Float(samples[first + index])
    }
    return Double(sum)
  }
}
