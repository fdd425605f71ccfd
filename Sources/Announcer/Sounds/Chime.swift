import Glibc
public import Sound

/// The sound before a payment: two struck tones, made here, so that nobody's licence is needed.
public enum Chime {
  /// The chime at a rate: 620 ms long, the second tone a fifth above the first.
  public static func sound(rate: Int) -> PCM {
    var sound = PCM.silence(.milliseconds(620), rate: rate)
    strike(&sound.samples, rate: sound.rate, frequency: 783.99, after: 0)
    strike(&sound.samples, rate: sound.rate, frequency: 1174.66, after: sound.rate * 14 / 100)
    return sound.faded(.milliseconds(3))
  }

  /// A tone with two overtones that dies away.
  private static func strike(_ samples: inout [Int16], rate: Int, frequency: Double, after start: Int) {
    for index in start..<max(start, samples.count) {
      let time = Double(index - start) / Double(rate)
      let phase = 2 * Double.pi * frequency * time
      let tone = sin(phase) + 0.35 * sin(2 * phase) * exp(-6 * time) + 0.15 * sin(3 * phase) * exp(-12 * time)
      // A rise of 4 ms keeps the stroke from clicking.
      let level = 6500 * min(1, time / 0.004) * exp(-7 * time)
      samples[index] = Int16(clamping: Int(samples[index]) + Int(tone * level))
    }
  }
}
