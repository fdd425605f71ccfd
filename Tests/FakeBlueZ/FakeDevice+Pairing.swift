public import DBus
import ESCPOS
import Threads

extension FakeDevice {
  func pair(_ call: DBusIncomingCall, _ reply: DBusReply) {
    if value("Paired")?.boolean == true {
      return reply.give(.failure(.bluez("AlreadyExists", "Already Exists")))
    }
    if state.withLock({ $0.script.pairingConnects }), !isConnected { connect() }
    switch state.withLock({ $0.script.pairing }) {
    case .justWorks: paired(reply)
    case .quietlyFails: reply.give(.success([]))
    case .fails(let error): reply.give(.failure(error))
    case .pin(let pin):
      ask(call.sender, "RequestPinCode", [.objectPath(path)], reply) { $0.first?.string == pin }
    case .passkey(let number):
      ask(call.sender, "RequestPasskey", [.objectPath(path)], reply) { $0.first?.uint32 == number }
    case .confirmation(let number):
      ask(call.sender, "RequestConfirmation", [.objectPath(path), .uint32(number)], reply) { $0.isEmpty }
    case .authorization: ask(call.sender, "RequestAuthorization", [.objectPath(path)], reply) { $0.isEmpty }
    case .waits: state.withLock { $0.pairing = reply }
    }
  }

  func cancelPairing(_ reply: DBusReply) {
    let pairing = state.withLock { state in
      defer { state.pairing = nil }
      return state.pairing
    }
    pairing?.give(.failure(.bluez("AuthenticationCanceled", "Authentication Canceled")))
    reply.give(pairing == nil ? .failure(.bluez("DoesNotExist", "Does Not Exist")) : .success([]))
  }

  private func paired(_ reply: DBusReply) {
    state.withLock { $0.script.hasForgottenBond = false }
    table.set(path, ["Paired": .boolean(true), "Bonded": .boolean(true)])
    reply.give(.success([]))
  }

  /// Asks the caller's agent, or the default one, as bluetoothd does; not on the connection's thread, which the answer needs.
  private func ask(
    _ sender: String, _ member: String, _ arguments: [DBusValue], _ reply: DBusReply,
    _ isRight: @escaping @Sendable ([DBusValue]) -> Bool
  ) {
    guard let agent = agents.agent(for: sender), let connection = table.connection else {
      return reply.give(.failure(.bluez("AuthenticationFailed", "Authentication Failed")))
    }
    Task {
      let question = DBusCall(
        destination: agent.owner, path: agent.path, interface: "org.bluez.Agent1", member: member,
        arguments: arguments)
      do throws(DBusError) {
        let clock = BootClock()
        let answer = try await connection.call(question, by: clock.now.advanced(by: .seconds(60)))
        guard isRight(answer) else { throw .bluez("AuthenticationFailed", "Authentication Failed") }
        paired(reply)
      } catch {
        let isRejected = error.name == "org.bluez.Error.Rejected"
        reply.give(
          .failure(
            isRejected
              ? .bluez("AuthenticationRejected", "Authentication Rejected")
              : .bluez("AuthenticationFailed", "Authentication Failed")))
      }
    }
  }
}

extension FakeBlueZ {
  /// Calls the agent that a client has registered, as bluetoothd does: for another device, or with `Cancel` or `Release`.
  ///
  /// - Throws: The agent's error, or `DoesNotExist` when none is registered.
  public func callAgent(_ member: String, _ arguments: [DBusValue] = []) async throws(DBusError)
    -> [DBusValue]
  {
    guard let agent = agents.any, let connection = table.connection else {
      throw .bluez("DoesNotExist", "no agent is registered")
    }
    let call = DBusCall(
      destination: agent.owner, path: agent.path, interface: "org.bluez.Agent1", member: member,
      arguments: arguments)
    return try await connection.call(call, by: BootClock().now.advanced(by: .seconds(60)))
  }

  /// Where a client has registered its agent: its unique name and the object's path; nil without one. For whoever is to
  /// call it without being bluetoothd.
  public var agent: (owner: String, path: String, capability: String)? {
    agents.any.map { ($0.owner, $0.path, $0.capability) }
  }
}
