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
    let announcer = server.announcer(.unhurried, records)
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

  @Test(
    "Without a server, a speaker, or anything but a stand-in there is no device",
    arguments: SoundServer.Kind.allCases)
  func noDevice(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind, modules: "load-module module-always-sink", hasSpeaker: false)
    // One of the servers makes it, and the default of it, a moment after its start.
    try await DaemonRig.until { try await server.pactl("get-default-sink").hasPrefix("auto_null") }
    let standIn = server.announcer(.unhurried, records, sink: nil)
    #expect(await standIn.announce(.now("1"), by: .later) == .noDevice)
    #expect(records.list.first?.sink == "auto_null")
    let wrongName = server.announcer(.unhurried, records, sink: "till")
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
    let announcer = server.announcer(.unhurried, records, duration: .milliseconds(40))
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
    let announcer = server.announcer(.unhurried, records, sink: nil)
    #expect(await announcer.announce(.now("1"), by: .later) == .noDevice)
    await announcer.close()
  }

  @Test("A server that dies in the middle fails the phrase at once; the next one finds the new server")
  func serverDies() async throws {
    let folder = try TemporaryFolder()
    let server = try await SoundServer(in: folder)
    let recording = try await Recording(server)
    let announcer = server.announcer(.unhurried, records, duration: .seconds(20))
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
    let again = next.announcer(.unhurried, records)
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
    let announcer = server.announcer(.unhurried, records, duration: .seconds(20))
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
