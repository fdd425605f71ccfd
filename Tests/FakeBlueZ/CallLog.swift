import DBus
import Threads

/// What the fake has been asked, in order.
final class CallLog: Sendable {
  private struct State {
    var calls: [DBusIncomingCall] = []
    /// How many calls of a method have had their effect, though not all their answer.
    var handled: [String: Int] = [:]
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private struct Waiter {
    var id: Int
    var member: String
    var count: Int
    /// Whether the calls have come.
    var tell: CheckedContinuation<Bool, Never>
  }

  private let state = Locked(State())

  func note(_ call: DBusIncomingCall) {
    state.withLock { $0.calls.append(call) }
  }

  /// The call has had its effect; what waits for it goes on.
  func handled(_ call: DBusIncomingCall) {
    let told = state.withLock { state -> [Waiter] in
      let count = state.handled[call.member, default: 0] + 1
      state.handled[call.member] = count
      let told = state.waiters.filter { $0.member == call.member && $0.count <= count }
      state.waiters.removeAll { $0.member == call.member && $0.count <= count }
      return told
    }
    for waiter in told { waiter.tell.resume(returning: true) }
  }

  var calls: [DBusIncomingCall] { state.withLock { $0.calls } }

  /// Waits until a method has been called so often, from the beginning of the log, and the calls have had their effect.
  ///
  /// - Returns: Whether they have come; not when the task is cancelled first, as by the time limit of the test.
  func wait(for member: String, _ count: Int) async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        let answer = state.withLock { state -> Bool? in
          if state.handled[member, default: 0] >= count { return true }
          guard !Task.isCancelled else { return false }
          state.waiters.append(Waiter(id: id, member: member, count: count, tell: tell))
          return nil
        }
        if let answer { tell.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters.remove(at: place)
      }
      waiter?.tell.resume(returning: false)
    }
  }
}
