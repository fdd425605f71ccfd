import DBus
import ESCPOS
import Threads

extension GATTLink {
  /// Sends a barrier when half of the window is on its way.
  func sendBarrierIfDue() {
    sendBarrier { $0.wantsBarrier }
  }

  /// Reads another attribute behind all accepted bytes, unless a barrier is out or this link reads none.
  private func sendBarrier(if isDue: (WriteWindow) -> Bool) {
    let target = state.withLock { state -> WriteRule.Barrier? in
      guard let target = state.rule.barriers.first else { return nil }
      guard state.window.barrier == nil, state.loss == nil, isDue(state.window) else { return nil }
      state.window.sendBarrier()
      return target
    }
    guard let target else { return }
    let call = DBusCall(
      destination: BlueZName.service, path: target.path, interface: target.interface, member: "ReadValue",
      arguments: [.variants([:])], autoStart: false)
    let pending: DBusPendingCall
    do throws(DBusError) {
      pending = try bus.begin(call, by: clock.now.advanced(by: Self.answerTime))
    } catch {
      return barrierFailed(target, error)
    }
    Task { [self] in
      do throws(DBusError) {
        _ = try await pending.values()
        state.withLock { $0.window.answerBarrier() }
        bell.ring()
      } catch {
        barrierFailed(target, error)
      }
    }
  }

  /// Takes the next attribute for barriers, and when there is none, requests instead.
  private func barrierFailed(_ target: WriteRule.Barrier, _ error: DBusError) {
    let gaveUp = state.withLock { state -> Bool in
      state.window.loseBarrier()
      guard error.name != nil else { return false }
      state.rule.barriers.removeAll { $0 == target }
      return !state.rule.canBar
    }
    if error.name == nil {
      lose(LinkError(.lost, "\(printer.title): the printer does not answer any more (\(error))"))
    } else if gaveUp {
      bluez.note("\(printer.title): nothing of it can be read between writes (\(error))")
    }
    bell.ring()
  }

  /// Waits until `count` more bytes may go.
  ///
  /// - Throws: ``LinkError`` with `.deadline` when no barrier was answered in time.
  func room(for count: Int, by deadline: BootInstant) async throws(LinkError) {
    while true {
      sendBarrier { _ in true }
      let hasNews = try await bell.wait(by: deadline) {
        state.withLock { state in
          state.window.hasRoom(for: count) || state.window.barrier == nil || state.loss != nil
            || state.isClosed
        }
      }
      try check(deadline)
      let isOver = state.withLock { state in
        !state.rule.canBar || state.window.hasRoom(for: count)
      }
      if isOver { return }
      guard hasNews else { throw LinkError(.deadline, "\(printer.title): the printer takes no data in time") }
    }
  }

  /// Waits until the printer's ATT layer has everything; a link without any barrier does not wait.
  ///
  /// - Throws: ``LinkError``; `.deadline` also when a request of an earlier call was not answered, since then nobody can tell.
  func flush(by deadline: BootInstant, isClosing: Bool) async throws(LinkError) {
    // The barrier comes after the run, whose refusal nobody has a use for any more.
    if !isClosing { _ = try await hearRun() }
    while true {
      try check(deadline, isClosing: isClosing)
      let (rule, unheard) = state.withLock { ($0.rule, $0.window.unacknowledged) }
      guard rule.isHeard, unheard > 0 else { return }
      guard rule.canBar else {
        throw LinkError(.deadline, "\(printer.title): the printer has not acknowledged the last bytes")
      }
      sendBarrier { $0.unacknowledged > 0 }
      let round = bell.round
      guard state.withLock({ $0.window.barrier != nil && $0.loss == nil }) else { continue }
      await bell.wait(past: round, by: deadline)
    }
  }
}
