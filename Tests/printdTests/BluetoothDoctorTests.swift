import BLETransport
import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import printd

@Suite("printd printers doctor", .timeLimit(.minutes(3)))
struct BluetoothDoctorTests {
  private typealias Machine = PrintersCommandTests.Machine
  private static let address = PrintersCommandTests.address
  private static let belt =
    #"{name: "belt", link: "ble", address: "\#(address)", profile: "generic-58"}"#

  @Test("The doctor says what is wrong, from the ground up")
  func doctor() async throws {
    let machine = try await Machine(
      printers:
        #"{name: "belt", link: "ble", address: "\#(Self.address)", profile: "generic-58"}, {name: "desk", link: "rfcomm", address: "00:AA:01:02:00:42", profile: "generic-80"}"#
    )
    let none = try await machine.run("doctor", "belt")
    #expect(none.code == ExitCode.unavailable.rawValue)
    #expect(none.output.contains("wrong    bluetooth adapter: there is none"), "\(none.output)")
    let (device, _) = PrintersCommandTests.addPrinter(to: machine)
    let good = try await machine.run("doctor", "belt")
    #expect(good.code == 0, "\(good.output)")
    #expect(good.output.contains("ok       bluetooth adapter: hci0 00:AA:01:00:00:00, on"), "\(good.output)")
    #expect(good.output.contains("ok       bluetooth belt: not paired"), "\(good.output)")
    #expect(good.output.contains("ok       printer belt: "), "\(good.output)")
    machine.fake.take(profile: FakeService.uuid("1101"))
    let desk = try await machine.run("doctor", "desk")
    #expect(desk.output.contains("serial port: another process has it"), "\(desk.output)")
    #expect(desk.output.contains("warning  bluetooth desk: bluetoothd does not know it"), "\(desk.output)")
    #expect(desk.output.contains("try: printd printers pair 00:AA:01:02:00:42"))
    device.set(["Blocked": .boolean(true)])
    let blocked = try await machine.run("doctor", "belt")
    #expect(blocked.output.contains("bluetoothctl unblock"), "\(blocked.output)")
    await machine.fake.leave()
    let away = try await machine.run("doctor", "belt")
    #expect(away.code == ExitCode.unavailable.rawValue)
    #expect(away.output.contains("wrong    bluetoothd: "), "\(away.output)")
  }

  @Test(
    "A printer whose services in bluetoothd's memory are of another firmware is found out, connected or not")
  func staleCache() async throws {
    let machine = try await Machine(printers: Self.belt)
    let device = machine.fake.addAdapter().addDevice(
      Self.address, name: "MPT-II", properties: ["UUIDs": PrintersCommandTests.printService],
      services: [.access])
    let cache = "/var/lib/bluetooth/00:AA:01:00:00:00/cache/\(Self.address)"
    // bluetoothd learns the services with the attempt, and remembers them.
    for isRemembered in [false, true] {
      let (code, output) = try await machine.run("doctor", "belt")
      #expect(code == ExitCode.unavailable.rawValue)
      let row =
        isRemembered
        ? "wrong    bluetooth belt: its services in bluetoothd's memory" : "ok       bluetooth belt:"
      #expect(output.contains(row), "\(output)")
      #expect(
        output.contains("wrong    printer belt: belt (\(Self.address)) has no service that is known"),
        "\(output)")
      #expect(output.contains("try: if it has printed before: printd printers forget"), "\(output)")
      #expect(output.contains(cache), "\(output)")
      #expect(!device.isConnected)
    }
    device.connect()
    let (code, output) = try await machine.run("doctor", "belt")
    #expect(code == ExitCode.unavailable.rawValue)
    #expect(output.contains("wrong    bluetooth belt: its services in bluetoothd's memory"), "\(output)")
  }

  @Test("Services that bluetoothd remembers and that can be printed to are in order, connected or not")
  func freshCache() async throws {
    let machine = try await Machine(printers: Self.belt)
    let (device, _) = PrintersCommandTests.addPrinter(to: machine)
    device.showServices()
    let (code, output) = try await machine.run("doctor", "belt")
    #expect(code == 0, "\(output)")
    #expect(output.contains("ok       bluetooth belt: not paired"), "\(output)")
  }

  @Test("A bus that does not let this user in is told from one without bluetoothd")
  func forbidden() async throws {
    let deny = #"<policy context="default"><deny send_destination="org.bluez"/></policy>"#
    let machine = try await Machine(printers: Self.belt, bus: deny)
    let (code, output) = try await machine.run("doctor", "belt")
    #expect(code == ExitCode.unavailable.rawValue)
    #expect(output.contains("wrong    bluetoothd: does not let this user in"), "\(output)")
    #expect(output.contains("try: adduser NAME bluetooth"), "\(output)")
  }

  @Test("A printer that another host holds is told from one that is off")
  func heldElsewhere() async throws {
    let machine = try await Machine(printers: Self.belt)
    let (device, _) = PrintersCommandTests.addPrinter(to: machine)
    let words: [(DBusError, String)] = [
      (.bluez("Failed", "le-connection-abort-by-remote"), "hangs up: another host (a phone?) is using it"),
      (.bluez("ConnectionAttemptFailed", "Page Timeout"), "does not answer: it is off, out of range or used"),
    ]
    for (failure, says) in words {
      device.script { $0.connecting = [.fails(failure)] }
      let (code, output) = try await machine.run("doctor", "belt")
      #expect(code == ExitCode.unavailable.rawValue)
      #expect(output.contains("wrong    printer belt: belt (\(Self.address)) \(says)"), "\(output)")
      #expect(output.contains("does no phone hold it"), "\(output)")
    }
  }

  @Test(
    "An adapter that the kernel keeps off is told from one that nobody has switched on",
    arguments: [
      (["bluetooth 0 1", "wlan 0 0"], "off by the machine's radio switch", "rfkill list"),
      (["bluetooth 1 0"], "blocked", "rfkill unblock bluetooth"),
      (["bluetooth 1 0", "bluetooth 0 1"], "off by the machine's radio switch", "rfkill list"),
      (["wlan 1 1", "bluetooth 0 0"], "off", "bluetoothctl power on"), ([], "off", "bluetoothctl power on"),
    ] as [([String], String, String)])
  func radio(switches: [String], says: String, remedy: String) async throws {
    let folder = try TemporaryFolder()
    for (number, line) in switches.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      try Files.makeFolder(folder.path("rfkill\(number)"))
      for (name, word) in zip(["type", "soft", "hard"], words) {
        try folder.write("\(word)\n", to: "rfkill\(number)/\(name)")
      }
    }
    let fake = try await FakeBlueZ()
    fake.addAdapter(powered: false)
    // Time stands still: on a machine with much to do a new bus takes longer than anybody who prints would wait.
    let clock = ManualClock()
    let bluez = BlueZ(address: fake.address, clock: clock)
    try await bluez.ready(by: clock.now.advanced(by: .seconds(1)))
    let findings = BluetoothCheck.adapters(
      await bluez.tree, isNeeded: true, radio: RFKill.bluetooth(folder.path("")))
    let finding = try #require(findings.first)
    #expect(finding.verdict == .bad && findings.count == 1)
    #expect(finding.message == "hci0 00:AA:01:00:00:00, \(says)")
    #expect(finding.remedy?.contains(remedy) == true)
    await bluez.stop(by: clock.now)
  }

  @Test("Before the first printer the doctor looks at Bluetooth all the same")
  func doctorBefore() async throws {
    let machine = try await Machine()
    let (code, output) = try await machine.run("doctor")
    #expect(code == ExitCode.unavailable.rawValue)
    #expect(output.contains("bluetooth adapter: there is none"), "\(output)")
  }
}
