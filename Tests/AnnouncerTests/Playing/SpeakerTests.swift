import Announcer
import ESCPOS
import PrintJobs
import PrintTestKit
import Sound
import Synchronization
import Testing

/// A mixer with one speaker, that takes as long as it is told.
final class MixerOutput: SoundOutput, SoundSession {
  private struct State {
    var sink: Sink
    var elapsed: Duration?
    var music = ChannelVolume(steps: [ChannelVolume.full])
    var calls: [String] = []
    var sounds: [PCM] = []
  }

  private let state: Mutex<State>

  /// - Parameter elapsed: How long each sound takes; nil for as long as it is.
  init(_ sink: Sink, elapsed: Duration? = nil) { state = Mutex(State(sink: sink, elapsed: elapsed)) }

  func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession { self }
  func close() async {}

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink { state.withLock { $0.sink } }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    state.withLock { state in
      state.calls.append("play")
      state.sounds.append(pcm)
      return Playback(elapsed: state.elapsed ?? pcm.duration)
    }
  }

  func setVolume(_ volume: ChannelVolume, ofSink name: String, by deadline: BootInstant)
    async throws(SoundError)
  {
    state.withLock { state in
      state.calls.append("volume \(Int((volume.loudest * 100).rounded()))")
      state.sink.volume = volume
    }
  }

  func others(by deadline: BootInstant) async throws(SoundError) -> [OtherSound] {
    [OtherSound(index: 4, sink: 0, name: "music", memory: nil, volume: state.withLock { $0.music })]
  }

  func setVolume(_ volume: ChannelVolume, of other: OtherSound, by deadline: BootInstant)
    async throws(SoundError)
  {
    state.withLock { state in
      state.calls.append("\(other.name) \(Int((volume.loudest * 100).rounded()))")
      state.music = volume
    }
  }

  /// What was asked of it, in order.
  var calls: [String] { state.withLock { $0.calls } }
  /// The silence before each sound.
  var leads: [Int] { state.withLock { $0.sounds.map { $0.samples.prefix { $0 == 0 }.count } } }
}

/// What depends on the kind of speaker.
@Suite(.timeLimit(.minutes(1)))
struct SpeakerTests {
  private let clock = ManualClock()

  private func sink(isBluetooth: Bool = false, volume: UInt32 = ChannelVolume.full) -> Sink {
    var sink = Sink(name: "till", description: "till")
    sink.isBluetooth = isBluetooth
    sink.volume = ChannelVolume(steps: [volume])
    return sink
  }

  private func say(_ id: String, _ announcer: Announcer) async -> VoiceEnd {
    await announcer.announce(.now(id, on: clock), by: clock.now.advanced(by: .seconds(10)))
  }

  @Test("A Bluetooth speaker is woken by silence, but not while it is awake")
  func bluetooth() async {
    let output = MixerOutput(sink(isBluetooth: true))
    let announcer = Announcer(speaker: LevelSpeaker(), output: output, clock: clock)
    #expect(await say("1", announcer) == .played)
    clock.advance(by: .seconds(4))
    #expect(await say("2", announcer) == .played)
    clock.advance(by: .seconds(6))
    #expect(await say("3", announcer) == .played)
    #expect(output.leads == [15_435, 0, 15_435])
    await announcer.close()
  }

  @Test("A speaker behind a cable is not waited for, unless that is wanted", arguments: [0, 200])
  func cable(milliseconds: Int) async {
    let output = MixerOutput(sink())
    var options = AnnouncerOptions()
    options.preRoll = .milliseconds(milliseconds)
    let announcer = Announcer(options: options, speaker: LevelSpeaker(), output: output, clock: clock)
    #expect(await say("1", announcer) == .played)
    #expect(output.leads == [22_050 * milliseconds / 1000])
    await announcer.close()
  }

  @Test(
    "Others are lowered, the volume is raised, then there is a short silence and the phrase; then all of it backwards"
  )
  func order() async throws {
    let state = try TemporaryFolder()
    let output = MixerOutput(sink(volume: ChannelVolume.full / 4))
    var options = AnnouncerOptions()
    options.others = .duck
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    let announcer = Announcer(options: options, speaker: LevelSpeaker(), output: output, clock: clock)
    #expect(await say("1", announcer) == .played)
    #expect(output.calls == ["music 46", "volume 70", "play", "volume 25", "music 100"])
    #expect(output.leads == [1103])
    await announcer.close()
  }

  @Test("A speaker that is done far too soon was not heard", arguments: [(140, false), (160, true)])
  func deadSpeaker(milliseconds: Int, isHeard: Bool) async {
    let output = MixerOutput(sink(), elapsed: .milliseconds(milliseconds))
    let announcer = Announcer(speaker: LevelSpeaker(), output: output, clock: clock)
    let end = await say("1", announcer)
    #expect((end == .played) == isHeard)
    #expect((end.reason ?? "").contains("nobody can have heard it") != isHeard)
    // What was not heard may be asked for again.
    #expect((await say("1", announcer) == .silent) == isHeard)
    await announcer.close()
  }
}
