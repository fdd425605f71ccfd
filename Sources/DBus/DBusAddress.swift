import Glibc

/// Where a message bus listens, in the notation of the D-Bus Specification, "Server Addresses".
public struct DBusAddress: Sendable, Hashable {
  /// The address, `unix:path=/run/dbus/system_bus_socket`, or several with `;` between them.
  public let text: String

  /// Creates an address; it is judged when it is connected to.
  public init(_ text: String) {
    self.text = text
  }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` where it is set and not empty, else the well-known socket.
  public static var system: DBusAddress {
    if let value = getenv("DBUS_SYSTEM_BUS_ADDRESS"), value.pointee != 0 {
      return DBusAddress(String(cString: value))
    }
    return DBusAddress("unix:path=/run/dbus/system_bus_socket")
  }
}
