import ESCPOS
import Synchronization

/// Wakes the one task that waits at it, at once or at an instant; a ring that nobody waits for is kept for the next.
final class Doorbell: Sendable {
  private struct State {
    var rung = false
    var round = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let clock: any BootTimeClock
  private let state = Mutex(State())

  init(clock: any BootTimeClock) {
    self.clock = clock
  }

  /// Returns when somebody rings or `deadline` has come; nil waits for a ring alone.
  func wait(until deadline: BootInstant?) async {
    if let deadline, deadline <= clock.now {
      state.withLock { $0.rung = false }
      return
    }
    let round = state.withLock { state in
      state.round += 1
      return state.round
    }
    let alarm = deadline.map { deadline in
      Task { [clock] in
        try await clock.sleep(until: deadline, tolerance: nil)
        ring(in: round)
      }
    }
    await withCheckedContinuation { waiter in
      let already = state.withLock { state in
        guard !state.rung else {
          state.rung = false
          return true
        }
        state.waiter = waiter
        return false
      }
      if already { waiter.resume() }
    }
    alarm?.cancel()
  }

  /// Wakes the waiting task, or the next one to wait.
  func ring() {
    ring(in: nil)
  }

  /// Rings, unless the wait of that `round` is over.
  private func ring(in round: Int?) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if let round, round != state.round { return nil }
      guard let waiter = state.waiter else {
        state.rung = true
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }
}
