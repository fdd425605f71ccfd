import Curl
import DBus
import Documents
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import Sound
import Testing

@testable import printd

@Suite("Scans of commands and the daemon's voice", .timeLimit(.minutes(2)))
struct ScanTurnsTests {
  @Test("the voice begins when the scan rests, and the scan goes on when the voice has ended")
  func turns() async {
    let clock = ManualClock()
    let turns = ScanTurns(clock: clock)
    let scan = Task { await turns.scan("a") }
    await clock.sleepers(atLeast: 1)
    let voice = Task { await turns.speak() }
    #expect(await scan.value)
    let rest = Task { await turns.rest("a") }
    // The clock stands: it is the rest that is waited for.
    let end = await voice.value
    #expect(await turns.scan("b"), "one that begins meanwhile hears it at once")
    end()
    #expect(await rest.value == false)
  }

  @Test("a scan that does not rest, as its command was killed, delays one phrase by a second, and no other")
  func killed() async {
    let clock = ManualClock()
    let turns = ScanTurns(clock: clock)
    let scan = Task { await turns.scan("a") }
    await clock.sleepers(atLeast: 1)
    let first = Task { await turns.speak() }
    #expect(await scan.value)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: ScanTurns.patience)
    await first.value()
    await turns.speak()()
  }

  @Test("a scan that has ended, or has not asked for long, is not waited for", arguments: [true, false])
  func over(_ isTold: Bool) async {
    let clock = ManualClock()
    let turns = ScanTurns(clock: clock)
    let scan = Task { await turns.scan("a") }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: ScanTurns.longestAnswer)
    #expect(await scan.value == false)
    if isTold { await turns.end("a") } else { clock.advance(by: .seconds(3)) }
    await turns.speak()()
  }

  @Test("who waits has an answer when the daemon stops")
  func close() async {
    let clock = ManualClock()
    let turns = ScanTurns(clock: clock)
    let scan = Task { await turns.scan("a") }
    await clock.sleepers(atLeast: 1)
    await turns.close()
    #expect(await scan.value == false)
  }

  @Test("A command that searches rests while the daemon speaks", arguments: ["scan", "pair"])
  func beside(_ command: String) async throws {
    let address = PrintersCommandTests.address
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let folder = try TemporaryFolder()
    try AudioFile.writeWAV(
      PCM(samples: (0..<8000).map { Int16($0 % 60 * 200 - 6000) }, rate: 16_000), to: folder.path("tone.wav"))
    // Speaks this text only when it is told to.
    let synthesiser = try folder.write(
      """
      #!/bin/sh
      cd "$(dirname "$0")"
      case "$(cat)" in *patience*) while [ ! -e go ]; do sleep 0.02; done ;; esac
      cat tone.wav

      """, to: "synthesiser")
    chmod(synthesiser, 0o755)
    let rig = try await DaemonRig(
      in: folder, orders: nil,
      more:
        #"voice: {language: "en", currency: "USD", output: "file", device: "said.wav", synthesiser: "./synthesiser"},"#,
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text])
    let words =
      command == "scan" ? ["scan", "--seconds", "300", "--json"] : ["pair", address, "--yes", "--no-test"]
    let output = folder.path("output")
    let search = try ChildProcess(
      Programs.path("printd"), ["printers"] + words + ["--config", folder.path("printd.json5")],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text], output: output)
    await fake.called("StartDiscovery")
    async let announcement = rig.read(
      VoiceEndMessage.self, .post, "/v1/announcements", #"{"text":"patience"}"#)
    await fake.called("StopDiscovery")
    #expect(!adapter.isDiscovering)
    try folder.write("", to: "go")
    #expect(try await announcement.end == "played")
    await fake.called("StartDiscovery", times: 2)
    adapter.addDevice(
      address, name: "MPT-II", services: [.access, .print], printer: FakePrinter(clock: BootClock()))
    if command == "scan" { search.send(SIGINT) }
    let end = await search.end
    #expect(end == .exit(0), "\((try? Fixtures.text(ofFile: output)) ?? "")")
    #expect(await rig.stop() == .exit(0))
  }

  @Test("The sign of a command that speaks is one for a shop, and is gone when it is lowered")
  func sign() async throws {
    let shop = "/run/\(String(repeating: "long/", count: 15))\(UInt64.random(in: 0 ... .max))"
    #expect(!VoiceSign.isRaised(for: shop))
    let sign = try #require(VoiceSign.raise(for: shop))
    #expect(VoiceSign.raise(for: shop) == nil)
    for _ in 0..<1_000 where !VoiceSign.isRaised(for: shop) { Issue.record("it is not seen") }
    #expect(!VoiceSign.isRaised(for: shop + "2"))
    sign.lower()
    sign.lower()
    // A program that another test is starting may have a copy of the socket until it is loaded.
    try await DaemonRig.until { !VoiceSign.isRaised(for: shop) }
    try #require(VoiceSign.raise(for: shop)).lower()
  }

  @Test(
    "A command that searches rests while another one speaks by itself, and when that is killed goes on",
    arguments: ["scan", "pair"], [["announce", "12.50"], ["voice", "test"]])
  func besideNobody(_ command: String, _ speaking: [String]) async throws {
    let address = PrintersCommandTests.address
    let folder = try TemporaryFolder()
    // A sound server that does not answer, so that nothing is said to its end.
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { Glibc.close(server) }
    try #require(Self.listen(server, folder.path("pulse")))
    let machine = try await PrintersCommandTests.Machine(
      more:
        #"voice: {language: "en", currency: "USD", output: "pulse", server: "unix:\#(folder.path("pulse"))"},"#
    )
    let adapter = machine.fake.addAdapter()
    let words =
      command == "scan" ? ["scan", "--seconds", "300", "--json"] : ["pair", address, "--yes", "--no-test"]
    let search = try machine.start(["printers"] + words)
    await machine.fake.called("StartDiscovery")
    let speaker = try machine.start(speaking)
    await machine.fake.called("StopDiscovery")
    speaker.child.send(SIGKILL)
    _ = await speaker.child.end
    await machine.fake.called("StartDiscovery", times: 2)
    adapter.addDevice(
      address, name: "MPT-II", services: [.access, .print], printer: FakePrinter(clock: BootClock()))
    if command == "scan" { search.child.send(SIGINT) }
    let end = try await search.end
    #expect(end.code == 0, "\(end.output)")
  }

  private static func listen(_ server: Int32, _ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0 && Glibc.listen(server, 8) == 0
  }

  @Test(
    "announce by itself lets the scan of another program end first, and says the amount also when that does not"
  )
  func foreignScan() async throws {
    let machine = try await PrintersCommandTests.Machine(
      more: #"voice: {language: "en", currency: "USD", output: "none"},"#)
    let adapter = machine.fake.addAdapter()
    for endsInTime in [true, false] {
      adapter.discover(true)
      let before = machine.fake.calls(of: "GetManagedObjects").count
      let speaker = try machine.start(["announce", "12.50"])
      await machine.fake.called("GetManagedObjects", times: before + 1)
      if endsInTime { adapter.discover(false) }
      let end = try await speaker.end
      #expect(end.code == 0 && end.output.hasSuffix("played\n"), "\(end.output)")
    }
    #expect(adapter.isDiscovering, "it is not ours to end")
    #expect(machine.fake.calls(of: "StopDiscovery").isEmpty)
  }

  @Test("What is said of a scan is checked")
  func requests() async throws {
    let rig = try await DaemonRig(orders: nil)
    let path = "/v1/bluetooth/scan"
    for body in [#"{"state":"scanning"}"#, #"{"token":"a"}"#, #"{"token":"a","state":"idle"}"#, ""] {
      #expect(try await rig.ask(.post, path, body).status == 400, "\(body)")
    }
    #expect(try await rig.ask(.delete, path).status == 400)
    let answer = try await rig.read(ScanMessage.self, .post, path, #"{"token":"a","state":"resting"}"#)
    #expect(answer.speaks == false)
    #expect(try await rig.ask(.delete, path + "?token=a").status == 200)
    // A command that scans keeps the daemon from nothing, its end included.
    async let scanning = rig.ask(.post, path, #"{"token":"a","state":"scanning"}"#)
    #expect(await rig.stop() == .exit(0))
    _ = try? await scanning
  }
}
