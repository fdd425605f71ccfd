import ESCPOS
import Glibc
import PrintTestKit
import Sound
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PulseOutputTests {
  private var later: BootInstant { BootClock().now.advanced(by: .seconds(60)) }
  private var soon: BootInstant { BootClock().now.advanced(by: .milliseconds(100)) }

  @Test("What is played is what the monitor hears, sample by sample", arguments: SoundServer.Kind.allCases)
  func exact(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let recording = try await Recording(server)
    let phrase = PCM(
      samples: (0..<20_000).map { Int16(truncatingIfNeeded: $0 &* 7919 | 1) / 3 }, rate: server.rate)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    #expect(sink.name == "spk")
    let playback = try await session.play(phrase, on: sink, gain: 1, overridesMute: false, by: later)
    await session.close()
    try await recording.goOn()
    let heard = try recording.samples
    #expect(playback.gaps == 0)
    #expect(heard.firstRange(of: phrase.samples) != nil)
    await recording.stop()
  }

  @Test("A quiet speaker and a loud sound make the volume that was asked for", arguments: [1, 2])
  func gain(channels: Int) async throws {
    let server = try await SoundServer(modules: "load-module module-stream-restore", channels: channels)
    let recording = try await Recording(server)
    try await server.pactl("set-sink-volume", "spk", "25%")
    // Loud enough to be cut off where a server were to scale twice.
    let tone = Tones.sine(server.rate / 2, amplitude: 30_000, rate: server.rate)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    let volume = try #require(sink.volume)
    #expect(abs(volume.loudest - 0.25) < 0.001)
    #expect(sink.carriesGain)
    for gain in [0.7 / volume.loudest, 1] {
      let start = try recording.samples.count
      _ = try await session.play(tone, on: sink, gain: gain, overridesMute: false, by: later)
      try await recording.goOn()
      let heard = try PCM(samples: Array(recording.samples[start...]), rate: server.rate)
        .trimmed(below: 2, keeping: .zero)
      // Cubic: 70 % is 0.343 of the amplitude, 25 % is 0.0156. What was raised is not remembered for the next sound.
      let loudest = gain > 1 ? 0.343 : 0.015625
      #expect(abs(Double(heard.peak) / 30_000 - loudest) < 0.001)
      #expect(abs(heard.samples.count - tone.samples.count) < 20)
    }
    #expect(try await server.volume() == 25)
    await session.close()
    await recording.stop()
  }

  @Test("PipeWire is not asked to raise a sound, since it would remember that")
  func pipeWireGain() async throws {
    let server = try await SoundServer(.pipeWire)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    #expect(try await session.sink(by: later).carriesGain == false)
    await session.close()
  }

  @Test("Volume and mute of a speaker are set and read", arguments: SoundServer.Kind.allCases)
  func mixer(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind, channels: 2)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let volume = ChannelVolume(steps: [26_214, 13_107])
    try await session.setVolume(volume, ofSink: "spk", by: later)
    try await session.setMute(true, ofSink: "spk", by: later)
    let sink = try await session.sink(by: later)
    #expect(sink.volume == volume)
    #expect(sink.isMuted)
    #expect(try await session.sink(named: "none", by: later) == nil)
    await session.close()
  }

  @Test("Without a server there is no device, at once")
  func noServer() async throws {
    let folder = try TemporaryFolder()
    let error = await #expect(throws: SoundError.self) {
      _ = try await PulseOutput(server: "unix:\(folder.path("none"))").open(by: later)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("Connection refused") == true)
  }

  @Test(
    "A server with a stand-in for a speaker, and a wrong name, are told apart",
    arguments: SoundServer.Kind.allCases)
  func noSpeaker(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind, modules: "load-module module-always-sink", hasSpeaker: false)
    // One of the servers makes it, and the default of it, a moment after its start.
    try await DaemonRig.until { try await server.pactl("get-default-sink").hasPrefix("auto_null") }
    let session = try await PulseOutput(server: server.address).open(by: later)
    let sink = try await session.sink(by: later)
    #expect(sink.name == "auto_null")
    #expect(sink.isAbstract)
    await session.close()
    let named = try await PulseOutput(server: server.address, sink: "till").open(by: later)
    let error = await #expect(throws: SoundError.self) { try await named.sink(by: later) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("no speaker till") == true)
    await named.close()
  }

  @Test("A server with nothing at all has no speaker")
  func bareServer() async throws {
    let server = try await SoundServer(hasSpeaker: false)
    let session = try await PulseOutput(server: server.address).open(by: later)
    let error = await #expect(throws: SoundError.self) { try await session.sink(by: later) }
    #expect(error?.code == .unavailable)
    await session.close()
  }

  @Test(
    "A server that dies in the middle ends the sound, and nothing is asked of it any more",
    arguments: SoundServer.Kind.allCases)
  func serverDies(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let recording = try await Recording(server)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    let tone = Tones.sine(server.rate * 20, rate: server.rate)
    let end = Task { [later] in
      try await session.play(tone, on: sink, gain: 1, overridesMute: false, by: later)
    }
    try await recording.until { $0.contains { $0 != 0 } }
    await server.kill()
    let error = await #expect(throws: SoundError.self) { _ = try await end.value }
    #expect(error?.code == .lost)
    await #expect(throws: SoundError.self) { try await session.sink(by: later) }
    await session.close()
    await session.close()
    let closed = await #expect(throws: SoundError.self) { try await session.sink(by: later) }
    #expect(closed?.code == .lost)
  }

  @Test("A speaker that is taken away in the middle ends the sound", arguments: [false, true])
  func speakerGoes(hasStandIn: Bool) async throws {
    let server = try await SoundServer(
      modules: hasStandIn ? "load-module module-always-sink\nload-module module-rescue-streams" : "")
    let recording = try await Recording(server)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    let tone = Tones.sine(server.rate * 20, rate: server.rate)
    let end = Task { [later] in
      try await session.play(tone, on: sink, gain: 1, overridesMute: false, by: later)
    }
    try await recording.until { $0.contains { $0 != 0 } }
    try await server.pactl("unload-module", "module-null-sink")
    let error = await #expect(throws: SoundError.self) { _ = try await end.value }
    #expect(error?.code == .lost)
    #expect(error?.message.contains("taken away") == true)
    await session.close()
  }

  @Test("A server that hangs is given up at the deadline")
  func serverHangs() async throws {
    let server = try await SoundServer()
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    server.send(SIGSTOP)
    let asked = await #expect(throws: SoundError.self) { try await session.sink(by: soon) }
    #expect(asked?.code == .deadline)
    let played = await #expect(throws: SoundError.self) {
      try await session.play(Tones.sine(1000), on: sink, gain: 1, overridesMute: false, by: soon)
    }
    #expect(played?.code == .deadline)
    let opened = await #expect(throws: SoundError.self) {
      _ = try await PulseOutput(server: server.address).open(by: soon)
    }
    #expect(opened?.code == .deadline)
    await session.close()
    server.send(SIGCONT)
  }

  @Test(
    "A sound that its user has muted in the mixer is not played, unless that is overridden",
    arguments: [false, true])
  func mutedSound(overrides: Bool) async throws {
    let server = try await SoundServer(modules: "load-module module-stream-restore")
    let recording = try await Recording(server)
    let session = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let sink = try await session.sink(by: later)
    let tone = Tones.sine(server.rate * 20, rate: server.rate)
    let first = Task { [later] in
      try await session.play(tone, on: sink, gain: 1, overridesMute: false, by: later)
    }
    try await recording.until { $0.contains { $0 != 0 } }
    let own = try #require(try await session.others(by: later).first { $0.name == "printd" })
    try await server.pactl("set-sink-input-mute", "\(own.index)", "1")
    await session.close()
    await #expect(throws: SoundError.self) { _ = try await first.value }
    let next = try await PulseOutput(server: server.address, sink: "spk").open(by: later)
    let short = Tones.sine(server.rate / 10, rate: server.rate)
    let playback = try await next.play(short, on: sink, gain: 1, overridesMute: overrides, by: later)
    #expect(playback.wasMuted == !overrides)
    await next.close()
  }
}
