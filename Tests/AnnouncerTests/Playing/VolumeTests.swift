import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing

/// How loud an announcement is through a real server, and what is left of that after it.
@Suite(.timeLimit(.minutes(3)))
struct VolumeTests {
  private let records = Records()

  @Test("A muted speaker stays silent, and the announcement says so", arguments: SoundServer.Kind.allCases)
  func muted(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    let options = AnnouncerOptions.raising(state)
    try await server.pactl("set-sink-volume", "spk", "25%")
    try await server.pactl("set-sink-mute", "spk", "1")
    let recording = try await Recording(server)
    let announcer = server.announcer(options, records)
    #expect(await announcer.announce(.now("1"), by: .later) == .muted)
    try await recording.goOn()
    #expect(try recording.samples.allSatisfy { $0 == 0 })
    #expect(try await server.volume() == 25)
    #expect(try await server.pactl("get-sink-mute", "spk").contains("yes"))
    // Once it is not muted any more, the same payment may be asked for again.
    try await server.pactl("set-sink-mute", "spk", "0")
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    await announcer.close()
  }

  @Test(
    "Where the configuration overrides the mute, it comes back after the phrase",
    arguments: SoundServer.Kind.allCases)
  func overridden(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    var options = AnnouncerOptions.unhurried
    options.mute = .override
    options.stateDirectory = state.path
    try await server.pactl("set-sink-mute", "spk", "1")
    let recording = try await Recording(server)
    let announcer = server.announcer(options, records)
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    try await recording.goOn()
    #expect(try stretches(recording.samples).contains { $0.level == LevelSpeaker.level("1") })
    #expect(try await server.pactl("get-sink-mute", "spk").contains("yes"))
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    // Without a place to write it down, a mute is not touched.
    options.stateDirectory = nil
    let careful = server.announcer(options, records)
    #expect(await careful.announce(.now("2"), by: .later) == .muted)
    #expect(try await server.pactl("get-sink-mute", "spk").contains("yes"))
    await announcer.close()
    await careful.close()
  }

  /// A server, a volume that is too low, and whether the speaker's own volume has to be raised.
  static let quiet: [(SoundServer.Kind, Int, Bool)] = [
    (.pulseAudio, 25, false), (.pulseAudio, 3, true), (.pulseAudio, 0, true), (.pipeWire, 25, true),
  ]

  @Test("A quiet speaker is heard at 70 % and is as quiet as before afterwards", arguments: quiet)
  func raised(kind: SoundServer.Kind, volume: Int, touchesSpeaker: Bool) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "\(volume)%")
    let recording = try await Recording(server)
    let options = AnnouncerOptions.raising(state)
    let announcer = server.announcer(options, records, duration: .seconds(3))
    let end = Task { await announcer.announce(.now("190"), by: .later) }
    // 20,000 at 70 % is 6,860: the scale is cubic.
    try await recording.until { $0.contains { abs(Int($0) - 6860) < 15 } }
    #expect(try await server.volume() == (touchesSpeaker ? 70 : volume))
    #expect((access(state.path("volume-lease.json"), F_OK) == 0) == touchesSpeaker)
    #expect(await end.value == .played)
    #expect(try await server.volume() == volume)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    #expect(records.list.first?.raisedTo == 0.7)
    #expect(abs((records.list.first?.volume ?? 1) - Double(volume) / 100) < 0.001)
    let loudest = try recording.samples.reduce(0) { max($0, abs(Int($1))) }
    #expect(abs(loudest - 6860) < 15)
    await announcer.close()
  }

  @Test("A loud speaker is never turned down")
  func neverLowered() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "90%")
    let recording = try await Recording(server)
    let options = AnnouncerOptions.raising(state)
    let announcer = server.announcer(options, records)
    #expect(await announcer.announce(.now("190"), by: .later) == .played)
    try await recording.goOn()
    let loudest = try recording.samples.reduce(0) { max($0, abs(Int($1))) }
    #expect(abs(loudest - 14_580) < 15)
    #expect(try await server.volume() == 90)
    await announcer.close()
  }

  @Test("What the user sets meanwhile stays", arguments: SoundServer.Kind.allCases)
  func usersChange(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "3%")
    let options = AnnouncerOptions.raising(state)
    let announcer = server.announcer(options, records, duration: .seconds(4))
    let end = Task { await announcer.announce(.now("190"), by: .later) }
    try await DaemonRig.until { try await server.volume() == 70 }
    try await server.pactl("set-sink-volume", "spk", "40%")
    #expect(await end.value == .played)
    #expect(try await server.volume() == 40)
    await announcer.close()
  }

  @Test(
    "Two phrases straight after each other do not take the raised volume for the original one",
    arguments: SoundServer.Kind.allCases)
  func twiceRaised(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "3%")
    let options = AnnouncerOptions.raising(state)
    let announcer = server.announcer(options, records)
    async let first = announcer.announce(.now("1"), by: .later)
    async let second = announcer.announce(.now("2"), by: .later)
    #expect(await [first, second] == [.played, .played])
    #expect(try await server.volume() == 3)
    await announcer.close()
  }

  @Test("A state directory that takes no file keeps the volume as it is, and the phrase is said")
  func noLease() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "3%")
    var options = AnnouncerOptions.raising(state)
    try state.write("in the way", to: "file")
    options.stateDirectory = state.path("file/voice")
    let announcer = server.announcer(options, records)
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    #expect(try await server.volume() == 3)
    #expect(records.list.first?.raisedTo == nil)
    #expect(records.list.first?.remarks.first?.hasPrefix("the volume was not raised") == true)
    await announcer.close()
  }

  @Test(
    "A phrase that outlasts the stop is cut, and the speaker is as quiet as before",
    arguments: SoundServer.Kind.allCases)
  func cut(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "3%")
    let recording = try await Recording(server)
    let announcer = server.announcer(.raising(state), records, duration: .seconds(60))
    let end = Task { await announcer.announce(.now("190"), by: .later) }
    try await recording.until { $0.contains { abs(Int($0) - 6860) < 15 } }
    await announcer.close(by: BootClock().now.advanced(by: .milliseconds(100)))
    #expect(try await server.volume() == 3)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    #expect(await end.value == .failed("the sound server was left"))
  }

  @Test("A stop that has time lets the phrase end")
  func notCut() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "3%")
    let recording = try await Recording(server)
    let announcer = server.announcer(.raising(state), records, duration: .seconds(1))
    let end = Task { await announcer.announce(.now("190"), by: .later) }
    try await recording.until { $0.contains { abs(Int($0) - 6860) < 15 } }
    await announcer.close(by: .later)
    #expect(await end.value == .played)
    #expect(try await server.volume() == 3)
  }
}
