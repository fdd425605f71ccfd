import Threads

/// An object of ours that others call.
public protocol DBusObject: Sendable {
  /// What the object can be called for. Calls that are not in it, or that have arguments of other types, are answered with
  /// the fitting error and never reach the object. When the list is empty, every call does.
  var interfaces: [DBusInterface] { get }

  /// Answers a call; each call runs in a task of its own, so an answer may take its time. The task is cancelled when the
  /// connection ends.
  ///
  /// - Returns: The values to answer with.
  /// - Throws: ``DBusError``. The caller gets a remote error by its name and message, any other as
  ///   `org.freedesktop.DBus.Error.Failed`.
  func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue]
}

extension DBusObject {
  /// No list: every call reaches the object.
  public var interfaces: [DBusInterface] { [] }
}

/// An object that gets its calls in the order in which they came, on the connection's thread.
public protocol DBusOrderedObject: DBusObject {
  /// Takes a call; must return at once. The answer may be given now or later, by any thread.
  func receive(_ call: DBusIncomingCall, _ reply: DBusReply)
}

extension DBusOrderedObject {
  /// Is not called, since ``receive(_:_:)`` is.
  public func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
    throw .remote(DBusError.Name.unknownMethod, "\(call.interface).\(call.member)")
  }
}

/// The answer that a caller waits for; given once. When nobody gives it, the caller gets `NoReply`.
public final class DBusReply: Sendable {
  private let send: Locked<(@Sendable (Result<[DBusValue], DBusError>) -> Void)?>

  init(_ send: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) {
    self.send = Locked(send)
  }

  /// Answers; only the first answer counts.
  public func give(_ answer: Result<[DBusValue], DBusError>) {
    let send = send.withLock { send in
      defer { send = nil }
      return send
    }
    send?(answer)
  }

  deinit {
    give(.failure(.remote(DBusError.Name.noReply, "the object did not answer")))
  }
}

/// What an object can be called for: an interface with its methods.
public struct DBusInterface: Sendable, Hashable {
  /// A method with the types of its arguments and of its answer.
  public struct Method: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The signature of the arguments: `oq`.
    public var takes: String
    /// The signature of the answer.
    public var gives: String

    /// Creates a method.
    public init(_ name: String, takes: String = "", gives: String = "") {
      self.name = name
      self.takes = takes
      self.gives = gives
    }
  }

  /// The name: `org.bluez.Agent1`.
  public var name: String
  /// The methods.
  public var methods: [Method]

  /// Creates an interface.
  public init(_ name: String, _ methods: [Method]) {
    self.name = name
    self.methods = methods
  }
}

/// An object's place on the bus; it is called until this is released or dropped.
public final class DBusExport: Sendable {
  /// The object's path.
  public let path: String
  private let tree: ObjectTree
  private let id: Int

  init(path: String, tree: ObjectTree, id: Int) {
    self.path = path
    self.tree = tree
    self.id = id
  }

  /// Takes the object off the bus; calls that have come before are still answered by it.
  public func release() {
    tree.remove(path, id: id)
  }

  deinit { release() }
}
