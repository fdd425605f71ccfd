import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing

/// The program is killed while volumes are changed; the next one sets them back.
@Suite(.timeLimit(.minutes(2)))
struct CrashTests {
  private func announcer(_ server: SoundServer, _ state: TemporaryFolder, note: Records = Records())
    -> Announcer
  {
    var options = AnnouncerOptions.raising(state)
    options.others = .duck
    return server.announcer(options, note)
  }

  /// Starts a victim beside music on a quiet speaker, and kills it while it speaks.
  private func killed(_ server: SoundServer, _ state: TemporaryFolder) async throws -> Music {
    try await server.pactl("set-sink-volume", "spk", "3%")
    let music = try Music(server)
    try await DaemonRig.until { try await server.pactl("list", "short", "sink-inputs").contains("\n") }
    let recording = try await Recording(server)
    let victim = try ChildProcess(
      Programs.path("AnnouncerVictim"), ["pulse", server.address, state.path],
      output: state.path("victim.log"))
    // 8,000 at 70 %, and a tenth of the music: 2,744 and 343.
    try await recording.until { $0.contains { abs(Int($0) - 3087) < 20 } }
    victim.send(SIGKILL)
    #expect(await victim.end == .signal(SIGKILL))
    #expect(try await server.volume() == 70)
    #expect(access(state.path("volume-lease.json"), F_OK) == 0)
    await recording.stop()
    return music
  }

  private func musicVolume(_ server: SoundServer) async throws -> String {
    let line = try await server.pactl("list", "sink-inputs").split(separator: "\n").first {
      $0.contains("Volume:")
    }
    return String(line?.split(separator: "/").dropFirst().first ?? "").filter { $0 != " " }
  }

  @Test(
    "At the next start, the speaker and the music are as loud as before", arguments: SoundServer.Kind.allCases
  )
  func recovers(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let state = try TemporaryFolder()
    let music = try await killed(server, state)
    #expect(try await musicVolume(server) == "46%")
    let next = announcer(server, state)
    try await next.recover(by: .later)
    #expect(try await server.volume() == 3)
    #expect(try await musicVolume(server) == "100%")
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    try await next.recover(by: .later)
    music.process.send(SIGKILL)
  }

  @Test("What the user has set since the crash stays")
  func usersChange() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    let music = try await killed(server, state)
    try await server.pactl("set-sink-volume", "spk", "55%")
    try await announcer(server, state).recover(by: .later)
    #expect(try await server.volume() == 55)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    music.process.send(SIGKILL)
  }

  @Test("Where the server is not there at the start, the first announcement sets back, and then raises anew")
  func later() async throws {
    let folder = try TemporaryFolder()
    let server = try await SoundServer(in: folder)
    let state = try TemporaryFolder()
    try state.write(
      """
      {"sinks": [{"name": "spk", "original": {"steps": [3277]}, "raised": {"steps": [45875]}, "wasMuted": false}],
       "sounds": []}
      """, to: "volume-lease.json")
    try await server.pactl("set-sink-volume", "spk", "45875")
    server.send(SIGSTOP)
    let next = announcer(server, state)
    let error = await #expect(throws: SoundError.self) {
      try await next.recover(by: BootClock().now.advanced(by: .milliseconds(50)))
    }
    #expect(error?.code == .deadline)
    #expect(access(state.path("volume-lease.json"), F_OK) == 0)
    server.send(SIGCONT)
    #expect(await next.announce(.now("1"), by: .later) == .played)
    #expect(try await server.volume() == 5)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    await next.close()
  }

  @Test("An announcement that is quicker than the recovery sets back first, and then raises anew")
  func quicker() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try state.write(
      """
      {"sinks": [{"name": "spk", "original": {"steps": [3277]}, "raised": {"steps": [45875]}, "wasMuted": false}],
       "sounds": []}
      """, to: "volume-lease.json")
    try await server.pactl("set-sink-volume", "spk", "45875")
    let next = announcer(server, state)
    #expect(await next.announce(.now("1"), by: .later) == .played)
    #expect(try await server.volume() == 5)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    try await next.recover(by: .later)
    #expect(await next.announce(.now("2"), by: .later) == .played)
    #expect(try await server.volume() == 5)
    await next.close()
  }

  @Test("A speaker that is unplugged is set back when it is there again")
  func unplugged() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try state.write(
      """
      {"sinks": [{"name": "gone", "original": {"steps": [3277]}, "raised": {"steps": [45875]}, "wasMuted": true}],
       "sounds": []}
      """, to: "volume-lease.json")
    let next = announcer(server, state)
    try await next.recover(by: .later)
    #expect(await next.announce(.now("1"), by: .later) == .played)
    #expect(access(state.path("volume-lease.json"), F_OK) == 0)
    try await server.pactl("load-module", "module-null-sink", "sink_name=gone", "channels=1")
    try await server.pactl("set-sink-volume", "gone", "45875")
    #expect(await next.announce(.now("2"), by: .later) == .played)
    #expect(try await server.volume(of: "gone") == 5)
    #expect(try await server.pactl("get-sink-mute", "gone").contains("yes"))
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
    await next.close()
  }

  @Test(
    "A file that is no lease is moved out of the way, and said so",
    arguments: ["", "{", #"{"sinks": 7}"#, "[]"])
  func damaged(text: String) async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try state.write(text, to: "volume-lease.json")
    let next = announcer(server, state)
    let error = await #expect(throws: SoundError.self) { try await next.recover(by: .later) }
    #expect(error?.message.contains("renamed") == true)
    #expect(access(state.path("volume-lease.json.bad"), F_OK) == 0)
    #expect(await next.announce(.now("1"), by: .later) == .played)
    await next.close()
  }
}
