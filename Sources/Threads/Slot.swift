/// A value that is set once and waited for.
public final class Slot<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [CheckedContinuation<Value, Never>] = []
  }

  private let state = Locked(State())

  /// Creates an empty slot.
  public init() {}

  /// Sets the value; only the first one counts.
  ///
  /// - Returns: Whether it is this one.
  @discardableResult
  public func settle(_ value: Value) -> Bool {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for waiter in waiters { waiter.resume(returning: value) }
    return true
  }

  /// Whether the value is set.
  public var isSettled: Bool { state.withLock { $0.value != nil } }

  /// The value; waits for it, whatever becomes of the task.
  public var value: Value {
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
