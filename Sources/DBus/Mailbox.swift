import Glibc
import Threads

/// Work that other threads hand to a connection's thread.
final class Mailbox: Sendable {
  /// Work; run by the connection's thread, also when the connection has ended meanwhile.
  typealias Work = @Sendable (BusLoop) -> Void

  private struct State {
    var work: [Work] = []
    var isOpen = true
  }

  private let bell: Bell
  private let state = Locked(State())

  /// Makes the eventfd.
  init() throws(DBusError) { bell = try Bell() }

  /// Readable when there is work.
  var descriptor: Int32 { bell.descriptor }

  deinit { _ = close() }

  /// Hands over work, which is done in the order of the calls.
  ///
  /// - Returns: False when the thread has ended; the work is then not done.
  @discardableResult
  func post(_ work: @escaping Work) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.work.append(work)
      if state.work.count == 1 { bell.ring() }
      return true
    }
  }

  /// The work that has come since the last call.
  func take() -> [Work] {
    state.withLock { state in
      guard !state.work.isEmpty else { return [] }
      bell.hush()
      defer { state.work = [] }
      return state.work
    }
  }

  /// Takes no more work; returns what had come before.
  func close() -> [Work] {
    state.withLock { state in
      guard state.isOpen else { return [] }
      state.isOpen = false
      _ = Glibc.close(bell.descriptor)
      defer { state.work = [] }
      return state.work
    }
  }
}
