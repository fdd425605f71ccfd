import ESCPOS
import Threads

/// Fails answers that do not come in time: one task of the clock for all calls of a connection.
final class Deadlines: Sendable {
  private struct State {
    var entries: [ObjectIdentifier: (deadline: BootInstant, answer: Answer)] = [:]
    var sleeper: (task: Task<Void, Never>, until: BootInstant)?
    var turn = 0
  }

  private let clock: any BootTimeClock
  private let state = Locked(State())

  init(clock: any BootTimeClock) {
    self.clock = clock
  }

  deinit { state.withLock { $0.sleeper?.task.cancel() } }

  /// Fails `answer` at `deadline`, unless it is removed before.
  func add(_ answer: Answer, _ deadline: BootInstant) {
    guard clock.now < deadline else { return answer.fail(.deadline) }
    state.withLock { state in
      state.entries[ObjectIdentifier(answer)] = (deadline, answer)
      // A sleeper that wakes too early looks again, so only an earlier deadline needs a new one.
      if let sleeper = state.sleeper, sleeper.until <= deadline { return }
      sleep(until: deadline, &state)
    }
  }

  /// Forgets an answer.
  func remove(_ answer: Answer) {
    state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(answer)) }
  }

  private func sleep(until deadline: BootInstant, _ state: inout State) {
    state.sleeper?.task.cancel()
    state.turn += 1
    let turn = state.turn
    let task = Task { [clock, weak self] in
      do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
      self?.wake(turn)
    }
    state.sleeper = (task, deadline)
  }

  private func wake(_ turn: Int) {
    let due = state.withLock { state -> [Answer] in
      guard state.turn == turn else { return [] }
      state.sleeper = nil
      let now = clock.now
      let due = state.entries.filter { $0.value.deadline <= now }
      for id in due.keys { state.entries.removeValue(forKey: id) }
      if let next = state.entries.values.map(\.deadline).min() { sleep(until: next, &state) }
      return due.values.map(\.answer)
    }
    for answer in due { answer.fail(.deadline) }
  }
}
