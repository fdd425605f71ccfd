import ESCPOS
import Threads

/// Wakes everybody who waits for a change; what they wait for they look at themselves.
///
/// A waiter notes ``round``, looks, and waits for a later round: a ring in between is not missed.
final class Bell: Sendable {
  private struct State {
    var round = 0
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let clock: any BootTimeClock
  private let state = Locked(State())

  init(clock: any BootTimeClock) {
    self.clock = clock
  }

  /// How often it has rung.
  var round: Int { state.withLock { $0.round } }

  /// Wakes all who wait.
  func ring() {
    let waiters = state.withLock { state in
      state.round += 1
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Returns when the bell has rung after `round`, when `deadline` has come or the task is cancelled.
  func wait(past round: Int, by deadline: BootInstant) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    var alarm: Task<Void, Never>?
    defer { alarm?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isOver = state.withLock { state in
          guard state.round == round else { return true }
          state.waiters[id] = waiter
          return false
        }
        if isOver { return waiter.resume() }
        // The cancellation may have come before there was anybody to wake.
        if Task.isCancelled { return wake(id) }
        guard deadline != .never else { return }
        alarm = Task { [clock] in
          do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
          wake(id)
        }
      }
    } onCancel: {
      wake(id)
    }
  }

  /// Waits until `condition` holds; it is looked at after every ring.
  ///
  /// - Returns: Whether it does; false when `deadline` came first.
  /// - Throws: ``LinkError`` with `.cancelled`.
  func wait(by deadline: BootInstant, until condition: () -> Bool) async throws(LinkError) -> Bool {
    while true {
      let round = round
      if condition() { return true }
      if Task.isCancelled { throw .cancelled }
      guard deadline == .never || clock.now < deadline else { return false }
      await wait(past: round, by: deadline)
    }
  }

  private func wake(_ id: Int) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
  }
}

extension LinkError {
  static let cancelled = LinkError(.cancelled, "the task was cancelled")
}

extension BootInstant {
  /// The deadline of a wait without end.
  fileprivate static let never = BootInstant(nanoseconds: .max)
}
