import PrintTestKit
import Synchronization
import Testing

@testable import ESCPOS

@Suite("Alarms of the boot clock", .timeLimit(.minutes(1)))
struct AlarmTests {
  private let clock = ManualClock()
  private let alarms: Alarms

  init() {
    alarms = Alarms(
      now: { [clock] in clock.now },
      rest: { [clock] in try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
  }

  /// A task that sleeps until so many milliseconds from now.
  private func sleeper(_ milliseconds: Int, then: @escaping @Sendable () -> Void = {}) -> Task<
    Void, any Error
  > {
    let deadline = clock.now.advanced(by: .milliseconds(milliseconds))
    return Task { [alarms] in
      try await alarms.sleep(until: deadline)
      then()
    }
  }

  /// Returns when so many sleep.
  private func asleep(_ count: Int) async {
    while alarms.count < count { await Task.yield() }
  }

  @Test("sleepers behind the first cost no timer of the system, also when they are called off")
  func oneTimer() async {
    let first = sleeper(600)
    await asleep(1)
    for time in 601...700 {
      let later = sleeper(time)
      await asleep(2)
      later.cancel()
      await #expect(throws: CancellationError.self) { try await later.value }
    }
    #expect(alarms.timersSet == 1)
    let earlier = sleeper(300)
    await asleep(2)
    #expect(alarms.timersSet == 2)
    for task in [first, earlier] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(alarms.count == 0)
  }

  @Test("each wakes at its own deadline, also when an earlier one was called off")
  func order() async throws {
    let woken = Woken()
    let calledOff = sleeper(20)
    await asleep(1)
    let sleepers = [60, 120, 40].map { time in sleeper(time) { woken.times.withLock { $0.append(time) } } }
    await asleep(4)
    calledOff.cancel()
    await #expect(throws: CancellationError.self) { try await calledOff.value }
    for (place, steps) in [(2, 2), (0, 1), (1, 3)] {
      for _ in 1...steps {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(20))
      }
      try await sleepers[place].value
    }
    #expect(woken.times.withLock { $0 } == [40, 60, 120])
    #expect(alarms.timersSet == 4, "one that went off in vain, and one for each")
  }

  @Test("those of one instant wake together")
  func together() async throws {
    let sleepers = (1...10).map { _ in sleeper(50) }
    await asleep(10)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(50))
    for sleeper in sleepers { try await sleeper.value }
    #expect(alarms.timersSet == 1)
  }

  @Test("a deadline that never comes does not keep others from waking")
  func never() async throws {
    let never = Task { try await alarms.sleep(until: BootInstant(nanoseconds: .max)) }
    await asleep(1)
    let other = sleeper(10)
    await asleep(2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(10))
    try await other.value
    never.cancel()
    await #expect(throws: CancellationError.self) { try await never.value }
  }

  @Test("one that is cancelled before it sleeps does not sleep, nor one whose deadline is over")
  func noSleep() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await alarms.sleep(until: BootInstant(nanoseconds: .max))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await alarms.sleep(until: clock.now)
    #expect(alarms.count == 0 && alarms.timersSet == 0)
  }

  @Test("the system's timer wakes no sleeper before its deadline")
  func real() async throws {
    let deadline = BootClock().now.advanced(by: .milliseconds(10))
    try await BootClock().sleep(until: deadline, tolerance: nil)
    #expect(BootClock().now >= deadline)
  }
}

private final class Woken: Sendable {
  let times = Mutex<[Int]>([])
}
