/// The description of an object (D-Bus Specification, "Introspection Data Format").
enum Introspection {
  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    """

  private static let standard = [
    DBusInterface(DBusName.introspectable, [.init("Introspect", gives: "s")]),
    DBusInterface(DBusName.peer, [.init("Ping"), .init("GetMachineId", gives: "s")]),
  ]

  /// The XML of a node; names consist of letters, digits and dots, so that nothing needs escaping.
  static func node(_ interfaces: [DBusInterface], children: [String]) -> String {
    let elements = (standard + interfaces).map(element) + children.map { " <node name=\"\($0)\"/>\n" }
    return "\(head)\n<node>\n\(elements.joined())</node>\n"
  }

  private static func element(_ interface: DBusInterface) -> String {
    let methods = interface.methods.map { method in
      let arguments =
        arguments(method.takes, direction: "in") + arguments(method.gives, direction: "out")
      return "  <method name=\"\(method.name)\">\n\(arguments)  </method>\n"
    }
    return " <interface name=\"\(interface.name)\">\n\(methods.joined()) </interface>\n"
  }

  private static func arguments(_ signature: String, direction: String) -> String {
    (Signature.types(signature) ?? []).map { "   <arg type=\"\($0)\" direction=\"\(direction)\"/>\n" }
      .joined()
  }
}
