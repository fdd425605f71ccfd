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
