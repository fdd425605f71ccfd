import Announcer
import Glibc
import PrintTestKit
import Sound
import Testing
import WakeChannels

@testable import printd

/// A command may be root's, and what root makes or changes there is closed to the daemon.
@Suite("Commands that only look or speak leave the state directory as it was", .timeLimit(.minutes(1)))
struct StateUntouchedTests {
  private static let commands = [
    ["doctor"], ["announce", "12.50"], ["announce", "12.50", "-o"], ["voice", "test"], ["voice", "list"],
    ["announce", "--text", "closing soon"],
  ]

  /// Every entry below a folder, with all that a change would change but the time of reading.
  private static func snapshot(_ path: String) -> [String] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    let facts = [
      UInt64(status.st_mode), UInt64(status.st_uid), UInt64(status.st_ino), UInt64(status.st_size),
      UInt64(status.st_mtim.tv_sec), UInt64(status.st_mtim.tv_nsec), UInt64(status.st_ctim.tv_sec),
      UInt64(status.st_ctim.tv_nsec),
    ]
    let line = "\(path) \(facts.map(String.init).joined(separator: " "))"
    return [line] + Files.names(in: path).flatMap { snapshot("\(path)/\($0)") }
  }

  /// A folder with a configuration whose voice is a server that answers everything.
  private func folder(_ server: HTTPServer) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    mkdir(folder.path("orders"), 0o755)
    try folder.write(
      """
      {printers: [{name: "a", link: "virtual", profile: "generic-80", address: "paper"}], state_directory: "state",
       orders: {directory: "orders"}, control: {socket: "\(folder.path("control.sock"))"},
       voice: {language: "en", currency: "EUR", output: "file", device: "said.wav",
               online: {url: "http://127.0.0.1:\(server.port ?? 0)/say?text={text}"}}}
      """, to: "printd.json5")
    return folder
  }

  private func run(_ words: [String], in folder: TemporaryFolder) async throws -> String {
    let file = words.last == "-o" ? [folder.path("a.wav")] : []
    return try await CommandLineTests.run(
      words + file + ["--config", folder.path("printd.json5")], in: folder
    ).output
  }

  @Test("before the daemon's first start", arguments: Self.commands)
  func before(words: [String]) async throws {
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      HTTPServer.Response(status: 200, body: AudioFile.wav(Chime.sound(rate: 16_000)))
    }
    let folder = try folder(server)
    let output = try await run(words, in: folder)
    if words.first == "announce" { #expect(output.contains("[online,"), "\(output)") }
    if words.first == "doctor" { #expect(output.contains("ok       online voice"), "\(output)") }
    #expect(Self.snapshot(folder.path("state")) == [], "\(output)")
    await server.stop()
  }

  @Test("with all that the daemon has left there", arguments: Self.commands)
  func after(words: [String]) async throws {
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      HTTPServer.Response(status: 200, body: AudioFile.wav(Chime.sound(rate: 16_000)))
    }
    let folder = try folder(server)
    let sounds = folder.path("state/groups/printd/Library/Sounds")
    for path in [sounds, folder.path("state/voice/online")] { try Files.makeFolder(path) }
    // More phrases of events than are kept, and one that an interrupted writer has left.
    for number in 0..<20 {
      try folder.write("x", to: "state/groups/printd/Library/Sounds/event-\(number).wav")
    }
    let half = try folder.write("x", to: "state/groups/printd/Library/Sounds/event-9.wav.1.2.tmp")
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, half, &times, 0)
    let before = Self.snapshot(folder.path("state"))
    #expect(before.count == 28)
    let output = try await run(words, in: folder)
    #expect(Self.snapshot(folder.path("state")) == before, "\(output)")
    await server.stop()
  }
}
