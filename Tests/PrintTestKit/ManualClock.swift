public import ESCPOS
import Threads

/// A clock that stands still until the test moves it.
public final class ManualClock: BootTimeClock, Sendable {
  private struct Sleeper {
    var id: Int
    var deadline: BootInstant
    var wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = BootInstant(nanoseconds: 1_000_000_000_000)
    var nextID = 0
    var sleepers: [Sleeper] = []
    var watchers: [(id: Int, count: Int, tell: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// Creates a clock at 1,000 s after boot.
  public init() {}

  /// Where the clock stands.
  public var now: BootInstant { state.withLock { $0.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends until the test has moved the clock to `deadline`.
  public func sleep(until deadline: BootInstant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let told = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          if Task.isCancelled {
            wake.resume(throwing: CancellationError())
            return []
          }
          if deadline <= state.now {
            wake.resume()
            return []
          }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, wake: wake))
          let count = state.sleepers.count
          let told = state.watchers.filter { $0.count <= count }.map(\.tell)
          state.watchers.removeAll { $0.count <= count }
          return told
        }
        for watcher in told { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.sleepers.remove(at: index)
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock and wakes everyone whose time has come, earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state -> [Sleeper] in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
      state.sleepers.removeAll { $0.deadline <= now }
      return due
    }
    for sleeper in due { sleeper.wake.resume() }
  }

  /// Returns once at least `count` tasks sleep on the clock, or when the task is cancelled, as by the time limit of the test.
  public func sleepers(atLeast count: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        let already = state.withLock { state in
          if Task.isCancelled || state.sleepers.count >= count { return true }
          state.watchers.append((id, count, tell))
          return false
        }
        if already { tell.resume() }
      }
    } onCancel: {
      let tell = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let place = state.watchers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.watchers.remove(at: place).tell
      }
      tell?.resume()
    }
  }
}
