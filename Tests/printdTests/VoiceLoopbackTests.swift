import Documents
import Curl
import PrintTestKit
import Testing
import WakeChannels
import PrintJobs
import WakeHandler

@testable import printd

@Suite("A sound server over loopback", .timeLimit(.minutes(1)))
struct VoiceLoopbackTests {
  @Test(
    "plays for a daemon that is another user's, once it listens there", arguments: SoundServer.Kind.allCases)
  func loopback(kind: SoundServer.Kind) async throws {
    let server = try await SoundServer(kind)
    let port = try await freePort()
    let rig = try await VoiceWakeTests.rig(speaksTo: "tcp:127.0.0.1:\(port)", orders: nil)
    func voice(_ amount: String) async throws -> Voice? {
      let response = try await rig.post(VoiceWakeTests.wake(amount: amount))
      return try DocumentReader.read(CompletionMessage.self, from: response.body).voice
    }
    #expect(try await voice("3.00") == .ended(.noDevice))
    // The line of Docs/voice.md, with a port of its own. The daemon has no cookie of this server.
    try await server.pactl(
      "load-module", "module-native-protocol-tcp", "listen=127.0.0.1", "auth-ip-acl=127.0.0.1", "port=\(port)"
    )
    let recording = try await Recording(server)
    #expect(try await voice("4.00") == .ended(.played), "\(rig.log)")
    try await recording.goOn()
    #expect(try recording.samples.contains { $0 != 0 })
    await recording.stop()
    await rig.stop()
  }

  /// A port of loopback that nobody listens on.
  private func freePort() async throws -> UInt16 {
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      HTTPServer.Response(status: 204)
    }
    let port = server.port
    await server.stop()
    return try #require(port)
  }
}
