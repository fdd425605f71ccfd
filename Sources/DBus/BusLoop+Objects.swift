import Threads

extension BusLoop {
  /// How many calls may be with our objects at a time; a flood of more is refused.
  static let mostAnswering = 512

  /// Lets an object answer a call, or answers it here.
  func receive(_ header: WireMessage.Header, _ message: WireMessage) {
    do throws(DBusError) {
      if let values = try builtIn(header, message) { return respond(to: header, .success(values)) }
      guard let object = tree.object(at: header.path) else {
        throw .remote(DBusError.Name.unknownObject, "there is no object at \(header.path)")
      }
      let interface = try interface(of: header, message, object.interfaces)
      guard answering.count < Self.mostAnswering else {
        throw .remote(DBusError.Name.limitsExceeded, "too many calls are unanswered")
      }
      let call = DBusIncomingCall(
        sender: header.sender, path: header.path, interface: interface, member: header.member,
        arguments: try message.arguments())
      hand(call, to: object, header)
    } catch {
      respond(to: header, .failure(error))
    }
  }

  /// Answers what every object can be asked (D-Bus Specification, "Standard Interfaces"); nil when it is something else.
  private func builtIn(
    _ header: WireMessage.Header, _ message: WireMessage
  ) throws(DBusError) -> [DBusValue]? {
    switch (header.interface, header.member) {
    case (DBusName.peer, "Ping"): return []
    case (DBusName.peer, "GetMachineId"):
      guard let machine = WireConnection.machine else {
        throw .remote(DBusError.Name.failed, "this machine has no identity")
      }
      return [.string(machine)]
    case (DBusName.introspectable, "Introspect"), (nil, "Introspect"):
      let object = tree.object(at: header.path)
      let children = tree.children(of: header.path)
      guard object != nil || !children.isEmpty else { return nil }
      return [.string(Introspection.node(object?.interfaces ?? [], children: children))]
    case (DBusName.peer, _), (DBusName.introspectable, _):
      guard tree.object(at: header.path) != nil else { return nil }
      throw .remote(DBusError.Name.unknownMethod, "no method \(header.member)")
    default: return nil
    }
  }

  /// The interface that is called, once the call has been found to fit it.
  private func interface(
    of header: WireMessage.Header, _ message: WireMessage, _ interfaces: [DBusInterface]
  ) throws(DBusError) -> String {
    guard !interfaces.isEmpty else { return header.interface ?? "" }
    let candidates = interfaces.filter { header.interface == nil || header.interface == $0.name }
    guard !candidates.isEmpty else {
      throw .remote(
        DBusError.Name.unknownInterface, "\(header.path) has no interface \(header.interface ?? "")")
    }
    for candidate in candidates {
      guard let method = candidate.methods.first(where: { $0.name == header.member }) else { continue }
      guard message.signature == method.takes else {
        throw .remote(
          DBusError.Name.invalidArguments,
          "\(candidate.name).\(method.name) takes (\(method.takes)), not (\(message.signature))")
      }
      return candidate.name
    }
    throw .remote(DBusError.Name.unknownMethod, "\(header.path) has no method \(header.member)")
  }

  private func hand(_ call: DBusIncomingCall, to object: any DBusObject, _ header: WireMessage.Header) {
    callsReceived += 1
    let id = callsReceived
    let mailbox = mailbox
    let reply = DBusReply { answer in
      var answer = answer
      // Whoever answers finds the faults, not this thread.
      if case .success(let values) = answer {
        do throws(DBusError) { try Validation.check(values) } catch { answer = .failure(error) }
      }
      mailbox.post { [answer] loop in
        loop.answering.removeValue(forKey: id)
        loop.respond(to: header, answer)
      }
    }
    if let object = object as? any DBusOrderedObject {
      answering.updateValue(nil, forKey: id)
      object.receive(call, reply)
    } else {
      // The call is gone when the answer goes out, and with it the descriptors that the object has not taken.
      let kept = Locked<DBusIncomingCall?>(call)
      let task = Task { reply.give(await BusLoop.answer(of: object, to: kept)) }
      answering.updateValue(task, forKey: id)
    }
  }

  private static func answer(
    of object: any DBusObject, to kept: Locked<DBusIncomingCall?>
  ) async -> Result<[DBusValue], DBusError> {
    let call = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    guard let call else { return .success([]) }
    do throws(DBusError) { return .success(try await object.answer(call)) } catch { return .failure(error) }
  }

  /// Sends the answer to a call, if the caller wants one.
  func respond(to call: WireMessage.Header, _ answer: Result<[DBusValue], DBusError>) {
    guard let wire, call.wantsReply else { return }
    var header = WireMessage.Header(kind: .reply, wantsReply: false)
    header.destination = call.sender.isEmpty ? nil : call.sender
    header.replySerial = call.serial
    do throws(DBusError) {
      _ = try wire.send(WireMessage(header, try answer.get()))
    } catch {
      header.kind = .error
      header.errorName = error.name.flatMap { Naming.isErrorName($0) ? $0 : nil } ?? DBusError.Name.failed
      let text = error.message.utf8.contains(0) ? String(error.message.filter { $0 != "\0" }) : error.message
      if let message = try? WireMessage(header, [.string(text)]) { _ = try? wire.send(message) }
    }
  }

  /// Sends a signal whose names and arguments have been found valid.
  func emit(_ signal: DBusSignal, to destination: String?) {
    guard let wire else { return }
    let header = WireMessage.Header(
      kind: .signal, destination: destination, path: signal.path, interface: signal.interface,
      member: signal.member, wantsReply: false)
    if let message = try? WireMessage(header, signal.arguments) { _ = try? wire.send(message) }
  }
}
