import DBus
import Synchronization

/// What the fake has been asked, in order.
final class CallLog: Sendable {
  private struct State {
    var calls: [DBusIncomingCall] = []
    var waiters:
      [(isWanted: @Sendable (DBusIncomingCall) -> Bool, count: Int, tell: CheckedContinuation<Void, Never>)] =
        []
  }

  private let state = Mutex(State())

  func note(_ call: DBusIncomingCall) {
    let told = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.calls.append(call)
      var told: [CheckedContinuation<Void, Never>] = []
      state.waiters.removeAll { waiter in
        guard waiter.isWanted(call), state.calls.count(where: waiter.isWanted) >= waiter.count else {
          return false
        }
        told.append(waiter.tell)
        return true
      }
      return told
    }
    for waiter in told { waiter.resume() }
  }

  var calls: [DBusIncomingCall] { state.withLock { $0.calls } }

  /// Returns once so many calls of that kind have come, from the beginning of the log.
  func wait(_ count: Int, _ isWanted: @escaping @Sendable (DBusIncomingCall) -> Bool) async {
    await withCheckedContinuation { tell in
      let already = state.withLock { state in
        if state.calls.count(where: isWanted) >= count { return true }
        state.waiters.append((isWanted, count, tell))
        return false
      }
      if already { tell.resume() }
    }
  }
}
