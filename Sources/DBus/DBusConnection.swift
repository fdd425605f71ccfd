public import ESCPOS
import Threads

/// A connection of its own to a message bus, over libdbus, on a thread of its own.
///
/// No call blocks, and nothing wakes the thread at rest. When the bus goes away, every call fails with `.disconnected`,
/// every stream ends, ``waitUntilClosed()`` returns, and descriptors and thread are gone; a new connection can be made at
/// once. The same happens when the connection is dropped, whoever still reads its streams.
///
/// What the bus delivers keeps its order: a signal that came before a reply is in its subscribers' streams before the
/// call returns.
public final class DBusConnection: Sendable {
  /// How many signals a stream holds that its consumer has not read. When one more comes, the stream ends after those, so
  /// that nothing is lost in silence: the consumer subscribes anew and reads the state anew.
  public static let signalsHeld = 16_384

  /// This side's name on the bus, `:1.42`.
  public let uniqueName: String
  let mailbox: Mailbox
  private let tree: ObjectTree
  private let closed: Slot<Void>
  let deadlines: Deadlines
  private let nextID = Locked(0)

  private init(uniqueName: String, _ start: BusThread.Start, _ deadlines: Deadlines) {
    self.uniqueName = uniqueName
    self.deadlines = deadlines
    mailbox = start.mailbox
    tree = start.tree
    closed = start.closed
  }

  deinit { mailbox.post { $0.stop() } }

  /// Connects and registers with the bus.
  ///
  /// The kernel's `connect` can block, on the connection's thread: when the deadline passes meanwhile, the thread ends
  /// when the kernel lets it.
  ///
  /// - Parameter clock: The clock of all deadlines of this connection.
  /// - Throws: ``DBusError``: `.unavailable` when nobody listens there or no descriptor or thread is left,
  ///   `.disconnected` when the bus hangs up (it refuses this user), `.deadline`, `.cancelled`.
  public static func connect(
    to address: DBusAddress, clock: any BootTimeClock, by deadline: BootInstant
  ) async throws(DBusError) -> DBusConnection {
    let mailbox = try Mailbox()
    let opened = Answer(to: "connecting to the message bus at \(address.text)", mailbox)
    let start = BusThread.Start(
      address: address, mailbox: mailbox, tree: ObjectTree(), opened: opened, closed: Slot())
    try BusThread.start(start)
    let deadlines = Deadlines(clock: clock)
    deadlines.add(opened, deadline)
    defer { deadlines.remove(opened) }
    do {
      let name = try await opened.values().first?.string ?? ""
      return DBusConnection(uniqueName: name, start, deadlines)
    } catch {
      mailbox.post { $0.stop() }
      throw error
    }
  }

  /// Calls a method and waits for the answer.
  ///
  /// - Returns: The values of the answer; of which types is the callee's word, so read them with care.
  /// - Throws: ``DBusError``. After `.deadline`, `.cancelled` and `.disconnected` the call may have been carried out.
  public func call(_ call: DBusCall, by deadline: BootInstant) async throws(DBusError) -> [DBusValue] {
    if Task.isCancelled {
      throw DBusError(.cancelled, "\(call.interface).\(call.member): the task was cancelled")
    }
    return try await begin(call, by: deadline).values()
  }

  /// Sends a call without waiting for its answer. Calls that are begun one after the other are sent in that order.
  ///
  /// No more than 128 calls are on their way to other peers at a time, the most that a system bus allows; the rest wait
  /// here, in order.
  ///
  /// - Throws: `.invalid` when the call cannot be sent.
  public func begin(_ call: DBusCall, by deadline: BootInstant) throws(DBusError) -> DBusPendingCall {
    try Validation.check(call)
    let answer = Answer(to: "\(call.interface).\(call.member)", mailbox)
    // First the deadline: a call whose time has passed is not sent.
    deadlines.add(answer, deadline)
    if !mailbox.post({ $0.send([call], answer) }) { answer.settle(.failure(.disconnected)) }
    return DBusPendingCall(answer, deadlines)
  }

  /// Subscribes to signals; when this returns, the bus has the rule, and every signal from now on is in the stream.
  ///
  /// The stream ends with the connection, or when its consumer lags more than ``signalsHeld`` signals behind. When the
  /// consumer drops it, the bus is told. Subscribers with equal matches share one rule.
  ///
  /// With a well-known name as sender, only signals of the name's owner of that moment are let through; also those that a
  /// stranger sends to us alone are kept out.
  ///
  /// - Throws: ``DBusError``: `.invalid`, `.disconnected`, `.deadline`, `.cancelled`, or the bus's refusal.
  public func signals(
    _ match: DBusMatch, by deadline: BootInstant
  ) async throws(DBusError) -> AsyncStream<DBusSignal> {
    let rule = try match.rule()
    let id = nextID.withLock { id in
      id += 1
      return id
    }
    let (stream, continuation) = AsyncStream.makeStream(
      of: DBusSignal.self, bufferingPolicy: .bufferingOldest(Self.signalsHeld))
    let answer = Answer(to: "subscribing to signals", mailbox)
    continuation.onTermination = { [mailbox] _ in mailbox.post { $0.unsubscribe(rule, id: id) } }
    deadlines.add(answer, deadline)
    if !mailbox.post({ $0.subscribe(match, rule, id: id, continuation, answer) }) {
      answer.settle(.failure(.disconnected))
    }
    defer { deadlines.remove(answer) }
    _ = try await answer.values()
    return stream
  }

  /// Lets others call an object, until the export is released or dropped.
  ///
  /// Every call is answered: also one to a path, an interface or a method that is not there, and `Introspect`, `Ping` and
  /// `GetMachineId`, which no object needs to know of. At most 512 calls are with objects at a time; more are refused.
  ///
  /// - Throws: `.invalid` for a path that is none, or that has an object already.
  public func export(_ object: any DBusObject, at path: String) throws(DBusError) -> DBusExport {
    try tree.add(object, at: path)
  }

  /// Takes a well-known name.
  ///
  /// - Throws: ``DBusError``: `.unavailable` when another has it, or the bus's refusal.
  public func requestName(_ name: String, by deadline: BootInstant) async throws(DBusError) {
    // DBUS_NAME_FLAG_DO_NOT_QUEUE; answers: 1 primary owner, 4 already owner.
    let answer = try await call(.bus("RequestName", .string(name), .uint32(4)), by: deadline)
    guard let code = answer.first?.uint32, code == 1 || code == 4 else {
      throw DBusError(.unavailable, "the name \(name) is taken")
    }
  }

  /// Gives a well-known name back; one that is not ours is left alone.
  public func releaseName(_ name: String, by deadline: BootInstant) async throws(DBusError) {
    _ = try await call(.bus("ReleaseName", .string(name)), by: deadline)
  }

  /// Sends a signal: to everybody who wants it, or to one. It goes out after what this side has sent before.
  ///
  /// - Throws: `.invalid` when it cannot be sent, `.disconnected`.
  public func emit(_ signal: DBusSignal, to destination: String? = nil) throws(DBusError) {
    try Validation.check(signal, to: destination)
    guard mailbox.post({ $0.emit(signal, to: destination) }) else { throw .disconnected }
  }

  /// Returns when the connection has ended, for whatever reason.
  public func waitUntilClosed() async { await closed.value }

  /// Whether the connection has ended.
  public var isClosed: Bool { closed.isSettled }

  /// Ends the connection; returns when its descriptors are closed. Calls that are open fail with `.disconnected`.
  public func close() async {
    mailbox.post { $0.stop() }
    await closed.value
  }
}

/// A call whose answer can still be waited for.
public struct DBusPendingCall: Sendable {
  private let answer: Answer
  private let deadlines: Deadlines

  init(_ answer: Answer, _ deadlines: Deadlines) {
    self.answer = answer
    self.deadlines = deadlines
  }

  /// Waits for the answer; cancelling the task gives the answer up for all who wait.
  public func values() async throws(DBusError) -> [DBusValue] {
    defer { deadlines.remove(answer) }
    return try await answer.values()
  }

  /// Ends the wait for the answer, for all who wait, with `.cancelled`; an answer that is there stays.
  public func giveUp() { answer.fail(.cancelled) }
}
