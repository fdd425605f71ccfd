import DBus
import Threads

/// What the fake has been asked, in order.
final class CallLog: Sendable {
  private struct State {
    var calls: [DBusIncomingCall] = []
    /// Those that have had their effect, though not all their answer.
    var handled: [DBusIncomingCall] = []
    var waiters:
      [(isWanted: @Sendable (DBusIncomingCall) -> Bool, count: Int, tell: CheckedContinuation<Void, Never>)] =
        []
  }

  private let state = Locked(State())

  func note(_ call: DBusIncomingCall) {
    state.withLock { $0.calls.append(call) }
  }

  /// The call has had its effect; what waits for it goes on.
  func handled(_ call: DBusIncomingCall) {
    let told = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.handled.append(call)
      var told: [CheckedContinuation<Void, Never>] = []
      state.waiters.removeAll { waiter in
        guard waiter.isWanted(call), state.handled.count(where: waiter.isWanted) >= waiter.count else {
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

  /// Returns once so many calls of that kind have had their effect, from the beginning of the log.
  func wait(_ count: Int, _ isWanted: @escaping @Sendable (DBusIncomingCall) -> Bool) async {
    await withCheckedContinuation { tell in
      let already = state.withLock { state in
        if state.handled.count(where: isWanted) >= count { return true }
        state.waiters.append((isWanted, count, tell))
        return false
      }
      if already { tell.resume() }
    }
  }
}
