import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing

/// Announcements through a real server, heard at its monitor.
@Suite(.timeLimit(.minutes(3)))
struct PlayingTests {
  private let records = Records()

  private func announcer(
    _ server: SoundServer, _ options: AnnouncerOptions = .unhurried, sink: String? = "spk",
    duration: Duration = .milliseconds(300)
  ) -> Announcer {
    Announcer(
      options: options, speaker: LevelSpeaker(rate: server.rate, duration: duration),
      output: PulseOutput(server: server.address, sink: sink), note: { [records] in records.add($0) })
  }

  @Test("A phrase of joined clips arrives sample by sample", arguments: SoundServer.Kind.allCases)
  func exact(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let recording = try await Recording(server)
    let clips = (0..<14).map { clip in
      PCM(
        samples: (0..<900).map { Int16(truncatingIfNeeded: ($0 + clip) &* 7919 | 1) / 3 }, rate: server.rate
      )
      .faded()
    }
    let phrase = try PCM.joined(clips)
    let speaker = PhraseSpeaker(phrase: phrase)
    let announcer = Announcer(
      options: .unhurried, speaker: speaker, output: PulseOutput(server: server.address, sink: "spk"),
      note: { [records] in records.add($0) })
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    try await recording.goOn()
    #expect(try recording.samples.firstRange(of: phrase.samples) != nil)
    let record = try #require(records.list.first)
    #expect(record.sink == "spk")
    #expect(record.volume == 1)
    #expect(record.raisedTo == nil)
    #expect(record.duration == phrase.duration)
    #expect(record.remarks.isEmpty)
    await announcer.close()
  }

  @Test(
    "Two wakes are two phrases, whole, in their order and without overlap",
    arguments: SoundServer.Kind.allCases)
  func order(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let recording = try await Recording(server)
    let announcer = announcer(server)
    let ends = Task { await announcer.announce(.now("1"), by: .later) }
    let second = Task {
      try await DaemonRig.until { try recording.samples.contains { $0 != 0 } }
      return await announcer.announce(.now("2"), by: .later)
    }
    #expect(await ends.value == .played)
    #expect(try await second.value == .played)
    try await recording.goOn()
    let heard = try stretches(recording.samples)
    let count = PCM.silence(.milliseconds(300), rate: server.rate).samples.count
    #expect(heard.map(\.level) == [LevelSpeaker.level("1"), LevelSpeaker.level("2")])
    #expect(heard.map(\.count) == [count, count])
    await announcer.close()
  }

  @Test("A muted speaker stays silent, and the announcement says so", arguments: SoundServer.Kind.allCases)
  func muted(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    try await server.pactl("set-sink-volume", "spk", "25%")
    try await server.pactl("set-sink-mute", "spk", "1")
    let recording = try await Recording(server)
    let announcer = announcer(server, options)
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
    let announcer = announcer(server, options)
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    try await recording.goOn()
    #expect(try stretches(recording.samples).contains { $0.level == LevelSpeaker.level("1") })
    #expect(try await server.pactl("get-sink-mute", "spk").contains("yes"))
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    // Without a place to write it down, a mute is not touched.
    options.stateDirectory = nil
    let careful = self.announcer(server, options)
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
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    let announcer = announcer(server, options, duration: .seconds(3))
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
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    let announcer = announcer(server, options)
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
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    let announcer = announcer(server, options, duration: .seconds(4))
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
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    let announcer = announcer(server, options)
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
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    try state.write("in the way", to: "file")
    options.stateDirectory = state.path("file/voice")
    let announcer = announcer(server, options)
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    #expect(try await server.volume() == 3)
    #expect(records.list.first?.raisedTo == nil)
    #expect(records.list.first?.remarks.first?.hasPrefix("the volume was not raised") == true)
    await announcer.close()
  }

  @Test(
    "Without a server, a speaker, or anything but a stand-in there is no device",
    arguments: SoundServer.Kind.allCases)
  func noDevice(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind, modules: "load-module module-always-sink", hasSpeaker: false)
    let standIn = announcer(server, sink: nil)
    #expect(await standIn.announce(.now("1"), by: .later) == .noDevice)
    #expect(records.list.first?.sink == "auto_null")
    let wrongName = announcer(server, sink: "till")
    #expect(await wrongName.announce(.now("1"), by: .later) == .noDevice)
    await server.kill()
    #expect(await standIn.announce(.now("1"), by: .later) == .noDevice)
    #expect(records.list.last?.remarks.first?.contains("no sound server answers") == true)
    await standIn.close()
    await wrongName.close()
  }

  @Test("Fifty in a burst are fifty phrases in their order on the speaker")
  func burst() async throws {
    let server = try await SoundServer()
    let recording = try await Recording(server)
    let announcer = announcer(server, duration: .milliseconds(40))
    var tasks: [Task<VoiceEnd, Never>] = []
    for number in 0..<50 {
      tasks.append(Task { await announcer.announce(.now("\(number)"), by: .later) })
      // Accepted, before the next one comes.
      try await DaemonRig.until { await announcer.acceptedCount == number + 1 }
    }
    for task in tasks { #expect(await task.value == .played) }
    try await recording.goOn()
    let heard = try stretches(recording.samples)
    #expect(heard.map(\.level) == (0..<50).map { LevelSpeaker.level("\($0)") })
    #expect(heard.allSatisfy { $0.count == 882 })
    await announcer.close()
  }

  @Test("A null sink is no device unless it is chosen by name", arguments: SoundServer.Kind.allCases)
  func chosenByName(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let announcer = announcer(server, sink: nil)
    #expect(await announcer.announce(.now("1"), by: .later) == .noDevice)
    await announcer.close()
  }

  @Test("A server that dies in the middle fails the phrase at once; the next one finds the new server")
  func serverDies() async throws {
    let folder = try TemporaryFolder()
    let server = try await SoundServer(in: folder)
    let recording = try await Recording(server)
    let announcer = announcer(server, duration: .seconds(20))
    let end = Task { await announcer.announce(.now("1"), by: .later) }
    try await recording.until { $0.contains { $0 != 0 } }
    await server.kill()
    guard case .failed(let reason) = await end.value else {
      Issue.record("not failed")
      return
    }
    #expect(reason.contains("gone"))
    unlink(folder.path("native.sock"))
    let next = try await SoundServer(in: folder)
    let again = self.announcer(next)
    #expect(await again.announce(.now("1"), by: .later) == .played)
    let heard = try await Recording(next)
    let late = Task { await announcer.announce(.now("2"), by: .later) }
    try await heard.until { $0.contains(LevelSpeaker.level("2")) }
    await next.kill()
    _ = await late.value
    await announcer.close()
    await again.close()
  }

  @Test("A speaker that is taken away in the middle fails the phrase")
  func speakerGoes() async throws {
    let server = try await SoundServer()
    let recording = try await Recording(server)
    let announcer = announcer(server, duration: .seconds(20))
    let end = Task { await announcer.announce(.now("1"), by: .later) }
    try await recording.until { $0.contains { $0 != 0 } }
    try await server.pactl("unload-module", "module-null-sink")
    guard case .failed(let reason) = await end.value else {
      Issue.record("not failed")
      return
    }
    #expect(reason.contains("taken away"))
    #expect(await announcer.announce(.now("2"), by: .later) == .noDevice)
    await announcer.close()
  }
}

/// Says the same phrase whatever the announcement.
struct PhraseSpeaker: Speaker {
  var phrase: PCM

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    Speech(pcm: phrase, text: "", source: .clips)
  }
}
