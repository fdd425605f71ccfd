/// What a message must be before libdbus sees it.
struct Validation {
  /// The largest message that a system bus passes on (dbus-daemon's `max_message_size`); a larger one would end the
  /// connection.
  static let largest = 32 << 20
  /// The most descriptors in a message that a bus passes on (dbus-daemon's `max_message_unix_fds`).
  static let mostDescriptors = 16
  /// How deep values may be nested, variants included (D-Bus Specification, "Message Format").
  static let deepest = 64

  /// An upper bound of the bytes so far; a header is at most a few names.
  private var size = 2048
  private var descriptors = 0

  /// Checks the names and the arguments of a call.
  ///
  /// - Throws: `.invalid`.
  static func check(_ call: DBusCall) throws(DBusError) {
    guard Naming.isBusName(call.destination) else {
      throw .invalid("\(call.destination.debugDescription) is no bus name")
    }
    try check(path: call.path, interface: call.interface, member: call.member)
    try check(call.arguments)
  }

  /// Checks the names and the arguments of a signal.
  ///
  /// - Throws: `.invalid`.
  static func check(_ signal: DBusSignal, to destination: String?) throws(DBusError) {
    if let destination, !Naming.isBusName(destination) {
      throw .invalid("\(destination.debugDescription) is no bus name")
    }
    try check(path: signal.path, interface: signal.interface, member: signal.member)
    try check(signal.arguments)
  }

  /// The bus ends a connection that sends in the name of libdbus itself.
  private static func check(path: String, interface: String, member: String) throws(DBusError) {
    guard Naming.isPath(path), path != "/org/freedesktop/DBus/Local" else {
      throw .invalid("\(path.debugDescription) is no path of an object")
    }
    guard Naming.isInterface(interface), interface != DBusName.local else {
      throw .invalid("\(interface.debugDescription) is no name of an interface")
    }
    guard Naming.isMember(member) else { throw .invalid("\(member.debugDescription) is no name of a member") }
  }

  /// Checks arguments.
  ///
  /// - Throws: `.invalid`, with the place of the fault.
  static func check(_ arguments: [DBusValue]) throws(DBusError) {
    var validation = Validation()
    for (index, argument) in arguments.enumerated() {
      do { try validation.check(argument, depth: 0) } catch {
        throw .invalid("argument \(index): \(error.message)")
      }
    }
    let signature = arguments.map(\.signature).joined()
    guard Signature.types(signature) != nil else {
      throw .invalid("\(signature.debugDescription) is no signature of a message")
    }
  }

  private mutating func check(_ value: DBusValue, depth: Int) throws(DBusError) {
    guard depth <= Self.deepest else { throw .invalid("values are nested more than \(Self.deepest) deep") }
    // Eight bytes, and up to seven before them to align.
    try add(15)
    switch value {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: break
    case .string(let text):
      guard Naming.isText(text) else { throw .invalid("a text has a NUL in it") }
      try add(text.utf8.count)
    case .objectPath(let text):
      guard Naming.isPath(text) else { throw .invalid("\(text.debugDescription) is no object path") }
      try add(text.utf8.count)
    case .signature(let text):
      guard Signature.types(text) != nil else { throw .invalid("\(text.debugDescription) is no signature") }
      try add(text.utf8.count)
    case .descriptor(let descriptor):
      guard descriptor.borrow({ _ in true }) == true else { throw .invalid("the descriptor has been taken") }
      descriptors += 1
      guard descriptors <= Self.mostDescriptors else {
        throw .invalid("more than \(Self.mostDescriptors) descriptors")
      }
    case .bytes(let bytes):
      try add(bytes.count)
    case .array(let element, let values):
      guard Signature.isSingle(element) else {
        throw .invalid("\(element.debugDescription) is no type of elements")
      }
      for value in values { try check(value, as: element, depth: depth + 1) }
    case .dictionary(let key, let element, let entries):
      guard Signature.isBasic(key) else { throw .invalid("\(key.debugDescription) is no type of keys") }
      guard Signature.isSingle(element) else {
        throw .invalid("\(element.debugDescription) is no type of values")
      }
      for (name, value) in entries {
        try check(name, as: key, depth: depth + 2)
        try check(value, as: element, depth: depth + 2)
      }
    case .structure(let members):
      guard !members.isEmpty else { throw .invalid("a structure has no members") }
      for member in members { try check(member, depth: depth + 1) }
    case .variant(let inner):
      // The depth first: an unbounded signature is never built.
      try check(inner, depth: depth + 1)
      guard Signature.isSingle(inner.signature) else {
        throw .invalid("\(inner.signature.debugDescription) is no type of a variant")
      }
      try add(inner.signature.utf8.count)
    }
  }

  private mutating func check(_ value: DBusValue, as type: String, depth: Int) throws(DBusError) {
    try check(value, depth: depth)
    guard value.signature == type else {
      throw .invalid("a \(value.signature) is among values of type \(type)")
    }
  }

  private mutating func add(_ count: Int) throws(DBusError) {
    size += count
    guard size <= Self.largest else { throw .invalid("the message has more than \(Self.largest >> 20) MiB") }
  }
}
