import ESCPOS
import Glibc
import PrintTestKit
import Sound
import Testing

/// Sounds made by sums, so that a test can say what must come out.
enum Tones {
  /// A sine of so many samples.
  static func sine(_ count: Int, hertz: Double = 441, amplitude: Double = 8000, rate: Int = 22_050) -> PCM {
    PCM(
      samples: (0..<count).map {
        Int16(amplitude * sin(2 * Double.pi * hertz * Double($0) / Double(rate)))
      }, rate: rate)
  }

  /// How often the sound rises through zero.
  static func rises(_ pcm: PCM) -> Int {
    zip(pcm.samples, pcm.samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
  }
}

struct PCMTests {
  @Test("Joined sounds have exactly as many samples as their parts, in their order")
  func joins() throws {
    let parts = [382, 229, 217, 1, 0, 328].enumerated().map { index, count in
      PCM(samples: (0..<count).map { Int16($0 + 1000 * index) }, rate: 22_050)
    }
    let joined = try PCM.joined(parts)
    #expect(joined.samples == parts.flatMap(\.samples))
    #expect(joined.samples.count == 382 + 229 + 217 + 1 + 328)
    #expect(joined.rate == 22_050)
  }

  @Test("Sounds of different rates, and none at all, are not joined")
  func refusesRates() {
    #expect(throws: SoundError.self) { try PCM.joined([]) }
    let error = #expect(throws: SoundError.self) {
      try PCM.joined([Tones.sine(10), Tones.sine(10, rate: 16_000)])
    }
    #expect(error?.message.contains("part 2 has 16000") == true)
  }

  @Test("Trimming keeps ten milliseconds of the silence at either end and none of the level")
  func trims() {
    let silence = [Int16](repeating: 150, count: 4410)
    let tone = [Int16](repeating: 5000, count: 2205)
    let trimmed = PCM(samples: silence + tone + silence, rate: 22_050).trimmed()
    #expect(trimmed.samples.count == 221 + 2205 + 221)
    #expect(Array(trimmed.samples[221..<2426]) == tone)
    #expect(PCM(samples: silence, rate: 22_050).trimmed().samples.isEmpty)
    #expect(PCM(samples: tone, rate: 22_050).trimmed().samples == tone)
  }

  @Test("The loudest negative sample is neither silent nor out of range")
  func mostNegative() {
    let pcm = PCM(samples: [.min, .min, .min, .min], rate: 8000)
    #expect(pcm.trimmed().samples.count == 4)
    #expect(pcm.peak == 32_768)
    #expect(pcm.levelled(to: 30_000, peak: 32_767).peak <= 32_767)
  }

  @Test("A fade begins and ends in silence and leaves the middle alone")
  func fades() {
    let faded = PCM(samples: [Int16](repeating: 9000, count: 1000), rate: 22_050).faded()
    #expect(faded.samples.first == 0)
    #expect(faded.samples.last == 0)
    #expect(faded.samples[66..<934].allSatisfy { $0 == 9000 })
    #expect(zip(faded.samples[..<66], faded.samples[1..<67]).allSatisfy { $0 < $1 })
    #expect(PCM(samples: [7], rate: 8000).faded().samples == [7])
    #expect(PCM(samples: [], rate: 8000).faded().samples.isEmpty)
  }

  @Test("Padding adds silence to the sample")
  func pads() {
    let tone = Tones.sine(100)
    let padded = tone.padded(before: .milliseconds(700), after: .milliseconds(100))
    #expect(padded.samples.count == 15_435 + 100 + 2205)
    #expect(padded.samples[..<15_435].allSatisfy { $0 == 0 })
    #expect(Array(padded.samples[15_435..<15_535]) == tone.samples)
    #expect(tone.padded(before: .seconds(-1)) == tone)
    #expect(PCM.silence(.seconds(1), rate: 16_000).samples.count == 16_000)
  }

  @Test("A faster voice is shorter and has its pitch still", arguments: [0.5, 0.8, 1.25, 2.0])
  func stretches(speed: Double) throws {
    let tone = Tones.sine(22_050, hertz: 200)
    let stretched = try tone.stretched(by: speed)
    let ratio = Double(stretched.samples.count) / Double(tone.samples.count)
    #expect(abs(ratio * speed - 1) < 0.03)
    let hertz = Double(Tones.rises(stretched)) / (Double(stretched.samples.count) / 22_050)
    #expect(abs(hertz - 200) < 6)
    #expect(try tone.stretched(by: 1) == tone)
  }

  @Test(
    "A higher voice is as long as before, and a faster one is as high as it is to be",
    arguments: [0.5, 0.8, 1.25, 2.0])
  func pitches(pitch: Double) throws {
    let tone = Tones.sine(22_050, hertz: 200)
    for speed in [1, 1.25] {
      let changed = try tone.stretched(by: speed, pitch: pitch)
      let ratio = Double(changed.samples.count) / Double(tone.samples.count)
      #expect(abs(ratio * speed - 1) < 0.05, "\(speed)")
      let hertz = Double(Tones.rises(changed)) / (Double(changed.samples.count) / 22_050)
      #expect(abs(hertz - 200 * pitch) < 8 * pitch, "\(speed): \(hertz)")
    }
  }

  @Test("A speed or a pitch that no voice has is refused", arguments: [0, -1, 2.1, .infinity, .nan])
  func refusesSpeeds(value: Double) {
    #expect(throws: SoundError.self) { try Tones.sine(100).stretched(by: value) }
    #expect(throws: SoundError.self) { try Tones.sine(100).stretched(by: 1, pitch: value) }
  }

  @Test("A gain is exact below three quarters of full scale, and cuts nothing off above")
  func gains() {
    let ramp = PCM(samples: (-326...326).map { Int16($0 * 100) }, rate: 8000)
    #expect(ramp.amplified(by: 0) == ramp && ramp.amplified(by: .nan) == ramp)
    let softer = ramp.amplified(by: -20).samples
    #expect(zip(ramp.samples, softer).allSatisfy { abs(Double($0) / 10 - Double($1)) <= 0.5 })
    let louder = ramp.amplified(by: 6.0206).samples
    #expect(
      zip(ramp.samples, louder).allSatisfy { abs(Int($0)) > 12_288 || abs(Int($1) - 2 * Int($0)) <= 1 })
    #expect(zip(louder, louder.dropFirst()).allSatisfy { $0 <= $1 }, "no wave folds over")
    #expect(louder.max() ?? 0 > 30_000)
    let least = PCM(samples: [.min, .max], rate: 8000).amplified(by: 12)
    #expect(least.samples == [-32_767, 32_767])
  }

  @Test("Levelled clips have the same loudness, and no sample is cut off")
  func levels() {
    let quiet = Tones.sine(22_050, amplitude: 500).levelled().peak
    let loud = Tones.sine(22_050, amplitude: 30_000).padded(after: .seconds(2)).levelled().peak
    #expect(abs(quiet - loud) < 20)
    #expect(abs(quiet - 5657) < 30)
    var peaky = Tones.sine(22_050, amplitude: 300)
    peaky.samples[500] = 20_000
    #expect(peaky.levelled().peak == 30_000)
    let silence = PCM.silence(.milliseconds(50), rate: 8000)
    #expect(silence.levelled() == silence)
  }

  @Test(
    "Resampling keeps length, pitch and level",
    arguments: [(22_050, 48_000), (48_000, 22_050), (22_050, 16_000), (8000, 44_100)])
  func resamples(from: Int, to: Int) throws {
    let tone = Tones.sine(from, hertz: 441, rate: from)
    let resampled = try tone.resampled(to: to)
    #expect(resampled.rate == to)
    #expect(resampled.samples.count == to)
    #expect(abs(Tones.rises(resampled) - 441) <= 1)
    let middle = PCM(samples: Array(resampled.samples[(to / 4)..<(3 * to / 4)]), rate: to)
    #expect(abs(middle.peak - 8000) < 60)
  }

  @Test("What the lower rate cannot carry is filtered out, not folded back")
  func filters() throws {
    let high = try Tones.sine(48_000, hertz: 15_000, rate: 48_000).resampled(to: 16_000)
    #expect(PCM(samples: Array(high.samples[1000..<15_000]), rate: 16_000).peak < 80)
  }

  @Test("The same rate changes nothing, and a rate outside the range is refused")
  func sameRate() throws {
    let tone = Tones.sine(500)
    #expect(try tone.resampled(to: 22_050) == tone)
    #expect(throws: SoundError.self) { try tone.resampled(to: 0) }
    #expect(throws: SoundError.self) { try tone.resampled(to: 1_000_000) }
  }

  @Test("A sound lasts as long as its samples")
  func duration() {
    #expect(Tones.sine(22_050).duration == .seconds(1))
    #expect(PCM(samples: [], rate: 0).duration == .zero)
  }
}
