import Glibc
import Synchronization

/// Values in the order they were added.
final class Collected<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  var all: [Value] { values.withLock { $0 } }

  func add(_ value: Value) { values.withLock { $0.append(value) } }
}

/// Holds everyone until the expected number has come.
actor Gate {
  private let expected: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(expecting expected: Int) { self.expected = expected }

  func pass() async {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == expected else { return }
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }
}

/// Answers every connection with the same bytes once the request's first piece has come, and closes it.
final class RawServer: Sendable {
  struct Failed: Error {}

  let port: UInt16
  private let listener: Int32
  var url: String { "http://127.0.0.1:\(port)" }

  init(_ answer: String) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw Failed() }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    let context = Unmanaged.passRetained(Answer(listener: listener, bytes: Array(answer.utf8))).toOpaque()
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let answer = Unmanaged<Answer>.fromOpaque(context).takeRetainedValue()
        while true {
          let peer = accept(answer.listener, nil, nil)
          guard peer >= 0 else { break }
          var piece = [UInt8](repeating: 0, count: 65536)
          _ = recv(peer, &piece, piece.count, 0)
          _ = send(peer, answer.bytes, answer.bytes.count, Int32(MSG_NOSIGNAL))
          shutdown(peer, Int32(SHUT_WR))
          while recv(peer, &piece, piece.count, 0) > 0 {}
          close(peer)
        }
        close(answer.listener)
        return nil
      }, context)
    pthread_detach(thread)
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private final class Answer {
    let listener: Int32
    let bytes: [UInt8]

    init(listener: Int32, bytes: [UInt8]) {
      self.listener = listener
      self.bytes = bytes
    }
  }
}

/// How many TCP connections to this port of 127.0.0.1 stand open, by the kernel's own table.
func openConnections(to port: UInt16) -> Int {
  guard let file = fopen("/proc/net/tcp", "r") else { return -1 }
  defer { fclose(file) }
  let hex = String(port, radix: 16, uppercase: true)
  let remote = "0100007F:" + String(repeating: "0", count: 4 - hex.count) + hex
  var count = 0
  var line = [CChar](repeating: 0, count: 512)
  while fgets(&line, Int32(line.count), file) != nil {
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    if fields.count > 3, fields[2] == remote, fields[3] == "01" { count += 1 }
  }
  return count
}
