import DBus
import Threads

/// `org.bluez.AgentManager1`.
final class FakeAgents: Sendable {
  struct Agent: Sendable {
    var owner: String
    var path: String
    var capability: String
  }

  private struct State {
    var agents: [String: Agent] = [:]
    var fallback: String?
  }

  private let state = Locked(State())

  func forget() { state.withLock { $0 = State() } }

  /// One of the agents.
  var any: Agent? { state.withLock { $0.agents.values.first } }

  /// The caller's own agent, else the default one.
  func agent(for sender: String) -> Agent? {
    state.withLock { state in state.agents[sender] ?? state.fallback.flatMap { state.agents[$0] } }
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    guard let path = call.arguments.first?.objectPath else {
      return reply.give(.failure(.unknown(DBusError.Name.invalidArguments, call)))
    }
    let failure = state.withLock { state -> DBusError? in
      switch call.member {
      case "RegisterAgent":
        guard state.agents[call.sender] == nil else { return .bluez("AlreadyExists", "Already Exists") }
        state.agents[call.sender] = Agent(
          owner: call.sender, path: path, capability: call.arguments.last?.string ?? "")
      case "UnregisterAgent", "RequestDefaultAgent":
        guard state.agents[call.sender]?.path == path else { return .bluez("DoesNotExist", "Does Not Exist") }
        if call.member == "UnregisterAgent" {
          state.agents[call.sender] = nil
          if state.fallback == call.sender { state.fallback = nil }
        } else {
          state.fallback = call.sender
        }
      default: return .unknown(DBusError.Name.unknownMethod, call)
      }
      return nil
    }
    reply.give(failure.map { .failure($0) } ?? .success([]))
  }
}
