import DBus
import Synchronization

/// Answers with what it was called with; `Fail` with the error that the arguments name; `Sender` with the caller.
struct Echo: DBusObject {
  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    switch call.member {
    case "Echo": return call.arguments
    case "Sender": return [.string(call.sender)]
    case "Fail":
      throw DBusError(.remote(call.arguments.first?.string ?? ""), call.arguments.last?.string ?? "")
    default: throw DBusError(.remote(DBusError.Name.unknownMethod), call.member)
    }
  }
}

/// Keeps what it is asked, until the test answers.
final class Keeper: DBusOrderedObject {
  let calls: AsyncStream<(call: DBusIncomingCall, reply: DBusReply)>
  private let kept: AsyncStream<(call: DBusIncomingCall, reply: DBusReply)>.Continuation

  init() { (calls, kept) = AsyncStream.makeStream() }

  func receive(_ call: DBusIncomingCall, _ reply: DBusReply) { kept.yield((call, reply)) }
}

extension DBusCall {
  /// A call of the object at `/test`.
  static func test(
    _ member: String, _ arguments: [DBusValue] = [], to destination: String, interface: String = "test.Echo",
    path: String = "/test", autoStart: Bool = true
  ) -> DBusCall {
    DBusCall(
      destination: destination, path: path, interface: interface, member: member, arguments: arguments,
      autoStart: autoStart)
  }
}

extension AsyncSequence {
  /// The first so many elements; fewer when the sequence ends before.
  func first(_ count: Int) async throws -> [Element] {
    var elements: [Element] = []
    var iterator = makeAsyncIterator()
    while elements.count < count, let element = try await iterator.next() { elements.append(element) }
    return elements
  }
}
