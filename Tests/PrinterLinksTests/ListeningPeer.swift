import Dispatch
import Glibc

/// The other end of a real socket on 127.0.0.1. Its calls block, on threads of their own.
final class ListeningPeer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ call: String) { description = "\(call): errno \(errno)" }
  }

  private let listener: Int32
  private let queue = DispatchQueue(label: "printd.tests.peer", attributes: .concurrent)
  let port: UInt16

  /// Listens on a free port.
  ///
  /// - Parameter receiveBuffer: The kernel's buffer for each connection, or nil for its own choice.
  init(receiveBuffer: Int32? = nil, backlog: Int32 = 16) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure("socket") }
    if var size = receiveBuffer {
      setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, backlog) == 0 else { return Int32(-1) }
        return getsockname(listener, address, &length)
      }
    }
    guard status == 0 else { throw Failure("listen") }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  /// Fills the queue of connections that nobody accepts; with a backlog of 0 the kernel then answers no more.
  ///
  /// - Returns: Descriptors that hold the places, to be closed by the caller.
  func fill() -> [Int32] {
    (0..<3).map { _ in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          _ = connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return descriptor
    }
  }

  /// The next connection.
  func accept() async throws -> Connection {
    let descriptor = await run { [listener] in Glibc.accept(listener, nil, nil) }
    guard descriptor >= 0 else { throw Failure("accept") }
    return Connection(descriptor: descriptor, queue: queue)
  }

  private func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in queue.async { done.resume(returning: call()) } }
  }

  /// One connection.
  final class Connection: Sendable {
    private let descriptor: Int32
    private let queue: DispatchQueue

    init(descriptor: Int32, queue: DispatchQueue) {
      self.descriptor = descriptor
      self.queue = queue
    }

    deinit { close(descriptor) }

    /// Reads until `count` bytes are here or the other side has shut its sending side.
    ///
    /// - Throws: `Failure` when the connection was reset.
    func read(_ count: Int = .max) async throws -> [UInt8] {
      let (bytes, failed) = await withCheckedContinuation { done in
        queue.async { [descriptor] in
          var bytes: [UInt8] = []
          var buffer = [UInt8](repeating: 0, count: 65_536)
          while bytes.count < count {
            let got = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            if got < 0 { return done.resume(returning: (bytes, true)) }
            if got == 0 { break }
            bytes += buffer.prefix(got)
          }
          done.resume(returning: (bytes, false))
        }
      }
      if failed { throw Failure("recv after \(bytes.count) bytes") }
      return bytes
    }

    func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    func shutSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection with a reset when it is closed.
    func resetOnClose() {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }
}
