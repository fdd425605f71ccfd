import ESCPOS
import Synchronization

/// Waits for something that may never end.
///
/// - Parameters:
///   - late: Is given the value that came too late.
///   - work: Goes on after the deadline; nobody can stop it.
/// - Returns: The value, or nil when the deadline came first.
func waiting<Value: Sendable>(
  until deadline: BootInstant, _ alarms: Alarms, late: @escaping @Sendable (Value) -> Void = { _ in },
  for work: @escaping @Sendable () async -> Value
) async -> Value? {
  let first = First<Value?>()
  let alarm = alarms.set(at: deadline) { first.take(nil) }
  Task {
    let value = await work()
    if !first.take(value) { late(value) }
    alarms.takeBack(alarm)
  }
  return await first.value
}

/// A value that is set once and awaited once.
private final class First<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case awaited(CheckedContinuation<Value, Never>)
    case taken(Value)
    case over
  }

  private let state = Mutex(State.empty)

  /// Sets the value; false when there was one before.
  @discardableResult
  func take(_ value: Value) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
      switch state {
      case .empty:
        state = .taken(value)
        return (true, nil)
      case .awaited(let waiter):
        state = .over
        return (true, waiter)
      case .taken, .over: return (false, nil)
      }
    }
    waiter?.resume(returning: value)
    return isFirst
  }

  /// The value; asked for once.
  var value: Value {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state -> Value? in
          if case .taken(let value) = state {
            state = .over
            return value
          }
          state = .awaited(waiter)
          return nil
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }
}
