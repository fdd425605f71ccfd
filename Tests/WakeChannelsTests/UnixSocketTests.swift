import Glibc
import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(1)))
struct UnixSocketTests {
  private let path = "/tmp/printd-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).sock"

  private func server() throws(HTTPServerError) -> HTTPServer {
    try HTTPServer(listen: .unix(path: path, mode: 0o660)) {
      HTTPServer.Response(status: 200, body: Array($0.peer.utf8))
    }
  }

  private var mode: mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  @Test("The socket has the mode asked for, serves, and is gone after the stop")
  func lifetime() async throws {
    let server = try server()
    #expect(server.port == nil)
    #expect(mode == S_IFSOCK | 0o660)
    let client = try #require(RawClient(path: path))
    await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await client.receiveAll().hasSuffix("\r\n\r\nunix"))
    await server.stop()
    #expect(mode == nil)
  }

  @Test("A socket that nobody listens on any more is replaced")
  func stale() async throws {
    let old = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(old, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    close(old)
    let server = try server()
    #expect(RawClient(path: path) != nil)
    await server.stop()
  }

  @Test("A socket that somebody listens on is left alone, and the second server says so")
  func live() async throws {
    let first = try server()
    #expect(throws: HTTPServerError(.inUse, "somebody listens on \(path) already; stop that process first")) {
      try server()
    }
    let client = try #require(RawClient(path: path))
    await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 "))
    await first.stop()
  }

  @Test("A file that is no socket is left alone")
  func file() async throws {
    let file = try #require(fopen(path, "w"))
    fclose(file)
    #expect(throws: HTTPServerError.self) { try server() }
    #expect(mode.map { $0 & S_IFMT } == S_IFREG)
    unlink(path)
  }

  @Test("A socket that another process has put in our place stays at the stop")
  func replaced() async throws {
    let server = try server()
    unlink(path)
    let file = try #require(fopen(path, "w"))
    fclose(file)
    await server.stop()
    #expect(mode.map { $0 & S_IFMT } == S_IFREG)
    unlink(path)
  }

  @Test("A path that does not fit is refused", arguments: [0, 100, 200])
  func length(extra: Int) async throws {
    let long = extra == 0 ? "" : path + String(repeating: "x", count: extra)
    #expect(throws: HTTPServerError.self) {
      try HTTPServer(listen: .unix(path: long, mode: 0o660)) { _ in HTTPServer.Response(status: 200) }
    }
  }

  @Test("A socket handed over by systemd is served, and still listens after the stop")
  func inherited() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #expect(listen(listener, 8) == 0)
    let kept = dup(listener)
    let server = try HTTPServer(listen: .descriptor(listener)) { _ in HTTPServer.Response(status: 200) }
    let port = try #require(server.port)
    let client = try #require(RawClient(port: port))
    await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 "))
    await server.stop()
    #expect(RawClient(port: port) != nil)
    close(kept)
  }

  @Test("A descriptor that does not listen is refused")
  func notListening() async throws {
    let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #expect(throws: HTTPServerError.self) {
      try HTTPServer(listen: .descriptor(plain)) { _ in HTTPServer.Response(status: 200) }
    }
    close(plain)
  }
}
