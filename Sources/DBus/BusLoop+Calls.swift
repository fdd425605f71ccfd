extension BusLoop {
  /// How many calls of one connection may be unanswered: dbus-daemon's `max_replies_per_connection` on a system bus.
  /// More wait here, where they would be refused there.
  static let mostInFlight = 128

  /// Sends calls of which the last is answered, or lets them wait for their turn; the order of calls is kept.
  func send(_ run: [DBusCall], _ answer: Answer) {
    guard wire != nil, let last = run.last else { return answer.settle(.failure(.disconnected)) }
    guard !answer.isSettled else { return }
    let kind: Lane.Kind = last.destination == DBusName.bus ? .bus : .peers
    guard let lane = lanes[kind] else { return answer.settle(.failure(.disconnected)) }
    if lane.inFlight < Self.mostInFlight {
      start(run, answer, kind)
    } else {
      lane.waiting.append((run, answer))
    }
  }

  private func start(_ run: [DBusCall], _ answer: Answer, _ kind: Lane.Kind) {
    guard let last = run.last else { return }
    let isSent = send(
      run,
      Awaited(
        destination: last.destination, lane: kind, isWanted: { !answer.isSettled },
        done: { answer.settle($0) }))
    if isSent { lanes[kind]?.inFlight += 1 }
  }

  /// Sends a call of the connection's own, ahead of all that wait.
  func ask(_ call: DBusCall, _ done: @escaping (Result<[DBusValue], DBusError>) -> Void) {
    _ = send([call], Awaited(destination: call.destination, lane: nil, isWanted: { true }, done: done))
  }

  /// Sends a call of the connection's own whose answer nobody needs.
  func tell(_ call: DBusCall) {
    var header = header(call)
    header.wantsReply = false
    if let message = try? WireMessage(header, call.arguments) { _ = try? wire?.send(message) }
  }

  /// Sends calls, all or none; all but the last say that they want no answer.
  private func send(_ run: [DBusCall], _ awaited: Awaited) -> Bool {
    do throws(DBusError) {
      guard let wire else { throw .disconnected }
      var messages: [WireMessage] = []
      messages.reserveCapacity(run.count)
      for (index, call) in run.enumerated() {
        // Until the connection is authenticated this is not known; only Hello goes out so early.
        if !wire.takesDescriptors, call.arguments.contains(where: \.hasDescriptor) {
          throw DBusError(.unavailable, "the message bus does not pass on descriptors")
        }
        var header = header(call)
        header.wantsReply = index == run.count - 1
        messages.append(try WireMessage(header, call.arguments))
      }
      for message in messages.dropLast() { _ = try wire.send(message) }
      if let last = messages.last { self.awaited[try wire.send(last)] = awaited }
      return true
    } catch {
      awaited.done(.failure(error))
      return false
    }
  }

  private func header(_ call: DBusCall) -> WireMessage.Header {
    WireMessage.Header(
      kind: .call, destination: call.destination, path: call.path, interface: call.interface,
      member: call.member, autoStart: call.autoStart)
  }

  /// Takes a reply or an error to the call that waits for it; one that nobody waits for is dropped, with what is in it.
  func complete(_ header: WireMessage.Header, _ message: WireMessage) {
    guard let call = awaited[header.replySerial] else { return }
    // The bus answers for peers that are not there; nobody else answers for another.
    let isExact = call.destination == DBusName.bus || call.destination.hasPrefix(":")
    guard !isExact || header.sender == call.destination || header.sender == DBusName.bus else { return }
    awaited.removeValue(forKey: header.replySerial)
    if call.isWanted() { call.done(result(header, message)) }
    guard let kind = call.lane else { return }
    lanes[kind]?.inFlight -= 1
    advance(kind)
  }

  private func result(_ header: WireMessage.Header, _ message: WireMessage) -> Result<[DBusValue], DBusError>
  {
    do throws(DBusError) {
      let values = try message.arguments()
      guard header.kind == .error else { return .success(values) }
      return .failure(.remote(header.errorName ?? DBusError.Name.failed, values.first?.string ?? ""))
    } catch {
      return .failure(error)
    }
  }

  private func advance(_ kind: Lane.Kind) {
    guard let lane = lanes[kind] else { return }
    while lane.inFlight < Self.mostInFlight, lane.next < lane.waiting.count {
      let (run, answer) = lane.waiting[lane.next]
      lane.next += 1
      if lane.next == lane.waiting.count || lane.next >= 1024 {
        lane.waiting.removeFirst(lane.next)
        lane.next = 0
      }
      if !answer.isSettled { start(run, answer, kind) }
    }
  }

  /// Drops the calls that wait for their turn and that nobody wants any more. One that was sent keeps its place until it
  /// is answered, since the bus counts it until then.
  func sweep() {
    for lane in lanes.values where !lane.waiting.isEmpty {
      lane.waiting = lane.waiting.dropFirst(lane.next).filter { !$0.answer.isSettled }
      lane.next = 0
    }
  }
}

extension DBusValue {
  /// Whether there is a descriptor in it.
  var hasDescriptor: Bool {
    switch self {
    case .descriptor: true
    case .variant(let value): value.hasDescriptor
    case .structure(let members): members.contains(where: \.hasDescriptor)
    case .array(let type, let values):
      Self.mayHaveDescriptor(type) && values.contains(where: \.hasDescriptor)
    case .dictionary(let key, let type, let entries):
      Self.mayHaveDescriptor(key + type)
        && entries.contains { $0.key.hasDescriptor || $0.value.hasDescriptor }
    default: false
    }
  }

  private static func mayHaveDescriptor(_ type: String) -> Bool {
    type.utf8.contains { $0 == UInt8(ascii: "h") || $0 == UInt8(ascii: "v") }
  }
}
