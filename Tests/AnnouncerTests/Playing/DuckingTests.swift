import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing

/// A program that plays a constant level for a minute.
final class Music: Sendable {
  static let level: Int16 = 10_000
  let process: ChildProcess

  init(_ server: SoundServer, name: String = "music") throws {
    let path = server.folder.path("music.raw")
    let samples = [Int16](repeating: Self.level, count: 60 * server.rate)
    guard let file = fopen(path, "wb") else { throw Fixtures.Missing(path: path) }
    fwrite(samples, 2, samples.count, file)
    fclose(file)
    process = try ChildProcess(
      "pacat",
      [
        "--playback", "-d", "spk", "--raw", "--format=s16le", "--rate=\(server.rate)", "--channels=1",
        "--client-name=\(name)", "--latency-msec=2000", path,
      ], environment: server.client, output: server.folder.path("music.log"))
  }
}

/// Other programs' sound while something is said.
@Suite(.timeLimit(.minutes(2)))
struct DuckingTests {
  private let records = Records()

  private func announcer(
    _ server: SoundServer, _ state: TemporaryFolder?, _ others: AnnouncerOptions.Others = .duck,
    duration: Duration = .seconds(1)
  ) -> Announcer {
    var options = AnnouncerOptions.unhurried
    options.others = others
    options.stateDirectory = state?.path
    return server.announcer(options, records, duration: duration)
  }

  private func volumes(_ server: SoundServer) async throws -> [String] {
    try await server.pactl("list", "sink-inputs").split(separator: "\n").filter { $0.contains("Volume:") }
      .compactMap { $0.split(separator: "/").dropFirst().first?.trimmingPrefix { $0 == " " } }
      .map { String($0.prefix { $0 != " " }) }
  }

  @Test(
    "Music is twenty decibels lower while something is said, and back after it",
    arguments: SoundServer.Kind.allCases)
  func ducked(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains { $0 >= 9999 } }
    let announcer = announcer(server, state)
    let phrase = LevelSpeaker.level("20")
    #expect(await announcer.announce(.now("20"), by: .later) == .played)
    try await recording.goOn()
    // A tenth of 10,000 below the phrase's 3,000, and at no time both at full strength.
    let heard = try recording.samples
    let both = heard.count { abs(Int($0) - (Int(phrase) + 1000)) < 20 }
    #expect(both > server.rate * 9 / 10)
    #expect(heard.allSatisfy { $0 <= Music.level + 1 })
    #expect(abs(Int(heard.last ?? 0) - 10_000) < 2)
    #expect(records.list.first?.lowered == 1)
    #expect(try await volumes(server) == ["100%"])
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    await announcer.close()
    music.process.send(SIGKILL)
  }

  @Test("Where the server lowers others by itself, printd leaves them alone")
  func byServer() async throws {
    let server = try await SoundServer(
      modules:
        "load-module module-role-ducking trigger_roles=phone,announce ducking_roles=music,no_role volume=-20dB"
    )
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains(Music.level) }
    let state = try TemporaryFolder()
    let announcer = announcer(server, state)
    #expect(await announcer.announce(.now("20"), by: .later) == .played)
    #expect(records.list.first?.lowered == 0)
    #expect(records.list.first?.remarks == [])
    try await recording.until { $0.suffix(2000).allSatisfy { $0 == Music.level } }
    let phrase = LevelSpeaker.level("20")
    #expect(try recording.samples.count { abs(Int($0) - (Int(phrase) + 1000)) < 20 } > server.rate * 8 / 10)
    withExtendedLifetime(state) {}
    await announcer.close()
    music.process.send(SIGKILL)
  }

  @Test("Mixing leaves music as loud as it is")
  func mixed() async throws {
    let server = try await SoundServer()
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains(Music.level) }
    let state = try TemporaryFolder()
    let announcer = announcer(server, state, .mix)
    #expect(await announcer.announce(.now("20"), by: .later) == .played)
    try await recording.goOn()
    #expect(try recording.samples.contains(Music.level + LevelSpeaker.level("20")))
    #expect(try recording.samples.contains { $0 != 0 && $0 < Music.level } == false)
    withExtendedLifetime(state) {}
    await announcer.close()
    music.process.send(SIGKILL)
  }

  @Test("Without a place to write it down, nobody else's volume is changed")
  func noState() async throws {
    let server = try await SoundServer()
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains(Music.level) }
    let state: TemporaryFolder? = nil
    let announcer = announcer(server, state)
    #expect(await announcer.announce(.now("20"), by: .later) == .played)
    #expect(records.list.first?.remarks.first?.contains("left alone") == true)
    #expect(try await volumes(server) == ["100%"])
    await announcer.close()
    music.process.send(SIGKILL)
  }

  @Test("A volume that somebody sets meanwhile stays theirs")
  func usersChange() async throws {
    let server = try await SoundServer()
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains(Music.level) }
    let short = try await server.pactl("list", "short", "sink-inputs")
    let index = try #require(short.split(separator: "\t").first)
    let state = try TemporaryFolder()
    let announcer = announcer(server, state, duration: .seconds(4))
    let end = Task { await announcer.announce(.now("20"), by: .later) }
    try await recording.until { $0.contains { abs(Int($0) - (Int(LevelSpeaker.level("20")) + 1000)) < 20 } }
    try await server.pactl("set-sink-input-volume", String(index), "60%")
    #expect(await end.value == .played)
    #expect(try await volumes(server) == ["60%"])
    withExtendedLifetime(state) {}
    await announcer.close()
    music.process.send(SIGKILL)
  }

  @Test("A program that ends while it is lowered does not come back low")
  func endsWhileLow() async throws {
    let server = try await SoundServer(modules: "load-module module-stream-restore")
    let music = try Music(server)
    let recording = try await Recording(server)
    try await recording.until { $0.contains(Music.level) }
    let state = try TemporaryFolder()
    let announcer = announcer(server, state, duration: .seconds(1))
    let end = Task { await announcer.announce(.now("20"), by: .later) }
    try await recording.until { $0.contains { abs(Int($0) - (Int(LevelSpeaker.level("20")) + 1000)) < 20 } }
    music.process.send(SIGKILL)
    #expect(await end.value == .played)
    let before = try recording.samples.count
    let again = try Music(server)
    try await recording.until { $0.dropFirst(before).contains { $0 != 0 && $0 != LevelSpeaker.level("20") } }
    try await recording.goOn()
    #expect(try recording.samples.last == Music.level)
    withExtendedLifetime(state) {}
    await announcer.close()
    again.process.send(SIGKILL)
  }
}
