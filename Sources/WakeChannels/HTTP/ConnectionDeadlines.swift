import Glibc
import Synchronization

/// Cuts off connections that take too long to bring a request or to take a reply.
///
/// libmicrohttpd's own time-out starts anew with every byte; these do not, so a client that sends a byte a second holds
/// a connection no longer than any other. A connection whose request is in a handler's hands has no deadline.
final class ConnectionDeadlines: Sendable {
  private struct Connection {
    var descriptor: Int32
    var deadline: ContinuousClock.Instant?
  }

  private struct State {
    var connections: [UInt: Connection] = [:]
    var timer: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let receive: Duration
  private let reply: Duration

  /// Creates an empty table.
  init(receive: Duration, reply: Duration) {
    self.receive = receive
    self.reply = reply
  }

  /// A connection was accepted, and its request is awaited.
  func opened(_ connection: OpaquePointer, descriptor: Int32) {
    state.withLock { $0.connections[UInt(bitPattern: connection)] = Connection(descriptor: descriptor) }
    awaitsRequest(connection)
  }

  /// The connection's next request is awaited.
  func awaitsRequest(_ connection: OpaquePointer) { set(connection, ContinuousClock.now + receive) }

  /// The connection's request is in a handler's hands.
  func isHandled(_ connection: OpaquePointer) { set(connection, nil) }

  /// The connection's reply is on its way.
  func replies(_ connection: OpaquePointer) { set(connection, ContinuousClock.now + reply) }

  /// The connection is about to be closed. Its descriptor is not touched after this returns.
  func closes(_ connection: OpaquePointer) {
    state.withLock { state in
      state.connections[UInt(bitPattern: connection)] = nil
      guard state.connections.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func set(_ connection: OpaquePointer, _ deadline: ContinuousClock.Instant?) {
    state.withLock { state in
      state.connections[UInt(bitPattern: connection)]?.deadline = deadline
      guard deadline != nil, state.timer == nil else { return }
      state.timer = Task { [weak self] in
        while let next = self?.cut() { try? await Task.sleep(until: next, clock: .continuous) }
      }
    }
  }

  /// Shuts down what is overdue, for the server's thread to close; returns when to look again, or nil at the end.
  private func cut() -> ContinuousClock.Instant? {
    state.withLock { state -> ContinuousClock.Instant? in
      guard !Task.isCancelled else { return nil }
      let now = ContinuousClock.now
      for (key, connection) in state.connections {
        guard let deadline = connection.deadline, deadline <= now else { continue }
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        state.connections[key]?.deadline = nil
      }
      let next = state.connections.values.compactMap(\.deadline).min()
      if next == nil { state.timer = nil }
      return next
    }
  }
}
