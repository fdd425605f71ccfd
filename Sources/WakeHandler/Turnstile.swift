import Synchronization

/// Lets one task through at a time, in the order in which they came.
final class Turnstile: Sendable {
  private struct State {
    var taken = false
    var line: [CheckedContinuation<Void, Never>] = []
    var next = 0
  }

  private let state = Mutex(State())

  /// Waits for the way to be free and takes it; ``leave()`` must follow.
  func enter() async {
    await withCheckedContinuation { turn in
      let free = state.withLock { state in
        guard state.taken else {
          state.taken = true
          return true
        }
        state.line.append(turn)
        return false
      }
      if free { turn.resume() }
    }
  }

  /// Frees the way for the next in line.
  func leave() {
    let turn = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.next < state.line.count else {
        state.taken = false
        state.line = []
        state.next = 0
        return nil
      }
      state.next += 1
      return state.line[state.next - 1]
    }
    turn?.resume()
  }
}
