import Glibc

/// Everybody who sleeps on the boot clock, with one timer of the system for the first of them.
///
/// Most of printd's sleeps are deadlines that never come: the answer is there first, and the sleep is called off. A timer of
/// the system costs the wake-up of a thread to set, and stays set when nobody sleeps any more. So one is set only for a
/// deadline before the one that is set, and is left to go off in vain: whoever sleeps then is looked at anew.
final class Alarms: @unchecked Sendable {
  // `state` is guarded by `mutex`. Not by `Synchronization.Mutex`, whose waiting the thread sanitizer does not see.
  private struct State {
    var nextID = 0
    var sleepers: [Int: (deadline: BootInstant, sleeper: CheckedContinuation<Void, any Error>)] = [:]
    var timer: (deadline: BootInstant, task: Task<Void, Never>)?
    /// Counts the timers; one that was replaced has nothing to say any more.
    var turn = 0
  }

  /// A far deadline is slept towards in steps that no timer overflows at, in seconds.
  private static let longestStep = Duration.seconds(1 << 30)

  /// The alarms of this process.
  static let shared = Alarms()

  private let now: @Sendable () -> BootInstant
  private let rest: @Sendable (Duration) async throws -> Void
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var state = State()

  /// - Parameters:
  ///   - now: The clock that the deadlines are of.
  ///   - rest: A timer of the system: returns after so long, or throws when its task is cancelled. `ContinuousClock` is
  ///     `CLOCK_BOOTTIME` on Linux, timers included.
  init(
    now: @escaping @Sendable () -> BootInstant = { BootClock().now },
    rest: @escaping @Sendable (Duration) async throws -> Void = {
      try await Task.sleep(for: $0, clock: .continuous)
    }
  ) {
    self.now = now
    self.rest = rest
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    state.timer?.task.cancel()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// How many sleep.
  var count: Int { withLock { $0.sleepers.count } }

  /// How many timers of the system were set so far.
  var timersSet: Int { withLock { $0.turn } }

  /// Suspends the task until `deadline` has come; returns at once where it has.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  func sleep(until deadline: BootInstant) async throws {
    try Task.checkCancellation()
    let id = withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { sleeper in
        let isOver = withLock { state in
          // One behind the first is looked at when the first one's time has come.
          if state.timer.map({ deadline < $0.deadline }) ?? true {
            let now = self.now()
            guard now < deadline else { return true }
            set(for: deadline, after: now, &state)
          }
          state.sleepers[id] = (deadline, sleeper)
          return false
        }
        if isOver { return sleeper.resume() }
        // It may have been cancelled before there was anyone to tell.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    withLock { $0.sleepers.removeValue(forKey: id) }?.sleeper.resume(throwing: CancellationError())
  }

  private func set(for deadline: BootInstant, after now: BootInstant, _ state: inout State) {
    state.timer?.task.cancel()
    state.turn += 1
    let turn = state.turn
    let time = min(now.duration(to: deadline), Self.longestStep)
    let task = Task.detached { [weak self, rest] in
      do { try await rest(time) } catch { return }
      self?.goOff(turn)
    }
    state.timer = (deadline, task)
  }

  private func goOff(_ turn: Int) {
    let due = withLock { state -> [CheckedContinuation<Void, any Error>] in
      guard turn == state.turn else { return [] }
      state.timer = nil
      let now = self.now()
      let due = state.sleepers.filter { $0.value.deadline <= now }
      for id in due.keys { state.sleepers.removeValue(forKey: id) }
      if let next = state.sleepers.values.map(\.deadline).min() { set(for: next, after: now, &state) }
      return due.values.sorted { $0.deadline < $1.deadline }.map(\.sleeper)
    }
    for sleeper in due { sleeper.resume() }
  }

  private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }
}
