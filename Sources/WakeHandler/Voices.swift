import ESCPOS
import PrintJobs
import Synchronization

/// The announcements under way, for whoever would like to know their end.
final class Voices: Sendable {
  private struct Waiter {
    /// Nil waits for all.
    var payment: PaymentKey?
    var tell: CheckedContinuation<Void, Never>
  }

  private struct State {
    var underway: Set<PaymentKey> = []
    /// Announcements whose own end, however late, is not in the journal.
    var open = 0
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

  /// An announcement begins; ``close()`` follows.
  func open() { state.withLock { $0.open += 1 } }

  /// An announcement's own end is in the journal, or cannot be written there.
  func close() {
    let waiters = state.withLock { state in
      state.open -= 1
      guard state.open == 0 else { return [Int: Waiter]() }
      let waiters = state.waiters.filter { $0.value.payment == nil }
      for id in waiters.keys { state.waiters[id] = nil }
      return waiters
    }
    for waiter in waiters.values { waiter.tell.resume() }
  }

  /// Lets everybody go who waits; the announcements go on.
  func letGo() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.tell.resume() }
  }

  /// Returns once the payment (nil for every announcement, and its own end) is not being announced any more, or at the
  /// deadline.
  func wait(for payment: PaymentKey?, until deadline: BootInstant) async {
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
        let isUnderway = payment.map { state.underway.contains($0) } ?? (state.open > 0)
        guard isUnderway, clock.now < deadline else { return true }
        state.waiters[id] = Waiter(payment: payment, tell: tell)
        return false
      }
      if isOver { tell.resume() }
    }
    alarm.cancel()
  }
}
