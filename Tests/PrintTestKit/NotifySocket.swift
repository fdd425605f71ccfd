import Glibc
import Threads

/// The other end of sd_notify(3): tells what a daemon has said of itself.
public final class NotifySocket: Sendable {
  private struct State {
    var said: [String] = []
    var hasEnded = false
    var waiters: [(id: Int, word: String, tell: CheckedContinuation<Bool, Never>)] = []
    var nextID = 0
  }

  /// The path for `NOTIFY_SOCKET`.
  public let path: String
  private let descriptor: Int32
  private let state = Locked(State())

  /// Binds the socket; a thread of its own listens until the object goes.
  public init(path: String) throws {
    self.path = path
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard descriptor >= 0, bound == 0 else { throw Fixtures.Missing(path: path) }
    self.descriptor = descriptor
    try OwnThread.start { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let self else { break }
        self.hear(String(decoding: buffer[..<count], as: UTF8.self))
      }
      self?.end()
    }
  }

  private func hear(_ message: String) {
    let told = state.withLock { state in
      state.said.append(message)
      let told = state.waiters.filter { message.contains($0.word) }
      state.waiters.removeAll { message.contains($0.word) }
      return told
    }
    for waiter in told { waiter.tell.resume(returning: true) }
  }

  /// No more is awaited: everyone who waits is told that it did not come.
  public func end() {
    let told = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in told { waiter.tell.resume(returning: false) }
  }

  /// Returns once a message with `word` in it has come: true; false when ``end()`` came first, or the task is cancelled, as
  /// by the time limit of the test.
  public func heard(_ word: String) async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        let answer = state.withLock { state -> Bool? in
          if state.said.contains(where: { $0.contains(word) }) { return true }
          if state.hasEnded || Task.isCancelled { return false }
          state.waiters.append((id, word, tell))
          return nil
        }
        if let answer { tell.resume(returning: answer) }
      }
    } onCancel: {
      let tell = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters.remove(at: place).tell
      }
      tell?.resume(returning: false)
    }
  }

  /// All messages so far.
  public var messages: [String] { state.withLock { $0.said } }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
