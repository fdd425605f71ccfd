import Curl
import ESCPOS
import Glibc
import PrintTestKit
import Testing

@testable import printd

@Suite("A socket that systemd has opened outlives the daemon", .timeLimit(.minutes(1)))
struct SocketActivationTests {
  @Test("A command that comes while no daemon runs waits for the next one")
  func restart() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("control.sock")
    let socket = try Self.listen(path)
    defer { close(socket) }
    let configuration = try folder.write(
      """
      {
        state_directory: "state", orders: {directory: "orders"}, control: {socket: "/nowhere/else.sock"},
        printers: [{name: "counter", link: "virtual", profile: "generic-80", address: "paper"}],
      }
      """, to: "printd.json5")
    func start() throws -> ChildProcess {
      // LISTEN_PID is the daemon's own number, which only it can know: the shell becomes the daemon.
      try ChildProcess(
        "/bin/sh",
        [
          "-c", #"LISTEN_PID=$$; export LISTEN_PID; exec "$0" "$@""#, Programs.path("printd"), "run",
          "--config", configuration,
        ],
        environment: ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"], sockets: [socket],
        output: folder.path("log"))
    }
    let client = HTTPClient(HTTPClient.Options(unixSocket: path))
    func ask() async throws -> Int {
      try await client.send(
        .init(.get, "http://printd/v1/status"), by: BootClock().now.advanced(by: .seconds(20))
      ).status
    }
    let first = try start()
    #expect(try await ask() == 200)
    first.send(SIGTERM)
    #expect(await first.end == .exit(0))
    #expect(access(path, F_OK) == 0, "the socket is systemd's, and stays")
    async let waiting = ask()
    let second = try start()
    #expect(try await waiting == 200)
    second.send(SIGTERM)
    #expect(await second.end == .exit(0))
    #expect(access("/nowhere/else.sock", F_OK) != 0)
  }

  private static func listen(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard descriptor >= 0, bound == 0, Glibc.listen(descriptor, 16) == 0 else {
      throw Fixtures.Missing(path: path)
    }
    return descriptor
  }
}
