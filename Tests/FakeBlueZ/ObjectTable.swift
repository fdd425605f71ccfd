public import DBus
import Threads

/// What an object of the fake does.
protocol FakeNode: AnyObject, Sendable {
  /// Answers a call of the object's own interface.
  func answer(_ call: DBusIncomingCall, _ reply: DBusReply)
  /// Judges a property that a client sets; an error refuses it.
  func refusal(of property: String, _ value: DBusValue) -> DBusError?
  /// Follows up a property that a client has set.
  func wasSet(_ property: String, _ value: DBusValue)
}

/// A node that answers for more interfaces than its object's own.
protocol FakeManagers: FakeNode {}

extension FakeNode {
  func refusal(of property: String, _ value: DBusValue) -> DBusError? { nil }
  func wasSet(_ property: String, _ value: DBusValue) {}
}

/// The objects that are on the bus: one interface each, with properties, as ObjectManager and Properties show them.
final class ObjectTable: Sendable {
  typealias Properties = [String: DBusValue]

  private struct Object {
    var interface: String
    var properties: Properties
    var node: any FakeNode
    var export: DBusExport?
  }

  private struct State {
    var objects: [String: Object] = [:]
    var connection: DBusConnection?
    /// The objects that are not in ObjectManager's list: the roots.
    var roots: [DBusExport] = []
  }

  let log = CallLog()
  private let state = Locked(State())

  /// A path as others call it.
  private final class Door: DBusOrderedObject {
    private let table: ObjectTable
    init(_ table: ObjectTable) { self.table = table }

    func receive(_ call: DBusIncomingCall, _ reply: DBusReply) { table.receive(call, reply) }
  }

  // MARK: The connection

  /// Puts all objects on a connection.
  func attach(_ connection: DBusConnection) throws {
    try state.withLock { state in
      state.connection = connection
      state.roots = [try connection.export(Door(self), at: "/")]
      for path in state.objects.keys {
        state.objects[path]?.export = try connection.export(Door(self), at: path)
      }
    }
  }

  /// Takes all objects off the bus; they keep their properties.
  func detach() -> DBusConnection? {
    state.withLock { state in
      defer { state.connection = nil }
      state.roots = []
      for path in state.objects.keys { state.objects[path]?.export = nil }
      return state.connection
    }
  }

  /// Forgets all objects; nobody is told.
  func clear() { state.withLock { $0.objects = [:] } }

  var connection: DBusConnection? { state.withLock { $0.connection } }

  // MARK: The objects

  /// Adds an object, or puts another in its place, and tells so.
  func add(_ path: String, _ interface: String, _ properties: Properties, _ node: any FakeNode) {
    state.withLock { state in
      let export = state.objects[path]?.export ?? (try? state.connection?.export(Door(self), at: path))
      state.objects[path] = Object(interface: interface, properties: properties, node: node, export: export)
      Self.tell(
        state, "/", DBusName.objectManager, "InterfacesAdded",
        [.objectPath(path), Self.interfaces([interface: properties])])
    }
  }

  /// Removes an object and what is below it, and tells so.
  func remove(_ path: String) {
    state.withLock { state in
      for path in state.objects.keys.filter({ $0 == path || $0.hasPrefix(path + "/") }).sorted(by: >) {
        guard let object = state.objects.removeValue(forKey: path) else { continue }
        Self.tell(
          state, "/", DBusName.objectManager, "InterfacesRemoved",
          [.objectPath(path), .strings([object.interface])])
      }
    }
  }

  func has(_ path: String) -> Bool { state.withLock { $0.objects[path] != nil } }

  func value(_ path: String, _ property: String) -> DBusValue? {
    state.withLock { $0.objects[path]?.properties[property] }
  }

  /// Changes properties, and tells so in one signal; nil takes a property away. `Value` is told even when it is the same.
  func set(_ path: String, _ changes: [String: DBusValue?], isTold: Bool = true) {
    state.withLock { state in
      guard let object = state.objects[path] else { return }
      var changed: Properties = [:]
      var invalidated: [String] = []
      for (name, value) in changes where name == "Value" || object.properties[name] != value {
        state.objects[path]?.properties[name] = value
        if let value { changed[name] = value } else { invalidated.append(name) }
      }
      guard isTold, !changed.isEmpty || !invalidated.isEmpty else { return }
      Self.tell(
        state, path, DBusName.properties, "PropertiesChanged",
        [.string(object.interface), .variants(changed), .strings(invalidated)])
    }
  }

  private static func tell(
    _ state: borrowing State, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]
  ) {
    let signal = DBusSignal(path: path, interface: interface, member: member, arguments: arguments)
    try? state.connection?.emit(signal)
  }

  private static func interfaces(_ interfaces: [String: Properties]) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for (name, properties) in interfaces { entries[.string(name)] = .variants(properties) }
    return .dictionary(key: "s", value: "a{sv}", entries)
  }

  // MARK: Calls

  private func receive(_ call: DBusIncomingCall, _ reply: DBusReply) {
    log.note(call)
    defer { log.handled(call) }
    switch (call.interface, call.member) {
    case (DBusName.objectManager, "GetManagedObjects"): reply.give(.success([managed]))
    case (DBusName.properties, "Get"): reply.give(get(call))
    case (DBusName.properties, "GetAll"): reply.give(all(call))
    case (DBusName.properties, "Set"): change(call, reply)
    default:
      let object = state.withLock { $0.objects[call.path] }
      guard let object, object.interface == call.interface || object.node is any FakeManagers else {
        return reply.give(.failure(.unknown(DBusError.Name.unknownInterface, call)))
      }
      object.node.answer(call, reply)
    }
  }

  private var managed: DBusValue {
    state.withLock { state in
      var entries: [DBusValue: DBusValue] = [:]
      for (path, object) in state.objects where !object.interface.hasSuffix("Manager1") {
        entries[.objectPath(path)] = Self.interfaces([object.interface: object.properties])
      }
      return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }
  }

  private func get(_ call: DBusIncomingCall) -> Result<[DBusValue], DBusError> {
    guard let name = call.arguments.last?.string, let value = value(call.path, name) else {
      return .failure(.unknown(DBusError.Name.unknownProperty, call))
    }
    return .success([.variant(value)])
  }

  private func all(_ call: DBusIncomingCall) -> Result<[DBusValue], DBusError> {
    .success([.variants(state.withLock { $0.objects[call.path]?.properties ?? [:] })])
  }

  private func change(_ call: DBusIncomingCall, _ reply: DBusReply) {
    guard call.arguments.count == 3, let name = call.arguments[1].string,
      case .variant(let value) = call.arguments[2],
      let object = state.withLock({ $0.objects[call.path] }),
      object.properties[name]?.signature == value.signature
    else { return reply.give(.failure(.unknown(DBusError.Name.invalidArguments, call))) }
    if let refusal = object.node.refusal(of: name, value) { return reply.give(.failure(refusal)) }
    set(call.path, [name: value])
    object.node.wasSet(name, value)
    reply.give(.success([]))
  }
}

extension DBusError {
  static func unknown(_ name: String, _ call: DBusIncomingCall) -> DBusError {
    DBusError(.remote(name), "\(call.path): \(call.interface).\(call.member)")
  }

  /// An error of BlueZ: `org.bluez.Error.` and a name.
  public static func bluez(_ name: String, _ message: String) -> DBusError {
    DBusError(.remote("org.bluez.Error.\(name)"), message)
  }
}
