/// A method call to be sent.
public struct DBusCall: Sendable, Hashable {
  /// The bus name of the callee: `org.bluez`, or a unique name.
  public var destination: String
  /// The object.
  public var path: String
  /// The interface that has the method.
  public var interface: String
  /// The method.
  public var member: String
  /// The arguments, in order.
  public var arguments: [DBusValue]
  /// Whether the bus may start the callee when nobody owns its name.
  public var autoStart: Bool

  /// Creates a call; it is judged when it is sent.
  public init(
    destination: String, path: String, interface: String, member: String, arguments: [DBusValue] = [],
    autoStart: Bool = true
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
    self.autoStart = autoStart
  }

  /// A call of the message bus itself (D-Bus Specification, "Message Bus Messages").
  public static func bus(_ member: String, _ arguments: DBusValue...) -> DBusCall {
    DBusCall(
      destination: DBusName.bus, path: "/org/freedesktop/DBus", interface: DBusName.bus, member: member,
      arguments: arguments)
  }
}

/// A signal that was received, or that is to be sent.
public struct DBusSignal: Sendable, Hashable {
  /// The unique name of the sender; of a signal to be sent it is not looked at.
  public var sender: String
  /// The object.
  public var path: String
  /// The interface that has the signal.
  public var interface: String
  /// The signal.
  public var member: String
  /// The arguments, in order.
  public var arguments: [DBusValue]

  /// Creates a signal.
  public init(
    sender: String = "", path: String, interface: String, member: String, arguments: [DBusValue] = []
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}

/// A method call that somebody has sent to an object of ours.
public struct DBusIncomingCall: Sendable, Hashable {
  /// The unique name of the caller, which the bus vouches for.
  public let sender: String
  /// The object.
  public let path: String
  /// The interface that has the method; empty when the caller named none.
  public let interface: String
  /// The method.
  public let member: String
  /// The arguments, in order; of the types that the object's ``DBusInterface`` names, where it names any.
  public let arguments: [DBusValue]

  /// Creates a call, for tests of objects.
  public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue] = []) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}

/// Names that every bus has.
public enum DBusName {
  /// The bus itself, as a bus name and as an interface.
  public static let bus = "org.freedesktop.DBus"
  /// Properties of any object.
  public static let properties = "org.freedesktop.DBus.Properties"
  /// The objects below an object.
  public static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let peer = "org.freedesktop.DBus.Peer"
  static let local = "org.freedesktop.DBus.Local"
}
