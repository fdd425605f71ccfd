import ESCPOS
import Synchronization

/// Deadlines of many, watched by one sleeping task.
///
/// A sleep that is cancelled leaves its timer behind until it would have ended; one for each announcement would add up in a
/// burst. Here a deadline that is taken back leaves nothing, and with the last one the task ends.
final class Alarms: Sendable {
  private struct Alarm {
    let deadline: BootInstant
    let ring: @Sendable () -> Void
  }

  private struct State {
    var alarms: [Int: Alarm] = [:]
    var nextNumber = 0
    /// What the task sleeps towards, and which task it is.
    var sleepsUntil: BootInstant?
    var turn = 0
  }

  private let state = Mutex(State())
  private let clock: any BootTimeClock

  init(clock: any BootTimeClock) { self.clock = clock }

  /// Calls `ring` at a deadline, unless it is taken back before.
  ///
  /// - Returns: The number to take it back by.
  func set(at deadline: BootInstant, _ ring: @escaping @Sendable () -> Void) -> Int {
    let (number, turn) = state.withLock { state -> (Int, Int?) in
      let number = state.nextNumber
      state.nextNumber += 1
      state.alarms[number] = Alarm(deadline: deadline, ring: ring)
      if let until = state.sleepsUntil, until <= deadline { return (number, nil) }
      state.sleepsUntil = deadline
      state.turn += 1
      return (number, state.turn)
    }
    if let turn { watch(turn, until: deadline) }
    return number
  }

  /// Takes a deadline back; nothing happens when it has rung.
  func takeBack(_ number: Int) {
    state.withLock { _ = $0.alarms.removeValue(forKey: number) }
  }

  private func watch(_ turn: Int, until first: BootInstant) {
    Task { [self] in
      var deadline = first
      while true {
        try? await clock.sleep(until: deadline, tolerance: nil)
        let now = clock.now
        let (due, next) = state.withLock { state -> ([Alarm], BootInstant?) in
          // A task with an earlier deadline has taken over.
          guard state.turn == turn else { return ([], nil) }
          let due = state.alarms.filter { $0.value.deadline <= now }
          for number in due.keys { state.alarms[number] = nil }
          state.sleepsUntil = state.alarms.values.map(\.deadline).min()
          return (due.values.sorted { $0.deadline < $1.deadline }, state.sleepsUntil)
        }
        for alarm in due { alarm.ring() }
        guard let next else { return }
        deadline = next
      }
    }
  }
}
