extension PCM {
  /// Without the silence at both ends.
  ///
  /// - Parameters:
  ///   - level: The distance from zero below which a sample counts as silent; of 32,767.
  ///   - margin: What is kept of the silence at either end.
  /// - Returns: The rest; nothing when all of it is silent.
  public func trimmed(below level: Int = 200, keeping margin: Duration = .milliseconds(10)) -> PCM {
    let sounds = { (sample: Int16) in abs(Int(sample)) >= level }
    guard let first = samples.firstIndex(where: sounds), let last = samples.lastIndex(where: sounds) else {
      return PCM(samples: [], rate: rate)
    }
    let kept = count(of: margin)
    let start = max(0, first - kept)
    let end = min(samples.count, last + 1 + kept)
    return PCM(samples: Array(samples[start..<end]), rate: rate)
  }

  /// Faded in and out in a straight line, so that a joint does not click.
  ///
  /// - Parameter duration: The length of each fade; half of the sound at most.
  public func faded(_ duration: Duration = .milliseconds(3)) -> PCM {
    var faded = self
    let length = min(count(of: duration), samples.count / 2)
    for index in 0..<length {
      let end = samples.count - 1 - index
      faded.samples[index] = Int16(Int(samples[index]) * index / length)
      faded.samples[end] = Int16(Int(samples[end]) * index / length)
    }
    return faded
  }

  /// Several sounds, one straight after the other: as many samples as all of them together.
  ///
  /// - Throws: ``SoundError`` (`invalid`) when there is none, or when their rates differ.
  public static func joined(_ parts: [PCM]) throws(SoundError) -> PCM {
    guard let rate = parts.first?.rate else { throw SoundError(.invalid, "there is nothing to join") }
    var samples: [Int16] = []
    samples.reserveCapacity(parts.reduce(0) { $0 + $1.samples.count })
    for (index, part) in parts.enumerated() {
      guard part.rate == rate else {
        throw SoundError(
          .invalid, "part \(index + 1) has \(part.rate) samples a second, the first has \(rate); resample it")
      }
      samples += part.samples
    }
    return PCM(samples: samples, rate: rate)
  }

  /// With silence at its ends.
  public func padded(before: Duration = .zero, after: Duration = .zero) -> PCM {
    let head = [Int16](repeating: 0, count: count(of: before))
    let tail = [Int16](repeating: 0, count: count(of: after))
    return PCM(samples: head + samples + tail, rate: rate)
  }
}
