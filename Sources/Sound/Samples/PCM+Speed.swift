import CSonic

extension PCM {
  /// The speeds that ``stretched(by:)`` takes: 2 is twice as fast.
  public static let speeds = 0.5...2.0

  /// The pitches that it takes: 2 is an octave higher.
  public static let pitches = 0.5...2.0

  /// Faster or slower, higher or lower, each without the other (libsonic).
  ///
  /// - Parameters:
  ///   - speed: 1 changes nothing, 1.2 is a fifth faster; inside ``speeds``.
  ///   - pitch: 1 changes nothing, 1.2 makes every frequency a fifth higher; inside ``pitches``.
  /// - Throws: ``SoundError``: `invalid` for a speed or pitch outside, `failed` when memory is short.
  public func stretched(by speed: Double, pitch: Double = 1) throws(SoundError) -> PCM {
    for (name, value, range) in [("speed", speed, PCM.speeds), ("pitch", pitch, PCM.pitches)]
    where !range.contains(value) {
      throw SoundError(
        .invalid, "\(name) \(value): expected \(range.lowerBound) to \(range.upperBound)")
    }
    guard speed != 1 || pitch != 1, !samples.isEmpty else { return self }
    let memory = SoundError(.failed, "out of memory while changing the speed of \(duration) of sound")
    guard let stream = sonicCreateStream(Int32(rate), 1) else { throw memory }
    defer { sonicDestroyStream(stream) }
    sonicSetSpeed(stream, Float(speed))
    sonicSetPitch(stream, Float(pitch))
    var result: [Int16] = []
    var block = [Int16](repeating: 0, count: 8192)
    // In pieces, so that the stream's own buffers stay small.
    for start in stride(from: 0, to: samples.count, by: block.count) {
      var piece = Array(samples[start..<min(start + block.count, samples.count)])
      guard sonicWriteShortToStream(stream, &piece, Int32(piece.count)) != 0 else { throw memory }
      drain(stream, &block, into: &result)
    }
    guard sonicFlushStream(stream) != 0 else { throw memory }
    drain(stream, &block, into: &result)
    return PCM(samples: result, rate: rate)
  }
}

private func drain(_ stream: sonicStream, _ block: inout [Int16], into result: inout [Int16]) {
  while true {
    let count = sonicReadShortFromStream(stream, &block, Int32(block.count))
    guard count > 0 else { return }
    result += block[..<min(Int(count), block.count)]
  }
}
