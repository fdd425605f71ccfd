import Announcer
import Curl
import Documents
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing
import WakeHandler

@testable import printd

/// printd itself, a real sound server, and what can become of both.
@Suite("Whatever becomes of the voice, the wake is printed and completed once", .timeLimit(.minutes(3)))
struct VoiceFaultTests {
  private static let orderID = "order-1"
  /// Its tones take five seconds, said three times.
  private static let long = "12345678.90"

  private let orders: Orders

  init() throws {
    orders = try Orders()
  }

  /// A customer pays: the order is there, and its wake is handed in and its completion read.
  private func wake(_ rig: DaemonRig, amount: String = "3.00") async throws -> CompletionMessage {
    try orders.add(Self.orderID)
    let response = try await rig.post(VoiceWakeTests.wake(order: Self.orderID, amount: amount))
    return try DocumentReader.read(CompletionMessage.self, from: response.body)
  }

  /// One wake, one completion, one sheet, one report, and the same end of the voice in all of them.
  private func expectOnce(
    _ rig: DaemonRig, _ completion: CompletionMessage, voice: VoiceEnd,
    _ line: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(completion.outcome == "printed", sourceLocation: line)
    #expect(completion.voice == .ended(voice), "\(rig.log)", sourceLocation: line)
    let metrics = String(decoding: try await rig.ask(.get, "/metrics").body, as: UTF8.self)
    #expect(
      metrics.contains(#"printd_completions_total{outcome="printed"} 1"# + "\n"), sourceLocation: line)
    #expect(metrics.contains("printd_open_wakes 0\n"), sourceLocation: line)
    #expect(
      metrics.contains(#"printd_announcements_total{end="\#(voice.word)"} 1"# + "\n"), sourceLocation: line)
    let jobs = try await rig.jobs(of: Self.orderID)
    #expect(jobs.map(\.state) == [.printed], sourceLocation: line)
    #expect(jobs.map(\.voice) == [.ended(voice)], sourceLocation: line)
    #expect(try rig.paper().count == 1, sourceLocation: line)
    let reports = try rig.reports()
    #expect(reports.map(\.outcome) == ["printed"], sourceLocation: line)
    #expect(reports.map(\.voice) == [.ended(voice)], sourceLocation: line)
  }

  @Test("A server that is killed in mid-phrase", arguments: SoundServer.Kind.allCases)
  func killed(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let recording = try await Recording(server)
    let rig = try await VoiceWakeTests.rig(speaksTo: server.address, "repeat: 3", orders: orders.path)
    let answer = Task { try await wake(rig, amount: Self.long) }
    try await recording.until { $0.contains { $0 != 0 } }
    await server.kill()
    let completion = try await answer.value
    guard case .ended(.failed(let reason)) = completion.voice else {
      Issue.record("\(String(describing: completion.voice))")
      return
    }
    #expect(reason.contains("gone"))
    try await expectOnce(rig, completion, voice: .failed(reason))
    await rig.stop()
  }

  @Test("No server")
  func noServer() async throws {
    let folder = try TemporaryFolder()
    let rig = try await VoiceWakeTests.rig(speaksTo: "unix:\(folder.path("none"))", orders: orders.path)
    try await expectOnce(rig, try await wake(rig), voice: .noDevice)
    #expect(rig.log.contains("no sound server answers"))
    await rig.stop()
  }

  @Test("A server without a speaker")
  func noSink() async throws {
    let server = try await SoundServer(hasSpeaker: false)
    let rig = try await VoiceWakeTests.rig(speaksTo: server.address, device: nil, orders: orders.path)
    try await expectOnce(rig, try await wake(rig), voice: .noDevice)
    await rig.stop()
  }

  @Test("A server with nothing but a stand-in for a speaker", arguments: SoundServer.Kind.allCases)
  func standIn(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind, modules: "load-module module-always-sink", hasSpeaker: false)
    try await DaemonRig.until { try await server.pactl("get-default-sink").hasPrefix("auto_null") }
    let rig = try await VoiceWakeTests.rig(speaksTo: server.address, device: nil, orders: orders.path)
    try await expectOnce(rig, try await wake(rig), voice: .noDevice)
    #expect(rig.log.contains("auto_null stands in for a speaker"))
    await rig.stop()
  }

  @Test("A muted speaker, which nothing is heard of", arguments: SoundServer.Kind.allCases)
  func muted(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    try await server.pactl("set-sink-mute", "spk", "1")
    let recording = try await Recording(server)
    let rig = try await VoiceWakeTests.rig(speaksTo: server.address, orders: orders.path)
    try await expectOnce(rig, try await wake(rig), voice: .muted)
    try await recording.goOn()
    #expect(try recording.samples.allSatisfy { $0 == 0 })
    await recording.stop()
    await rig.stop()
  }

  @Test(
    "A quiet speaker, which is raised for the phrase and set back after it",
    arguments: SoundServer.Kind.allCases)
  func raised(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    try await server.pactl("set-sink-volume", "spk", "3%")
    let recording = try await Recording(server)
    let rig = try await VoiceWakeTests.rig(
      speaksTo: server.address, "minimum_volume: 70", orders: orders.path)
    try await expectOnce(rig, try await wake(rig), voice: .played)
    #expect(try await server.volume() == 3)
    // At 3 % the loudest of its samples would be 0.
    try await recording.goOn()
    #expect(try recording.samples.contains { $0 != 0 })
    #expect(rig.log.contains("volume=3% raised_to=70%"), "\(rig.log)")
    await recording.stop()
    await rig.stop()
  }

  @Test("printd that is killed while the volume is raised: the next one sets it back, and says so")
  func killedWhileRaised() async throws {
    let server = try await SoundServer()
    try await server.pactl("set-sink-volume", "spk", "3%")
    let recording = try await Recording(server)
    let first = try await VoiceWakeTests.rig(
      speaksTo: server.address, "minimum_volume: 70, repeat: 3", orders: orders.path)
    let answer = Task { try await wake(first, amount: Self.long) }
    try await recording.until { $0.contains { $0 != 0 } }
    #expect(try await first.untilPrinted(Self.orderID))
    await first.kill()
    await #expect(throws: (any Error).self, "the dead one has answered nothing") { try await answer.value }
    await recording.stop()
    #expect(try await server.volume() == 70)
    let lease = first.folder.path("state/voice/volume-lease.json")
    #expect(access(lease, F_OK) == 0)
    #expect(try first.reports().isEmpty)

    let next = try await VoiceWakeTests.rig(
      in: first.folder, speaksTo: server.address, "minimum_volume: 70, repeat: 3", orders: orders.path)
    try await DaemonRig.until { access(lease, F_OK) != 0 }
    #expect(try await server.volume() == 3)
    try await DaemonRig.until { try !next.reports().isEmpty }
    let lost = VoiceEnd.failed("printd or the power failed while it was said")
    #expect(next.log.contains("nobody knows whether they were heard: order:\(Self.orderID)"), "\(next.log)")
    let again = try await wake(next, amount: Self.long)
    #expect(again.outcome == "duplicate")
    #expect(again.voice == .ended(.silent))
    #expect(try await next.jobs(of: Self.orderID).map(\.voice) == [.ended(lost)])
    #expect(try next.paper().count == 1)
    #expect(try next.reports().map(\.outcome) == ["printed"])
    #expect(try next.reports().map(\.voice) == [.ended(lost)])
    await next.stop()
  }
}
