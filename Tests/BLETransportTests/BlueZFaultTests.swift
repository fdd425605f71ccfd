import DBus
import ESCPOS
import Testing

@testable import BLETransport

@Suite("What BlueZ's errors mean")
struct BlueZFaultTests {
  private static let failed = "org.bluez.Error.Failed"

  @Test(
    "Each error has its reaction",
    arguments: [
      (failed, "le-connection-abort-by-local", .passing, .unreachable),
      (failed, "br-connection-page-timeout", .away, .unreachable),
      (failed, "Host is down", .away, .unreachable),
      (failed, "br-connection-aborted-by-local", .passing, .unreachable),
      (failed, "le-connection-abort-by-remote", .heldElsewhere, .busy),
      (failed, "br-connection-aborted-by-remote", .heldElsewhere, .busy),
      (failed, "le-connection-gatt-browsing", .passing, .unreachable),
      (failed, "br-connection-busy", .inProgress, .busy),
      (failed, "le-connection-refused", .heldElsewhere, .busy),
      (failed, "br-connection-refused", .heldElsewhere, .busy),
      (failed, "Operation already in progress", .inProgress, .busy),
      (failed, "Input/output error", .passing, .unreachable),
      (failed, "le-connection-key-missing", .needsPairing, .refused),
      (failed, "br-connection-adapter-not-powered", .adapterOff, .unreachable),
      (failed, "br-connection-canceled", .passing, .unreachable),
      (failed, "something new", .other, .unreachable),
      (failed, "", .other, .unreachable),
      ("org.bluez.Error.InProgress", "In Progress", .inProgress, .busy),
      ("org.bluez.Error.NotReady", "Resource Not Ready", .adapterOff, .unreachable),
      ("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .needsPairing, .refused),
      ("org.bluez.Error.NotPermitted", "Not paired", .needsPairing, .refused),
      ("org.bluez.Error.DoesNotExist", "Does Not Exist", .vanished, .unreachable),
      ("org.bluez.Error.NotAvailable", "br-connection-page-timeout", .away, .unreachable),
      ("org.freedesktop.DBus.Error.UnknownObject", "no such object", .vanished, .unreachable),
      (
        "org.freedesktop.DBus.Error.UnknownMethod", "Method \"Connect\" doesn't exist", .vanished,
        .unreachable
      ),
      ("org.freedesktop.DBus.Error.ServiceUnknown", "not activatable", .daemonAway, .unreachable),
      ("org.freedesktop.DBus.Error.NoReply", "", .daemonAway, .unreachable),
      ("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message", .forbidden, .refused),
      ("org.bluez.Error.Invented", "", .other, .unreachable),
    ] as [(String, String, BlueZFault, LinkError.Code)])
  func sorted(name: String, message: String, fault: BlueZFault, code: LinkError.Code) throws {
    let error = DBusError(.remote(name), message)
    let address = try #require(BluetoothAddress("00:AA:01:01:00:42"))
    let printer = BluetoothPrinter(name: "kitchen", address: address, bearer: .ble)
    #expect(BlueZFault(error) == fault)
    let linkError = fault.linkError(printer, error)
    #expect(linkError.code == code)
    #expect(!linkError.message.isEmpty)
    if ![.daemonAway, .forbidden].contains(fault) { #expect(linkError.message.contains("kitchen")) }
    if fault == .needsPairing {
      #expect(linkError.message.contains("printd printers pair 00:AA:01:01:00:42"))
    }
  }

  @Test("Failures of this side keep their own kind")
  func ours() throws {
    let address = try #require(BluetoothAddress("00:AA:01:01:00:42"))
    let printer = BluetoothPrinter(name: "kitchen", address: address, bearer: .ble)
    func code(_ code: DBusError.Code) -> LinkError.Code {
      let error = DBusError(code, "words")
      return BlueZFault(error).linkError(printer, error).code
    }
    #expect(code(.deadline) == .deadline)
    #expect(code(.cancelled) == .cancelled)
    #expect(code(.disconnected) == .unreachable)
    #expect(code(.unavailable) == .unreachable)
    #expect(code(.malformed) == .unreachable)
  }

  @Test("A write is provably not made only where somebody says so")
  func refusals() {
    func isRefusal(_ name: String, _ message: String) -> Bool { DBusError(.remote(name), message).isRefusal }
    #expect(isRefusal(Self.failed, "Not connected"))
    #expect(isRefusal(Self.failed, "Operation failed with ATT error: 0x80"))
    #expect(isRefusal("org.bluez.Error.InProgress", "In Progress"))
    #expect(isRefusal("org.bluez.Error.NotPermitted", "Write acquired"))
    #expect(isRefusal("org.freedesktop.DBus.Error.UnknownObject", ""))
    #expect(isRefusal("org.freedesktop.DBus.Error.ServiceUnknown", ""))
    #expect(!isRefusal(Self.failed, "Operation failed"))
    #expect(!isRefusal(Self.failed, "Operation failed with ATT error: 0x0e"))
    #expect(!isRefusal("org.freedesktop.DBus.Error.NoReply", ""))
    #expect(DBusError(.invalid, "").isRefusal)
    for code: DBusError.Code in [.malformed, .disconnected, .deadline, .cancelled] {
      #expect(!DBusError(code, "").isRefusal)
    }
  }
}
