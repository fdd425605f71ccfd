import DBus
import ESCPOS

extension GATTLink {
  /// How many commands wait for bluetoothd's answer at a time; each is a round trip on the bus, and together they cost
  /// little more than one.
  private static let mostInFlight = 32
  private static let busyPause = Duration.milliseconds(10)

  private typealias Flying = (call: DBusPendingCall, count: Int)

  /// Sends as commands what fits, and takes it off `rest`.
  ///
  /// - Parameter all: Whether to go on until nothing is left; else the last chunk of the window and of `rest` stays, to be
  ///   sent as a request.
  func command(_ rest: inout Outgoing, all: Bool, by deadline: BootInstant) async throws(LinkError) {
    var flying: [Flying] = []
    do throws(LinkError) {
      while !rest.isEmpty {
        try check(deadline)
        let part = rest.chunk(chunk)
        if !all, isLast(part, of: rest) { break }
        guard state.withLock({ $0.way == .commandsUnheard || $0.window.hasRoom(for: part.count) }) else {
          try await land(&flying, &rest)
          try await room(for: part.count, by: deadline)
          guard case .commands = state.withLock({ $0.way }) else { return }
          continue
        }
        flying.append((try hand(part, "command", by: deadline), part.count))
        rest.advance(part.count)
        sendBarrierIfDue()
        if flying.count == Self.mostInFlight || rest.isEmpty {
          if try await land(&flying, &rest) { try await pause(by: deadline) }
        }
      }
      try await land(&flying, &rest)
    } catch {
      // What has been handed over is accounted for before anybody asks how much it was.
      _ = try? await land(&flying, &rest)
      throw error
    }
  }

  /// Whether a chunk is the last before a request must follow.
  private func isLast(_ part: ArraySlice<UInt8>, of rest: Outgoing) -> Bool {
    part.count == rest.remaining || !state.withLock { $0.window.hasRoom(for: part.count + chunk) }
  }

  /// Hands a write to the bus; its bytes count as accepted from now on.
  private func hand(
    _ part: ArraySlice<UInt8>, _ type: String, by deadline: BootInstant
  ) throws(LinkError) -> DBusPendingCall {
    let options: DBusValue = .variants(["type": .string(type)])
    let call = DBusCall(
      destination: BlueZName.service, path: characteristic, interface: BlueZName.gattCharacteristic,
      member: "WriteValue", arguments: [.bytes(Array(part)), options], autoStart: false)
    state.withLock { $0.window.hand(part.count) }
    do throws(DBusError) {
      return try bus.begin(call, by: deadline)
    } catch {
      state.withLock { $0.window.refuse(part.count) }
      throw LinkError(.lost, "\(printer.title): the write cannot be sent: \(error)")
    }
  }

  /// Waits for bluetoothd's answers to commands. Those that it has refused go back to the front of `rest`.
  ///
  /// - Returns: Whether it had refused some only because it was busy; they may be sent again.
  @discardableResult
  private func land(_ flying: inout [Flying], _ rest: inout Outgoing) async throws(LinkError) -> Bool {
    var refusal: DBusError?
    var doubt: DBusError?
    var hasHole = false
    for (call, count) in flying {
      do throws(DBusError) {
        _ = try await call.values()
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
    flying = []
    if let doubt { throw failure(doubt) }
    guard let refusal else { return false }
    if hasHole {
      let error = LinkError(.lost, "\(printer.title): bluetoothd left out a part of the data (\(refusal))")
      lose(error)
      throw error
    }
    guard BlueZFault(refusal) == .inProgress else { throw failure(refusal) }
    return true
  }

  /// Sends one chunk as a request, waits for the printer's answer and takes the chunk off `rest`.
  func request(_ rest: inout Outgoing, by deadline: BootInstant) async throws(LinkError) {
    guard !rest.isEmpty else { return }
    // One of an earlier call, whose time was over, may still be out.
    try await requestEnd(by: deadline)
    try check(deadline)
    let part = rest.chunk(chunk)
    state.withLock { $0.isRequesting = true }
    let call: DBusPendingCall
    do throws(LinkError) {
      call = try hand(part, "request", by: clock.now.advanced(by: Self.answerTime))
    } catch {
      state.withLock { $0.isRequesting = false }
      throw error
    }
    rest.advance(part.count)
    let position = bytesAccepted
    // In a task of its own: the answer counts also when its sender has stopped waiting.
    Task { [self] in
      do throws(DBusError) {
        _ = try await call.values()
        state.withLock { state in
          state.window.acknowledge(upTo: position)
          state.isProven = true
          state.isRequesting = false
        }
      } catch {
        state.withLock { state in
          if error.isRefusal { state.window.refuse(part.count) }
          // The printer has answered, if only that it takes no requests.
          if error.saysRequestsAreNotTaken { state.canRequest = false }
          state.requestFailure = error
          state.isRequesting = false
        }
      }
      bell.ring()
    }
    try await requestEnd(by: deadline)
    let failed = state.withLock { state in
      defer { state.requestFailure = nil }
      return state.requestFailure
    }
    guard let failed else { return }
    if failed.isRefusal { rest.goBack(part.count) }
    if failed.saysRequestsAreNotTaken, state.withLock({ $0.way }) != .requests { return }
    guard failed.isRefusal, BlueZFault(failed) == .inProgress else { throw failure(failed) }
    try await pause(by: deadline)
  }

  /// Waits until no request is out.
  private func requestEnd(by deadline: BootInstant) async throws(LinkError) {
    let isOver = try await bell.wait(by: deadline) {
      state.withLock { !$0.isRequesting || $0.loss != nil || $0.isClosed }
    }
    try checkAlive()
    guard isOver else { throw LinkError(.deadline, "\(printer.title): the printer takes no data in time") }
  }

  /// Another program has a request out on the characteristic.
  private func pause(by deadline: BootInstant) async throws(LinkError) {
    try check(deadline)
    let end = min(deadline, clock.now.advanced(by: Self.busyPause))
    do { try await clock.sleep(until: end, tolerance: nil) } catch { throw .cancelled }
  }

  /// What a write's error means for the link.
  private func failure(_ error: DBusError) -> LinkError {
    let title = printer.title
    switch BlueZFault(error) {
    case .ours(.deadline): return LinkError(.deadline, "\(title): the printer takes no data in time")
    case .ours(.cancelled): return .cancelled
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
    // bluetoothd went away in the middle, or answers for a request that the end of the connection has cancelled.
    case .remote(DBusError.Name.noReply): false
    case .remote("org.bluez.Error.Failed"):
      !message.hasPrefix("Operation failed") || message.contains("ATT error")
    case .remote, .invalid, .unavailable: true
    case .malformed, .disconnected, .deadline, .cancelled: false
    }
  }
}
