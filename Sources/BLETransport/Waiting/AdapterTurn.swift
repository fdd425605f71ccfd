import ESCPOS
import Threads

/// The lines at the adapters: one connecting attempt at a time on each, in the order of asking.
///
/// Most controllers cannot make two connections at once, and bluetoothd answers the second with `InProgress`.
final class AdapterTurns: Sendable {
  private struct State {
    var nextID = 0
    /// By adapter; the first of a line has the turn.
    var lines: [String: [Int]] = [:]
  }

  private let state = Locked(State())
  /// Rings when a line has moved or grown.
  private let bell: Bell

  init(bell: Bell) {
    self.bell = bell
  }

  /// Waits for the turn at an adapter, by its object path.
  ///
  /// - Throws: ``LinkError``: `.deadline` when others took all the time, `.cancelled`.
  func take(at adapter: String, by deadline: BootInstant) async throws(LinkError) -> AdapterTurn {
    let id = state.withLock { state in
      state.nextID += 1
      state.lines[adapter, default: []].append(state.nextID)
      return state.nextID
    }
    let turn = AdapterTurn { [weak self] in self?.leave(id, adapter) }
    bell.ring()
    let has = try await bell.wait(by: deadline) { state.withLock { $0.lines[adapter]?.first == id } }
    guard has else {
      turn.end()
      throw LinkError(.deadline, "the adapter was busy connecting to others all the time")
    }
    return turn
  }

  /// How many have the turn at an adapter or wait for it.
  func count(at adapter: String) -> Int { state.withLock { $0.lines[adapter]?.count ?? 0 } }

  private func leave(_ id: Int, _ adapter: String) {
    state.withLock { state in
      state.lines[adapter]?.removeAll { $0 == id }
      if state.lines[adapter]?.isEmpty == true { state.lines[adapter] = nil }
    }
    bell.ring()
  }
}

/// The turn at an adapter, until it is ended or dropped.
public final class AdapterTurn: Sendable {
  private let leave: Locked<(@Sendable () -> Void)?>

  init(_ leave: @escaping @Sendable () -> Void) {
    self.leave = Locked(leave)
  }

  /// Lets the next in line connect; a second call does nothing.
  public func end() {
    let leave = leave.withLock { leave in
      defer { leave = nil }
      return leave
    }
    leave?()
  }

  deinit { end() }
}
