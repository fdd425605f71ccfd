import DBus
import ESCPOS
import Glibc
import PrintTestKit
import Testing

/// The same values through other people's implementations: GLib's gdbus, libdbus's dbus-send.
@Suite("Other implementations")
struct OtherPeersTests {
  private func run(_ program: String, _ arguments: [String], _ folder: TemporaryFolder) async throws -> String
  {
    let output = folder.path("output")
    let child = try ChildProcess(program, arguments, output: output)
    #expect(await child.end == .exit(0))
    return try Fixtures.text(ofFile: output)
  }

  @Test("gdbus gets every type back as it sent it")
  func gdbus() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    let values = [
      "byte 0xff", "true", "int16 -32768", "uint16 65535", "-2147483648", "uint32 4294967295",
      "int64 -9223372036854775808", "uint64 18446744073709551615", "-1.5", "'实收 12,50 €'",
      "objectpath '/a/b'",
      "signature 'a{sv}'", "[byte 0x01, 0x02]", "@ay []", "['a', 'b']", "@as []",
      "{'offset': <uint16 0>}", "@a{sv} {}", "{objectpath '/a': {'i': {'p': <true>}}}",
      "(byte 0x01, ('x', <[1]>))", "<<'deep'>>",
    ]
    for value in values {
      let output = try await run(
        "gdbus",
        [
          "call", "--address", bus.address, "--dest", server.uniqueName, "--object-path", "/test", "--method",
          "test.Echo.Echo", "--", value,
        ], bus.folder)
      // gdbus reads and writes GVariant's text form.
      #expect(output == "(\(value),)\n")
    }
    export.release()
  }

  @Test("gdbus reads what an object says of itself, and dbus-send gets its error")
  func introspected() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let export = try server.export(Agent(), at: "/agent")
    let listing = try await run(
      "gdbus",
      [
        "introspect", "--xml", "--address", bus.address, "--dest", server.uniqueName, "--object-path",
        "/agent",
      ],
      bus.folder)
    #expect(listing.contains(#"<interface name="org.bluez.Agent1">"#))
    #expect(listing.contains(#"<arg type="o" direction="in"/>"#))
    let output = bus.folder.path("error")
    let child = try ChildProcess(
      "dbus-send",
      [
        "--bus=\(bus.address)", "--print-reply", "--dest=\(server.uniqueName)", "/agent",
        "org.bluez.Agent1.RequestPinCode", "objpath:/org/bluez/hci0/dev_1",
      ], output: output)
    #expect(await child.end == .exit(1))
    #expect(try Fixtures.text(ofFile: output).contains("org.bluez.Error.Rejected: not yours"))
    export.release()
  }

  private struct Agent: DBusObject {
    let interfaces = [DBusInterface("org.bluez.Agent1", [.init("RequestPinCode", takes: "o", gives: "s")])]

    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      throw DBusError(.remote("org.bluez.Error.Rejected"), "not yours")
    }
  }

  @Test("the bus itself answers in the types that its interface has")
  func busItself() async throws {
    let bus = try await PrivateBus()
    let client = try await bus.connect()
    let names = try #require(try await client.call(.bus("ListNames"), by: soon).first?.strings)
    #expect(Set(names) == ["org.freedesktop.DBus", client.uniqueName])
    let credentials = try await client.call(
      .bus("GetConnectionCredentials", .string(client.uniqueName)), by: soon)
    let table = try #require(credentials.first?.variantDictionary)
    #expect(table["ProcessID"]?.uint32 == UInt32(getpid()))
    #expect(table["UnixUserID"]?.uint32 == getuid())
  }
}
