import ESCPOS
import Glibc
import PrintTestKit
import Sound
import Synchronization
import Testing

@testable import Announcer

/// A server with music on its one speaker, that answers as it is told to.
private final class MusicSession: SoundSession {
  struct State {
    var music = [
      OtherSound(index: 7, sink: 0, name: "music", memory: "m", volume: ChannelVolume(steps: [60_000]))
    ]
    var remembered: [ChannelVolume] = []
    var fault: SoundError.Code?
  }

  let state = Mutex(State())

  private func check() throws(SoundError) {
    if let code = state.withLock(\.fault) { throw SoundError(code, "as told") }
  }

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    Sink(name: "spk", description: "spk")
  }
  func others(by deadline: BootInstant) async throws(SoundError) -> [OtherSound] { state.withLock(\.music) }

  func setVolume(
    _ volume: ChannelVolume, of other: OtherSound, by deadline: BootInstant
  ) async throws(SoundError) {
    try check()
    state.withLock { $0.music[0].volume = volume }
  }

  func forget(
    _ lowered: ChannelVolume, for original: ChannelVolume, of memory: String, by deadline: BootInstant
  ) async throws(SoundError) {
    try check()
    state.withLock { $0.remembered.append(original) }
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback { Playback(elapsed: .zero) }

  func close() async {}
}

@Suite("The mixer's lease", .timeLimit(.minutes(1)))
struct MixerTests {
  @Test(
    "stays for another time when the server does not answer, whether the music plays on or has ended",
    arguments: [SoundError.Code.deadline, .lost], [true, false])
  func unanswered(fault: SoundError.Code, plays: Bool) async throws {
    let state = try TemporaryFolder()
    let (session, mixer) = (MusicSession(), Mixer(folder: state.path))
    let sink = try await session.sink(by: .later)
    #expect(try await mixer.duck(sink, by: 20, in: session, by: .later) == 1)
    session.state.withLock { state in
      state.fault = fault
      if !plays { state.music = [] }
    }
    let error = await #expect(throws: SoundError.self) { try await mixer.undo(in: session, by: .later) }
    #expect(error?.code == fault)
    #expect(await mixer.isChanged)
    #expect(access(state.path("volume-lease.json"), F_OK) == 0)
    session.state.withLock { $0.fault = nil }
    // The process may have died meanwhile.
    let next = Mixer(folder: state.path)
    try await next.takeOver()
    try await next.undo(in: session, by: .later)
    let original = ChannelVolume(steps: [60_000])
    #expect(session.state.withLock { plays ? $0.music[0].volume == original : $0.remembered == [original] })
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
  }

  @Test(
    "is over when the server says that the sound has ended",
    arguments: [SoundError.Code.failed, .unavailable])
  func refused(fault: SoundError.Code) async throws {
    let state = try TemporaryFolder()
    let (session, mixer) = (MusicSession(), Mixer(folder: state.path))
    let sink = try await session.sink(by: .later)
    #expect(try await mixer.duck(sink, by: 20, in: session, by: .later) == 1)
    session.state.withLock { $0.fault = fault }
    try await mixer.undo(in: session, by: .later)
    #expect(await !mixer.isChanged)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
  }
}
