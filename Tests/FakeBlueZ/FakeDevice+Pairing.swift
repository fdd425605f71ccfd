import DBus
import ESCPOS
import Synchronization

extension FakeDevice {
  func pair(_ call: DBusIncomingCall, _ reply: DBusReply) {
    if value("Paired")?.boolean == true {
      return reply.give(.failure(.bluez("AlreadyExists", "Already Exists")))
    }
    switch state.withLock({ $0.script.pairing }) {
    case .justWorks: paired(reply)
    case .quietlyFails: reply.give(.success([]))
    case .fails(let error): reply.give(.failure(error))
    case .pin(let pin):
      ask(call.sender, "RequestPinCode", [.objectPath(path)], reply) { $0.first?.string == pin }
    case .confirmation(let number):
      ask(call.sender, "RequestConfirmation", [.objectPath(path), .uint32(number)], reply) { $0.isEmpty }
    }
  }

  private func paired(_ reply: DBusReply) {
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
