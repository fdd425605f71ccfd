import Glibc

extension PCM {
  /// Brought to a loudness, so that clips of different origin sound alike.
  ///
  /// The loudness is the effective value over the 10 ms blocks that carry sound (a tenth of the loudest block or more);
  /// pauses do not make a clip louder. No sample is cut off: a peaky clip stays below the loudness instead.
  ///
  /// - Parameters:
  ///   - loudness: The effective value to reach, of 32,767.
  ///   - peak: What no sample exceeds.
  /// - Returns: The sound; a silent one unchanged.
  public func levelled(to loudness: Int = 4000, peak limit: Int = 30_000) -> PCM {
    let present = effectiveValue
    guard present > 0, peak > 0 else { return self }
    let gain = min(Double(max(0, loudness)) / present, Double(min(max(0, limit), 32_767)) / Double(peak))
    var levelled = self
    for index in samples.indices { levelled.samples[index] = Int16(clamping: Double(samples[index]) * gain) }
    return levelled
  }

  /// Louder or softer by so many decibels.
  ///
  /// What would pass full scale is rounded off instead of cut off: from three quarters of it on, the peaks grow less and less.
  public func amplified(by decibels: Double) -> PCM {
    guard decibels != 0, decibels.isFinite else { return self }
    let gain = pow(10, decibels / 20)
    let (knee, top) = (24_576.0, 32_767.0)
    var amplified = self
    for index in samples.indices {
      let value = Double(samples[index]) * gain
      let beyond = abs(value) - knee
      let rounded = beyond <= 0 || gain <= 1 ? abs(value) : knee + (top - knee) * tanh(beyond / (top - knee))
      amplified.samples[index] = Int16(clamping: value < 0 ? -rounded : rounded)
    }
    return amplified
  }

  /// The effective value of what is not a pause.
  private var effectiveValue: Double {
    let length = max(1, count(of: .milliseconds(10)))
    var powers: [Double] = []
    powers.reserveCapacity(samples.count / length + 1)
    for start in stride(from: 0, to: samples.count, by: length) {
      let block = samples[start..<min(start + length, samples.count)]
      powers.append(block.reduce(0) { $0 + Double($1) * Double($1) } / Double(block.count))
    }
    // A tenth of an amplitude is a hundredth of a power.
    let floor = (powers.max() ?? 0) / 100
    let sounding = powers.filter { $0 >= floor && $0 > 0 }
    guard !sounding.isEmpty else { return 0 }
    return (sounding.reduce(0, +) / Double(sounding.count)).squareRoot()
  }
}

extension Int16 {
  /// The nearest 16-bit sample.
  init(clamping value: Double) {
    self = value >= 32_767 ? 32_767 : value <= -32_768 ? -32_768 : Int16(value.rounded())
  }
}
