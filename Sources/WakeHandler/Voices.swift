import ESCPOS
import PrintJobs
import Synchronization

/// The announcements under way, for whoever would like to know their end.
final class Voices: Sendable {
  private struct Waiter {
    var payment: PaymentKey
    var tell: CheckedContinuation<Void, Never>
  }

  private struct State {
    var underway: Set<PaymentKey> = []
    var next = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let clock: any BootTimeClock
  private let state = Mutex(State())

  init(clock: any BootTimeClock) {
    self.clock = clock
  }

  /// A payment is being announced; ``end(_:)`` follows.
  func begin(_ payment: PaymentKey) {
    _ = state.withLock { $0.underway.insert(payment) }
  }

  /// Its end is in the journal, or cannot be written there.
  func end(_ payment: PaymentKey) {
    let waiters = state.withLock { state in
      state.underway.remove(payment)
      let waiters = state.waiters.filter { $0.value.payment == payment }
      for id in waiters.keys { state.waiters[id] = nil }
      return waiters.values
    }
    for waiter in waiters { waiter.tell.resume() }
  }

  /// Lets everybody go who waits; the announcements go on.
  func letGo() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.tell.resume() }
  }

  /// Returns once the payment is not being announced any more, or at the deadline.
  func wait(for payment: PaymentKey, until deadline: BootInstant) async {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let alarm = Task { [clock] in
      try await clock.sleep(until: deadline, tolerance: nil)
      state.withLock { $0.waiters.removeValue(forKey: id) }?.tell.resume()
    }
    await withCheckedContinuation { tell in
      let isOver = state.withLock { state in
        guard state.underway.contains(payment), clock.now < deadline else { return true }
        state.waiters[id] = Waiter(payment: payment, tell: tell)
        return false
      }
      if isOver { tell.resume() }
    }
    alarm.cancel()
  }
}
