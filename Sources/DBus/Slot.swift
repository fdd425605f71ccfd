import Threads

/// A value that is set once and waited for.
final class Slot<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [CheckedContinuation<Value, Never>] = []
  }

  private let state = Locked(State())

  /// Sets the value; only the first one counts.
  func settle(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// Whether the value is set.
  var isSettled: Bool { state.withLock { $0.value != nil } }

  /// The value; waits for it.
  var value: Value {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state in
          if state.value == nil { state.waiters.append(waiter) }
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }
}
