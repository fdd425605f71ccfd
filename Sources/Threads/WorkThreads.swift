import Dispatch

/// Work that blocks (files, name servers, other programs) or computes for long, on threads of its own, which live as long as
/// there is some; a few may stay and wait for more.
///
/// Not on a queue of Dispatch: on Linux its queues take their threads from the pool that Swift's tasks run on, which has
/// one for each processor. Two programs that hang would stop every print, answer and deadline of a machine with two of
/// them.
public final class WorkThreads: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    /// Threads, those that rest included.
    var running = 0
    var resting = 0
  }

  /// What must happen for a piece of work to be begun.
  private enum Need { case nothing, call, thread }

  private let limit: Int
  private let kept: Int
  /// Rung once for each thread that is called back from its rest.
  private let call = DispatchSemaphore(value: 0)
  private let state = Locked(State())

  /// Creates threads for one kind of work; none is started before there is any.
  ///
  /// - Parameters:
  ///   - limit: How many may be busy at once. What comes meanwhile waits, and is begun in the order in which it came:
  ///     with 1, one after the other.
  ///   - kept: How many stay for good when there is no more work, so that the next piece does not wait for a thread to
  ///     be made. For what lives as long as the process.
  public init(atMost limit: Int = .max, keeping kept: Int = 0) {
    self.limit = max(1, limit)
    self.kept = kept
  }

  /// Has `work` done some time; nobody waits for it.
  public func start(_ work: @escaping @Sendable () -> Void) {
    let need = state.withLock { state -> Need in
      state.waiting.append(work)
      if state.resting > 0 {
        state.resting -= 1
        return .call
      }
      guard state.running < limit else { return .nothing }
      state.running += 1
      return .thread
    }
    switch need {
    case .nothing: return
    case .call: call.signal()
    case .thread:
      do throws(OwnThread.Failure) {
        try OwnThread.start { self.run(resting: true) }
      } catch {
        // Whoever waits for this must have an end all the same.
        DispatchQueue.global().async { self.run(resting: false) }
      }
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

  private func run(resting mayRest: Bool) {
    while true {
      let (work, rests) = next(mayRest)
      if let work { work() } else if rests { call.wait() } else { return }
    }
  }

  /// The next piece of work; where there is none, whether to rest or to end.
  private func next(_ mayRest: Bool) -> (work: (@Sendable () -> Void)?, rests: Bool) {
    state.withLock { state in
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
      if mayRest, state.resting < kept {
        state.resting += 1
        return (nil, true)
      }
      state.running -= 1
      return (nil, false)
    }
  }
}
