import Dispatch
import Synchronization

/// Calls that may block for long (name look-up, opening devices), away from the threads of Swift's tasks.
enum BlockingCalls {
  private static let queue = DispatchQueue(label: "printd.blocking-calls", attributes: .concurrent)

  static func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: call()) }
    }
  }
}

/// The first of several things to happen.
enum FirstOf {
  private struct State<Value: Sendable> {
    var value: Value?
    var waiter: CheckedContinuation<Value, Never>?
  }

  private final class Slot<Value: Sendable>: Sendable {
    private let state = Mutex(State<Value>())

    func settle(_ value: Value) {
      let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
        guard state.value == nil else { return nil }
        state.value = value
        return state.waiter
      }
      waiter?.resume(returning: value)
    }

    func wait() async -> Value {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state in
          state.waiter = waiter
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }

  /// Runs `start` with a function whose first call gives the result; the task that `start` returns is cancelled after
  /// that, and also when the caller's task is: it must then settle.
  static func run<Value: Sendable>(
    _ start: (_ settle: @escaping @Sendable (Value) -> Void) -> Task<Void, Never>
  ) async -> Value {
    let slot = Slot<Value>()
    let task = start { slot.settle($0) }
    defer { task.cancel() }
    return await withTaskCancellationHandler {
      await slot.wait()
    } onCancel: {
      task.cancel()
    }
  }
}
