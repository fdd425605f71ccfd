import Threads

/// The first of two results: a call's and an alarm's.
final class Once<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiter: CheckedContinuation<Value, Never>?
    var isSet = false
  }

  private let state = Locked(State())

  /// Sets the value, if it is the first.
  func set(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      guard !state.isSet else { return nil }
      state.isSet = true
      if state.waiter == nil { state.value = value }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: value)
  }

  /// The value; asked for once.
  var value: Value {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state -> Value? in
          if state.value == nil { state.waiter = waiter }
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }
}
