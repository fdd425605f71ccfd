import Dispatch
import Glibc
import Synchronization
import WakeChannels

/// A client that sends bytes, whatever they are. Blocks on threads of its own, never on the cooperative pool.
final class RawClient: Sendable {
  private let socket: Int32
  private let queue = DispatchQueue(label: "raw client")

  /// Connects; nil when nobody listens.
  init?(port: UInt16) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    self.socket = socket
    guard result == 0 else { return nil }
  }

  /// Connects to a Unix socket; nil when nobody listens.
  init?(path: String) {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    self.socket = socket
    guard result == 0 else { return nil }
  }

  deinit { close(socket) }

  /// Sends all bytes, as far as the server takes them.
  func send(_ bytes: [UInt8]) async {
    await run { [socket] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Sends text.
  func send(_ text: String) async { await send(Array(text.utf8)) }

  /// Tells the server that nothing more comes.
  func finish() { shutdown(socket, Int32(SHUT_WR)) }

  /// Everything until the server closes.
  func receiveAll() async -> String {
    await run { [socket] in
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
      }
    }
  }

  /// What the server sends, until it has sent `mark`, or closes.
  func receive(until mark: String) async -> String {
    await run { [socket] in
      var text = ""
      var piece = [UInt8](repeating: 0, count: 65536)
      while !text.contains(mark) {
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { break }
        text += String(decoding: piece[..<count], as: UTF8.self)
      }
      return text
    }
  }

  private func run<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }
}

/// Lets tasks wait for an event that happens once.
actor Signal {
  private var isGiven = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func give() {
    isGiven = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func wait() async {
    guard !isGiven else { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}

/// Counts.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// A server on a free port of loopback.
func serve(
  _ limits: HTTPServer.Limits = HTTPServer.Limits(),
  _ handle: @escaping @Sendable (HTTPServer.Request) async -> HTTPServer.Response
) throws(HTTPServerError) -> (server: HTTPServer, port: UInt16) {
  let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0), limits: limits, handle: handle)
  return (server, server.port ?? 0)
}
