import Dispatch

/// Work that blocks (files, name servers, other programs) or computes for long, on threads of its own, which live as long as
/// there is some.
///
/// Not on a queue of Dispatch: on Linux its queues take their threads from the pool that Swift's tasks run on, which has
/// one for each processor. Two programs that hang would stop every print, answer and deadline of a machine with two of
/// them.
public final class WorkThreads: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var running = 0
  }

  private let limit: Int
  private let state = Locked(State())

  /// Creates threads for one kind of work; none is started before there is any.
  ///
  /// - Parameter limit: How many may be busy at once. What comes meanwhile waits, and is begun in the order in which it came:
  ///   with 1, one after the other.
  public init(atMost limit: Int = .max) {
    self.limit = max(1, limit)
  }

  /// Has `work` done some time; nobody waits for it.
  public func start(_ work: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.waiting.append(work)
      guard state.running < limit else { return false }
      state.running += 1
      return true
    }
    guard needsThread else { return }
    do throws(OwnThread.Failure) {
      try OwnThread.start { self.run() }
    } catch {
      // Whoever waits for this must have an end all the same.
      DispatchQueue.global().async { self.run() }
    }
  }

  /// Waits for `work`, however long it takes.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      start { done.resume(returning: work()) }
    }
  }

  /// Waits for `work` or for `alarm`, whichever is first. The work itself cannot be called off: it goes on.
  ///
  /// - Parameters:
  ///   - alarm: Returns, most often after a deadline, what is to be said then. It is cancelled with the caller's task, and when
  ///     the work was first; it must then return soon.
  ///   - discard: Gets what the work returns after the alarm, such as a descriptor to close.
  public func run<Value: Sendable>(
    unless alarm: @escaping @Sendable () async -> Value,
    discard: @escaping @Sendable (Value) -> Void = { _ in },
    _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    let slot = Slot<Value>()
    start {
      let value = work()
      if !slot.settle(value) { discard(value) }
    }
    let waiting = Task { slot.settle(await alarm()) }
    defer { waiting.cancel() }
    return await withTaskCancellationHandler {
      await slot.value
    } onCancel: {
      waiting.cancel()
    }
  }

  private func run() {
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.running -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
