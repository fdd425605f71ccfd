import ESCPOS

/// A connection to the server for an announcement or several.
final class PulseSession: SoundSession {
  private let thread: PulseThread
  private let sinkName: String?
  private let isPipeWire: Bool
  private let clock: any BootTimeClock

  /// - Parameter isPipeWire: Whether PipeWire stands in for PulseAudio.
  init(thread: PulseThread, sinkName: String?, isPipeWire: Bool, clock: any BootTimeClock) {
    self.thread = thread
    self.sinkName = sinkName
    self.isPipeWire = isPipeWire
    self.clock = clock
  }

  deinit { thread.abandon() }

  func close() async { await thread.stop() }

  private func ask(_ question: PulseQuestion, by deadline: BootInstant) async throws(SoundError)
    -> [PulseFact]
  {
    try await thread.perform(by: deadline) { wire, reply in wire.ask(question) { reply.end($0) } }
  }

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    if let sinkName {
      guard let sink = try await sink(named: sinkName, by: deadline) else {
        throw SoundError(
          .unavailable, "there is no speaker \(sinkName); `pactl list short sinks` shows what is there")
      }
      return sink
    }
    guard let sink = try await sink(named: "@DEFAULT_SINK@", by: deadline) else {
      throw SoundError(.unavailable, "the sound server has no speaker")
    }
    return sink
  }

  func sink(named name: String, by deadline: BootInstant) async throws(SoundError) -> Sink? {
    let facts: [PulseFact]
    do {
      facts = try await ask(.sink(name: name), by: deadline)
    } catch {
      if error.code == .unavailable { return nil }
      throw error
    }
    guard case .sink(let found)? = facts.first else { return nil }
    var sink = Sink(found, isChosen: sinkName != nil)
    // PipeWire 0.3 takes no volume with a new stream, and one set later is remembered for the next stream of the role.
    if isPipeWire { sink.carriesGain = false }
    return sink
  }

  func setVolume(_ volume: ChannelVolume, ofSink name: String, by deadline: BootInstant)
    async throws(SoundError)
  {
    _ = try await ask(.setSinkVolume(name: name, volume), by: deadline)
  }

  func setMute(_ isMuted: Bool, ofSink name: String, by deadline: BootInstant) async throws(SoundError) {
    _ = try await ask(.setSinkMute(name: name, isMuted), by: deadline)
  }

  func lowersOthers(by deadline: BootInstant) async throws(SoundError) -> Bool {
    try await ask(.modules, by: deadline).contains { fact in
      guard case .module("module-role-ducking", let argument) = fact else { return false }
      let words = argument.split(separator: " ").map { $0.filter { $0 != "\"" && $0 != "'" } }
      let roles = words.last { $0.hasPrefix("trigger_roles=") }?.dropFirst("trigger_roles=".count)
      return roles?.split(separator: ",").contains("announce") == true
    }
  }

  func others(by deadline: BootInstant) async throws(SoundError) -> [OtherSound] {
    try await ask(.sounds, by: deadline).compactMap { fact in
      if case .sound(let other, _) = fact { other } else { nil }
    }
  }

  func setVolume(
    _ volume: ChannelVolume, of other: OtherSound, by deadline: BootInstant
  ) async throws(SoundError) {
    _ = try await ask(.setSoundVolume(index: other.index, volume), by: deadline)
  }

  func forget(
    _ lowered: ChannelVolume, for original: ChannelVolume, of memory: String, by deadline: BootInstant
  ) async throws(SoundError) {
    for case .memory(let entry) in try await ask(.memories, by: deadline)
    where entry.name == memory && entry.volume == lowered {
      _ = try await ask(.remember(entry, original), by: deadline)
    }
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    guard !pcm.samples.isEmpty else { return Playback(elapsed: .zero) }
    let sound = PulseSound(pcm, on: sink, gain: gain, startsUnmuted: overridesMute)
    let clock = self.clock
    do {
      return try await thread.perform(by: deadline) { wire, reply in
        var start = clock.now
        var gaps = 0
        wire.begin(sound) { [unowned wire] event in
          switch event {
          case .created(let index):
            wire.ask(.sound(index: index)) { answer in
              start = clock.now
              // A server that cannot say it is believed to play what it has been given.
              guard case .success(let facts) = answer, case .sound(let own, let isMuted)? = facts.first else {
                return wire.feed()
              }
              if isMuted, !overridesMute {
                wire.endSound()
                return reply.end(.success(Playback(elapsed: .zero, wasMuted: true)))
              }
              guard let present = own.volume, present != sound.volume else { return wire.feed() }
              wire.ask(.setSoundVolume(index: index, sound.volume)) { _ in
                start = clock.now
                wire.feed()
              }
            }
          case .gap: gaps += 1
          case .moved(let name) where name == "auto_null":
            reply.end(.failure(SoundError(.lost, "the speaker \(sink.name) was taken away in the middle")))
          case .moved: break
          case .drained:
            wire.endSound()
            reply.end(.success(Playback(elapsed: start.duration(to: clock.now), gaps: gaps)))
          case .failed(let error): reply.end(.failure(error))
          }
        }
      }
    } catch {
      // What still sounds after a deadline is stopped; a lost stream is let go.
      await endSound()
      throw error
    }
  }

  private func endSound() async {
    let soon = clock.now.advanced(by: .milliseconds(200))
    let _: Bool? = try? await thread.perform(by: soon) { wire, reply in
      wire.endSound()
      reply.end(.success(true))
    }
  }
}

extension Sink {
  /// Flags of `pa_sink_flags_t`.
  private static let hardwareVolume: UInt32 = 0x0001
  private static let flatVolume: UInt32 = 0x0040

  init(_ sink: PulseSink, isChosen: Bool) {
    self.init(name: sink.name, description: sink.description)
    index = sink.index
    isMuted = sink.isMuted
    volume = sink.volume
    channels = sink.channels
    // Where the hardware turns the volume down, a louder stream would be cut off before it; where volumes are flat, it would take
    // the speaker's volume with it.
    carriesGain = sink.flags & (Self.hardwareVolume | Self.flatVolume) == 0
    // PulseAudio's and PipeWire's words for a sink that goes nowhere; somebody who names one knows why.
    let goesNowhere =
      sink.properties["device.class"] == "abstract"
      || sink.properties["factory.name"] == "support.null-audio-sink"
    isAbstract = sink.name == "auto_null" || !isChosen && goesNowhere
    isBluetooth =
      sink.properties["device.bus"] == "bluetooth"
      || sink.properties["device.api"]?.hasPrefix("bluez") == true
      || sink.name.hasPrefix("bluez_")
  }
}

extension PulseSound {
  /// The sound in each channel of the speaker: the server then scales and sums in one step, and cuts nothing off before.
  init(_ pcm: PCM, on sink: Sink, gain: Double, startsUnmuted: Bool) {
    let channels = sink.channels.isEmpty ? [0] : sink.channels
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pcm.samples.count * 2 * channels.count)
    for sample in pcm.samples {
      let bits = UInt16(bitPattern: sample)
      for _ in channels {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
      }
    }
    let step = UInt32(min(max(gain, 0) * Double(ChannelVolume.full), Double(UInt32.max / 4)).rounded())
    self.init(
      bytes: bytes, rate: UInt32(pcm.rate), channels: channels,
      volume: ChannelVolume(steps: channels.map { _ in step }), sink: sink.name, startsUnmuted: startsUnmuted)
  }
}
