public import DBus
import Threads

/// A characteristic of the fake (`org.bluez.GattCharacteristic1`).
public final class FakeCharacteristic: FakeNode {
  /// What a `WriteValue` does that BlueZ would let through.
  public enum Writing: Sendable {
    /// The value arrives. A request is answered when the printer has room for it, a command at once.
    case accepts
    /// It fails, and the value does not arrive.
    case fails(DBusError)
    /// The value arrives or not, and no answer comes until ``FakeCharacteristic/answerWrites(_:)``.
    case waits(arrives: Bool)
    /// The value arrives, and no answer ever comes, not even with the end of the link.
    case isForgotten
  }

  /// A value that was written.
  public struct Write: Sendable, Hashable {
    /// The value.
    public var value: [UInt8]
    /// `command`, `request` or `reliable`; as BlueZ chose, when the caller did not.
    public var type: String
    /// Whether the caller said which.
    public var isExplicit: Bool
  }

  /// What it does.
  public struct Script: Sendable {
    /// The MTU of the connection.
    public var mtu: UInt16 = 247
    /// Whether another program has acquired it (`AcquireWrite`).
    public var isAcquired = false
    /// What the writes do; the first one since the link is up has the number 0.
    public var writing: @Sendable (_ number: Int, _ value: [UInt8]) -> Writing = { _, _ in .accepts }
    /// What `StartNotify` fails with.
    public var notifying: DBusError?
    /// How many calls of `StartNotify` are not answered before the link is down.
    public var forgetsNotify = 0
    /// Whether a `StartNotify` is answered only by ``FakeCharacteristic/answerNotify()``, or by the end of the link.
    public var notifyWaits = false
    /// What `ReadValue` fails with.
    public var reading: DBusError?
    /// Whether a `ReadValue` is answered only by ``FakeCharacteristic/answerReads()``, or by the end of the link.
    public var readWaits = false
  }

  private struct State {
    var script = Script()
    var writes: [Write] = []
    var number = 0
    /// The request that is not answered yet: BlueZ lets nobody else write meanwhile.
    var request: DBusReply?
    var waiting: [DBusReply] = []
    var reads: [DBusReply] = []
    var subscriptions: [DBusReply] = []
    /// Kept, since a reply that is dropped answers.
    var forgotten: [DBusReply] = []
    var isNotifying = false
    var isDown = false
  }

  /// The UUID.
  public let uuid: String
  /// The object's path.
  public let path: String
  private let flags: Set<String>
  private let value: [UInt8]
  private let device: String
  private let table: ObjectTable
  private let printer: FakePrinter?
  private let state = Locked(State())

  init(
    _ description: FakeService.Characteristic, _ path: String, _ device: String, _ table: ObjectTable,
    _ printer: FakePrinter?
  ) {
    uuid = description.uuid
    flags = Set(description.flags)
    value = description.value
    self.path = path
    self.device = device
    self.table = table
    self.printer = printer
  }

  /// Sets what it does from now on.
  public func script(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  /// Every value that was let through, in order.
  public var writes: [Write] { state.withLock { $0.writes } }

  /// Whether a client listens.
  public var isNotifying: Bool { state.withLock { $0.isNotifying } }

  /// Sends a value to whoever listens.
  public func notify(_ value: [UInt8]) {
    if isNotifying { table.set(path, ["Value": .bytes(value)]) }
  }

  /// Answers the writes that wait, in order.
  public func answerWrites(_ answer: Result<[DBusValue], DBusError> = .success([])) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.request = nil
      return state.waiting
    }
    for reply in waiting { reply.give(answer) }
  }

  /// Answers the reads that wait, and lets no later one wait.
  public func answerReads() {
    let waiting = state.withLock { state in
      state.script.readWaits = false
      defer { state.reads = [] }
      return state.reads
    }
    for reply in waiting { reply.give(.success([.bytes(value)])) }
  }

  /// Answers the `StartNotify` that waits: from now on it sends; no later one waits.
  public func answerNotify() {
    let waiting = state.withLock { state in
      state.script.notifyWaits = false
      defer { state.subscriptions = [] }
      return state.subscriptions
    }
    for reply in waiting { beginNotify(reply) }
  }

  func appear() {
    let mtu = state.withLock { $0.script.mtu }
    var properties: ObjectTable.Properties = [
      "UUID": .string(uuid),
      "Service": .objectPath(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])),
      "Flags": .strings(flags.sorted()), "Value": .bytes(value), "MTU": .uint16(mtu),
    ]
    if flags.contains("notify") { properties["Notifying"] = .boolean(false) }
    if flags.contains("write-without-response") {
      properties["WriteAcquired"] = .boolean(state.withLock { $0.script.isAcquired })
    }
    table.add(path, "org.bluez.GattCharacteristic1", properties, self)
  }

  func linkIsUp() { state.withLock { $0.isDown = false } }

  /// What is not answered fails as when ATT is cut off.
  func linkIsDown() {
    let open = state.withLock { state -> [DBusReply] in
      let open =
        state.waiting + state.reads + state.subscriptions + [state.request].compactMap { $0 }
      state.waiting = []
      state.reads = []
      state.subscriptions = []
      state.request = nil
      state.number = 0
      state.isNotifying = false
      state.isDown = true
      return open
    }
    for reply in open { reply.give(.failure(.bluez("Failed", "Operation failed with ATT error: 0x0e"))) }
    if flags.contains("notify") { table.set(path, ["Notifying": .boolean(false)]) }
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    guard table.value(device, "Connected")?.boolean == true else {
      return reply.give(.failure(.bluez("Failed", "Not connected")))
    }
    switch call.member {
    case "WriteValue": write(call, reply)
    case "ReadValue":
      if let failure = state.withLock({ $0.script.reading }) { return reply.give(.failure(failure)) }
      guard flags.contains("read") else {
        return reply.give(.failure(.bluez("NotPermitted", "Read not permitted")))
      }
      let waits = state.withLock { state in
        if state.script.readWaits { state.reads.append(reply) }
        return state.script.readWaits
      }
      if waits { return }
      reply.give(.success([.bytes(value)]))
    case "StartNotify":
      let isForgotten = state.withLock { state in
        guard state.script.forgetsNotify > 0 else { return false }
        state.script.forgetsNotify -= 1
        state.waiting.append(reply)
        return true
      }
      if isForgotten { return }
      let failure = state.withLock { $0.script.notifying }
      guard failure == nil, flags.contains("notify") else {
        return reply.give(.failure(failure ?? .bluez("NotSupported", "Operation is not supported")))
      }
      let waits = state.withLock { state in
        if state.script.notifyWaits { state.subscriptions.append(reply) }
        return state.script.notifyWaits
      }
      if !waits { beginNotify(reply) }
    case "StopNotify":
      state.withLock { $0.isNotifying = false }
      table.set(path, ["Notifying": .boolean(false)])
      reply.give(.success([]))
    default: reply.give(.failure(.unknown(DBusError.Name.unknownMethod, call)))
    }
  }

  private func beginNotify(_ reply: DBusReply) {
    state.withLock { $0.isNotifying = true }
    printer?.listen { [weak self] in self?.notify($0) }
    table.set(path, ["Notifying": .boolean(true)])
    reply.give(.success([]))
  }

  private func write(_ call: DBusIncomingCall, _ reply: DBusReply) {
    guard call.arguments.count == 2, let value = call.arguments[0].bytes,
      let options = call.arguments[1].variantDictionary
    else { return reply.give(.failure(.unknown(DBusError.Name.invalidArguments, call))) }
    let asked = options["type"]?.string
    let type = asked ?? (flags.contains("write") ? "request" : "command")
    let outcome = state.withLock { state -> Result<Writing, DBusError> in
      // It may have gone down since the call came in.
      if state.isDown { return .failure(.bluez("Failed", "Not connected")) }
      if let refusal = refusal(value, type, state) { return .failure(refusal) }
      let writing = state.script.writing(state.number, value)
      state.number += 1
      if case .fails(let error) = writing { return .failure(error) }
      state.writes.append(Write(value: value, type: type, isExplicit: asked != nil))
      if type != "command" { state.request = reply }
      if case .waits = writing { state.waiting.append(reply) }
      return .success(writing)
    }
    switch outcome {
    case .failure(let error): reply.give(.failure(error))
    case .success(.waits(let arrives)):
      if arrives { printer?.take(value, whenRoom: nil) }
    case .success(.isForgotten):
      state.withLock { $0.forgotten.append(reply) }
      printer?.take(value, whenRoom: nil)
    case .success:
      guard type != "command", let printer else {
        printer?.take(value, whenRoom: nil)
        return finish(reply)
      }
      printer.take(value) { [weak self] in self?.finish(reply) }
    }
  }

  private func finish(_ reply: DBusReply) {
    state.withLock { if $0.request === reply { $0.request = nil } }
    reply.give(.success([]))
  }

  /// What BlueZ refuses (gatt-client.c of 5.66).
  private func refusal(_ value: [UInt8], _ type: String, _ state: borrowing State) -> DBusError? {
    if value.count > 512 { return .bluez("InvalidArguments", "Invalid Length") }
    if state.script.isAcquired { return .bluez("NotPermitted", "Write acquired") }
    if state.request != nil { return .bluez("InProgress", "In Progress") }
    switch type {
    case "command":
      guard flags.contains("write-without-response") else {
        return .bluez("NotSupported", "Operation is not supported")
      }
      if value.count > Int(state.script.mtu) - 3 { return .bluez("Failed", "Failed to initiate write") }
    case "request", "reliable":
      guard flags.contains("write") else { return .bluez("NotSupported", "Operation is not supported") }
    default: return .bluez("InvalidArguments", "Invalid arguments in method call")
    }
    return nil
  }
}
