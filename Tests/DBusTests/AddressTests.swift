import DBus
import Glibc
import Testing

@Suite("Addresses")
struct AddressTests {
  @Test("the system bus is where the environment says, or at the well-known place")
  func system() async throws {
    let before = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
    defer {
      if let before {
        setenv("DBUS_SYSTEM_BUS_ADDRESS", before, 1)
      } else {
        unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
      }
    }
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/tmp/elsewhere", 1)
    #expect(DBusAddress.system == DBusAddress("unix:path=/tmp/elsewhere"))
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "", 1)
    #expect(DBusAddress.system == DBusAddress("unix:path=/run/dbus/system_bus_socket"))
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
    #expect(DBusAddress.system == DBusAddress("unix:path=/run/dbus/system_bus_socket"))
  }
}
