import DBus
import ESCPOS
import Threads

extension GATTLink {
  /// The most commands of one run; long enough that the radio has work while the run's answer is waited for.
  private static let longestRun = 32
  /// Up to so many bytes each command is answered for by itself: whether *anything* of a job has gone is decided by its
  /// first bytes.
  private static let exactLimit = 512
  private static let busyPause = Duration.milliseconds(10)

  /// How the next bytes go, and the chunks that can go as commands now.
  func next(
    _ rest: Outgoing, at now: BootInstant
  ) -> (step: WriteRule.Step, parts: [ArraySlice<UInt8>]) {
    state.withLock { state in
      state.pace?.isTrusted = !state.rule.takesRequests
      var room = state.pace?.room(at: now) ?? .max
      var window = state.window
      var ahead = rest
      var parts: [ArraySlice<UInt8>] = []
      while !ahead.isEmpty, parts.count < Self.longestRun {
        let part = ahead.chunk(chunk)
        if part.count > room, let burst = state.pace?.burst {
          if state.proofs.makeRoom(for: part.count, behind: window.accepted, burst: burst) {
            return (parts.isEmpty ? .prove : .command, parts)
          }
          state.pace?.overflow()
        }
        // The answer to a question in the job tells what has arrived as well as a request's does.
        let isLast =
          !ahead.isAhead && part.count == ahead.remaining && !state.proofs.areDue(behind: window.accepted)
        let step = state.rule.step(window, count: part.count, room: room, isLast: isLast)
        guard step == .command else { return (parts.isEmpty ? step : .command, parts) }
        parts.append(part)
        ahead.advance(part.count)
        window.hand(part.count)
        room -= part.count
      }
      return (.command, parts)
    }
  }

  /// Sends chunks as commands, and takes them off `rest`.
  func sendCommands(
    _ parts: [ArraySlice<UInt8>], _ rest: inout Outgoing, at now: BootInstant, by deadline: BootInstant
  ) async throws(LinkError) {
    let now = try await hearRun() ? clock.now : now
    if parts.count == 1 || rest.remaining <= Self.exactLimit {
      try await sendExactly(parts, &rest, at: now, by: deadline)
    } else {
      try await sendRun(parts, &rest, at: now, by: deadline)
    }
  }

  /// Counts bytes as accepted, the moment before they are handed over.
  private func hand(_ count: Int, at now: BootInstant) {
    state.withLock { state in
      state.window.hand(count)
      state.pace?.send(count, at: now)
    }
  }

  /// A write of bytes to the print characteristic.
  func write(_ part: ArraySlice<UInt8>, _ type: String) -> DBusCall {
    DBusCall(
      destination: BlueZName.service, path: characteristic, interface: BlueZName.gattCharacteristic,
      member: "WriteValue", arguments: [.bytes(Array(part)), .variants(["type": .string(type)])],
      autoStart: false)
  }

  /// Sends commands of which only the last is answered, which is waited for when nothing follows.
  ///
  /// bluetoothd refuses a command for a connection that is gone, for a characteristic that another program has acquired, and
  /// while another program's request is out on it. The first two last, and show in the last answer; in the third case
  /// that program's data is in the receipt anyhow. So one answer is enough, and any refusal is the end of the link.
  private func sendRun(
    _ parts: [ArraySlice<UInt8>], _ rest: inout Outgoing, at now: BootInstant, by deadline: BootInstant
  ) async throws(LinkError) {
    let calls = parts.map { write($0, "command") }
    let count = parts.reduce(0) { $0 + $1.count }
    hand(count, at: now)
    rest.advance(count)
    do throws(DBusError) {
      let call = try bus.begin(run: calls, by: deadline)
      sendBarrierIfDue()
      state.withLock { $0.run = call }
    } catch {
      if error.code == .invalid { state.withLock { $0.window.refuse(count) } }
      throw failure(ofRun: error)
    }
    if !rest.isAhead { _ = try await hearRun() }
  }

  /// Waits for bluetoothd's word for the last run, if nobody has.
  ///
  /// Where more follows, that is done before the next write alone: the word is there by then, as a rule, and has woken nobody.
  ///
  /// - Returns: Whether there was one.
  func hearRun() async throws(LinkError) -> Bool {
    let run = state.withLock { state in
      defer { state.run = nil }
      return state.run
    }
    guard let run else { return false }
    do throws(DBusError) { try await answer(of: run) } catch { throw failure(ofRun: error) }
    return true
  }

  private func failure(ofRun error: DBusError) -> LinkError {
    guard error.isRefusal else { return failure(error) }
    let loss = LinkError(.lost, "\(printer.title): bluetoothd refuses the data (\(error))")
    lose(loss)
    return loss
  }

  /// Sends commands that are each answered: those that were refused go back to the front of `rest`.
  private func sendExactly(
    _ parts: [ArraySlice<UInt8>], _ rest: inout Outgoing, at now: BootInstant, by deadline: BootInstant
  ) async throws(LinkError) {
    var flying: [(call: DBusPendingCall, count: Int)] = []
    var refusal: DBusError?
    var doubt: DBusError?
    for part in parts {
      hand(part.count, at: now)
      rest.advance(part.count)
      do throws(DBusError) {
        flying.append((try bus.begin(write(part, "command"), by: deadline), part.count))
      } catch {
        state.withLock { $0.window.refuse(part.count) }
        rest.goBack(part.count)
        refusal = error
        break
      }
    }
    sendBarrierIfDue()
    var hasHole = false
    // The answers come in order: once the last is there, none of the others has to be waited for.
    if let last = flying.last { _ = try? await answer(of: last.call) }
    for (call, count) in flying {
      do throws(DBusError) {
        try await answer(of: call)
        hasHole = hasHole || refusal != nil
      } catch {
        if error.isRefusal {
          refusal = refusal ?? error
          state.withLock { $0.window.refuse(count) }
          rest.goBack(count)
        } else {
          doubt = doubt ?? error
          hasHole = hasHole || refusal != nil
        }
      }
    }
    if let doubt { throw failure(doubt) }
    guard let refusal else { return }
    if hasHole {
      let error = LinkError(.lost, "\(printer.title): bluetoothd left out a part of the data (\(refusal))")
      lose(error)
      throw error
    }
    guard BlueZFault(refusal) == .inProgress else { throw failure(refusal) }
    // A request is out on the characteristic: one of ours whose time was over, or another program's.
    try await self.rest(for: Self.busyPause, by: deadline)
  }

  /// Sends one chunk as a request, waits for the printer's answer and takes the chunk off `rest`.
  ///
  /// One of an earlier call, whose time was over, may still be out; bluetoothd then says that it is busy.
  func request(_ rest: inout Outgoing, by deadline: BootInstant) async throws(LinkError) {
    guard !rest.isEmpty else { return }
    _ = try await hearRun()
    let now = try check(deadline)
    let part = rest.chunk(chunk)
    hand(part.count, at: now)
    let position = bytesAccepted
    var answer = await self.answer(toRequest: part, by: deadline)
    if case .forgotten = answer {
      try await renew(by: deadline)
      answer = await self.answer(toRequest: part, by: deadline)
    }
    do throws(DBusError) {
      try answer.get()
      rest.advance(part.count)
      let now = clock.now
      state.withLock { state in
        state.window.acknowledge(upTo: position)
        state.rule.isProven = true
        state.pace?.answer(at: now)
      }
    } catch {
      guard error.isRefusal else { throw failure(error) }
      let goesOn = state.withLock { state in
        state.window.refuse(part.count)
        // The printer has answered, if only that it takes no requests.
        if error.saysRequestsAreNotTaken, state.rule.takesCommands { state.rule.takesRequests = false }
        return !state.rule.takesRequests
      }
      if goesOn { return }
      guard BlueZFault(error) == .inProgress else { throw failure(error) }
      try await self.rest(for: Self.busyPause, by: deadline)
    }
  }

  /// Waits until the printer has emptied half of its buffer, by its speed.
  func pause(by deadline: BootInstant) async throws(LinkError) {
    let now = clock.now
    guard let end = state.withLock({ $0.pace?.halfEmpty(after: now) }) else { return }
    // The clock may be a hair short of the rounding in the pace.
    try await rest(for: max(now.duration(to: end), .milliseconds(1)), by: deadline)
  }

  private func rest(for time: Duration, by deadline: BootInstant) async throws(LinkError) {
    let end = min(deadline, clock.now.advanced(by: time))
    _ = try await bell.wait(by: end) { state.withLock { $0.loss != nil || $0.isClosed } }
    try check(deadline)
  }

  /// What a write's error means for the link.
  private func failure(_ error: DBusError) -> LinkError {
    let title = printer.title
    switch BlueZFault(error) {
    case .ours(.deadline):
      // For a printer that wants a pairing, bluetoothd begins one by itself; where no agent agrees to it, the write stays
      // unanswered.
      let isProven = state.withLock { $0.rule.isProven || !$0.rule.takesRequests }
      let hint = isProven ? "" : "; if it wants a pairing, run: printd printers pair \(printer.address)"
      return LinkError(.deadline, "\(title): the printer takes no data in time\(hint)")
    case .ours(.cancelled):
      // Given up with the connection, unless it was the task.
      return Task.isCancelled ? .cancelled : state.withLock { $0.loss } ?? .cancelled
    case .needsPairing:
      if error.message.lowercased().contains("acquired") {
        return LinkError(.busy, "\(title): another program writes to the printer (\(error))")
      }
      return LinkError(
        .refused,
        "\(title) takes no data without pairing (\(error)); run: printd printers pair \(printer.address)")
    default:
      let loss = LinkError(.lost, "\(title): the link is gone (\(error))")
      lose(loss)
      return loss
    }
  }
}

extension DBusError {
  /// Whether the printer takes no Write Requests on this characteristic, whatever its flags say.
  var saysRequestsAreNotTaken: Bool {
    name == "org.bluez.Error.NotSupported"
      || (name == "org.bluez.Error.NotPermitted" && message == "Write not permitted")
  }

  /// Whether the write was provably not made: the other side says so, or it never got to it.
  var isRefusal: Bool {
    switch code {
    // bluetoothd went away in the middle.
    case .remote(DBusError.Name.noReply): false
    // The end of the connection has cancelled a request (ATT error 0x0E, "unlikely"): it may have arrived.
    case .remote("org.bluez.Error.Failed"):
      !message.hasPrefix("Operation failed") || (message.contains("ATT error") && !message.contains("0x0e"))
    case .remote, .invalid, .unavailable: true
    case .malformed, .disconnected, .deadline, .cancelled: false
    }
  }
}
