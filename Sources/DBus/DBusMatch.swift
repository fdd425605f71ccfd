/// Which signals a subscriber wants (D-Bus Specification, "Match Rules"); what is nil is not looked at.
public struct DBusMatch: Sendable, Hashable {
  /// The sender: a unique name, or a well-known one, which stands for whoever owns it at the moment of the signal.
  public var sender: String?
  /// The interface that has the signal.
  public var interface: String?
  /// The signal.
  public var member: String?
  /// The object.
  public var path: String?
  /// The object, or one above it.
  public var pathNamespace: String?
  /// The first argument, when it is a string.
  public var arg0: String?

  /// Creates a match; it is judged when it is subscribed to.
  public init(
    sender: String? = nil, interface: String? = nil, member: String? = nil, path: String? = nil,
    pathNamespace: String? = nil, arg0: String? = nil
  ) {
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.arg0 = arg0
  }

  /// The changes of a name's owner: arguments name, old owner, new owner; empty where there is none.
  public static func ownerChanges(of name: String) -> DBusMatch {
    DBusMatch(sender: DBusName.bus, interface: DBusName.bus, member: "NameOwnerChanged", arg0: name)
  }

  /// The rule in the notation of the bus.
  func rule() throws(DBusError) -> String {
    var parts = ["type='signal'"]
    func add(_ key: String, _ value: String?, _ kind: String, _ isValid: (String) -> Bool) throws(DBusError) {
      guard let value else { return }
      guard isValid(value) else { throw .invalid("\(value.debugDescription) is no \(kind)") }
      // Inside quotes a quote is written as: end, escaped quote, begin.
      let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      parts.append("\(key)='\(quoted)'")
    }
    try add("sender", sender, "bus name", Naming.isBusName)
    try add("interface", interface, "interface name", Naming.isInterface)
    try add("member", member, "member name", Naming.isMember)
    try add("path", path, "object path", Naming.isPath)
    try add("path_namespace", pathNamespace, "object path", Naming.isPath)
    try add("arg0", arg0, "text without NUL", Naming.isText)
    guard path == nil || pathNamespace == nil else {
      throw .invalid("a rule has a path or a namespace, not both")
    }
    let rule = parts.joined(separator: ",")
    // DBUS_MAXIMUM_MATCH_RULE_LENGTH
    guard rule.utf8.count <= 1024 else { throw .invalid("the match rule has more than 1,024 bytes") }
    return rule
  }

  /// The sender, when it is a name whose owner must be known to judge a signal.
  var ownedName: String? {
    guard let sender, sender != DBusName.bus, !sender.hasPrefix(":") else { return nil }
    return sender
  }

  /// Whether a signal is wanted, as far as its header tells; `owner` is who owns ``ownedName``.
  func accepts(sender: String, path: String, interface: String, member: String, owner: String?) -> Bool {
    if let wanted = self.sender {
      guard sender == (ownedName == nil ? wanted : owner) else { return false }
    }
    if let wanted = self.interface, interface != wanted { return false }
    if let wanted = self.member, member != wanted { return false }
    if let wanted = self.path, path != wanted { return false }
    if let wanted = pathNamespace, wanted != "/", path != wanted, !path.hasPrefix(wanted + "/") {
      return false
    }
    return true
  }

  /// Whether the first argument is the wanted one.
  func accepts(_ arguments: [DBusValue]) -> Bool {
    guard let arg0 else { return true }
    guard case .string(let value)? = arguments.first else { return false }
    return value == arg0
  }
}
