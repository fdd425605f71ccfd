import DBus
import Documents
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import printd

@Suite("printd printers scan, pair, forget", .timeLimit(.minutes(3)))
struct PrintersCommandTests {
  /// A machine: a bus with a bluetoothd of ours, and a folder with a configuration.
  struct Machine {
    let fake: FakeBlueZ
    let folder: TemporaryFolder
    let config: String

    /// - Parameters:
    ///   - bus: More elements for the bus's configuration.
    ///   - more: More of printd's own.
    init(printers: String = "", bus: String = "", more: String = "") async throws {
      fake = try await FakeBlueZ(bus: bus)
      folder = try TemporaryFolder()
      config = try folder.write(
        """
        {\(more) printers: [\(printers)], orders: {directory: "orders"}, control: {socket: "\(folder.path("control.sock"))"}}
        """, to: "printd.json5")
    }

    /// Runs `printd printers …` on that bus.
    func run(_ words: String...) async throws -> (code: Int32?, output: String) { try await run(words) }

    /// Runs `printd printers …` on that bus.
    func run(_ words: [String]) async throws -> (code: Int32?, output: String) {
      try await start(["printers"] + words).end
    }

    /// Starts a command of `printd` on that bus.
    func start(_ words: [String]) throws -> Running {
      let output = folder.path("output-\(UInt32.random(in: 0 ... .max))")
      let child = try ChildProcess(
        Programs.path("printd"), words + ["--config", config],
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text], output: output)
      return Running(child: child, output: output)
    }

    /// The entries that were written.
    func entries() throws -> [Configuration.Printer] {
      try Files.names(in: folder.path("printers.d")).map { name in
        let text = try Fixtures.text(ofFile: folder.path("printers.d/\(name)"))
        return try DocumentReader.read(Configuration.Printer.self, from: Array(text.utf8), json5: true)
      }
    }
  }

  /// A command that was started.
  struct Running {
    let child: ChildProcess
    let output: String

    /// Its code, nil for one that a signal has ended, and all that it has said.
    var end: (code: Int32?, output: String) {
      get async throws {
        let end = await child.end
        guard case .exit(let code) = end else { return (nil, "\(end)") }
        return (code, try Fixtures.text(ofFile: output))
      }
    }
  }

  static let address = "00:AA:01:01:00:42"
  static let printService = DBusValue.strings([FakeService.uuid("18f0")])

  /// A BLE printer that answers real-time status, and the paper behind it.
  static func addPrinter(
    to machine: Machine, name: String = "MPT-II", pairing: FakeDevice.Pairing = .justWorks
  ) -> (device: FakeDevice, paper: FakePrinter) {
    let paper = FakePrinter(clock: BootClock())
    let device = machine.fake.addAdapter().addDevice(
      address, name: name, properties: ["UUIDs": printService], services: [.access, .print], printer: paper)
    device.script { $0.pairing = pairing }
    return (device, paper)
  }

  @Test("What a profile says of writing holds while its printer is paired, too", arguments: [true, false])
  func profilesWrites(isKnown: Bool) async throws {
    let folder = try TemporaryFolder()
    var profile = try PrinterEntryTests.profile("generic-58")
    profile.name = "slow-58"
    profile.writeMode = .request
    profile.chunk = 33
    let text = String(decoding: try JSON.bytes(profile), as: UTF8.self)
    try folder.write(#"{"profiles": [\#(text)]}"#, to: "slow-58.json")
    let entry = #"{name: "belt", link: "ble", address: "\#(Self.address)", profile: "slow-58"}"#
    let machine = try await Machine(
      printers: isKnown ? entry : "", more: #"profiles: "\#(folder.path)","#)
    let (_, paper) = Self.addPrinter(to: machine)
    let words = ["pair", Self.address, "--yes"] + (isKnown ? [] : ["--profile", "slow-58"])
    let (code, output) = try await machine.run(words)
    #expect(code == 0, "\(output)")
    let writes = machine.fake.calls(of: "WriteValue")
    #expect(writes.allSatisfy { $0.arguments.last?.variantDictionary?["type"]?.string == "request" })
    #expect(writes.compactMap { $0.arguments.first?.bytes?.count }.max() == 33)
    #expect(paper.printed.count > 1_000, "the test page is among them")
  }

  @Test("What stands against a scan is said, with the remedy")
  func noBluetooth() async throws {
    let machine = try await Machine()
    let none = try await machine.run("scan", "--seconds", "1")
    #expect(none.code == ExitCode.unavailable.rawValue, "\(none.output)")
    #expect(none.output.contains("no Bluetooth adapter"), "\(none.output)")
    machine.fake.addAdapter(powered: false)
    let off = try await machine.run("scan", "--seconds", "1")
    #expect(off.code == ExitCode.unavailable.rawValue, "\(off.output)")
    #expect(
      off.output.contains("adapter is") && off.output.contains("rfkill") || off.output.contains("power on"))
    await machine.fake.leave()
    let away = try await machine.run("scan", "--seconds", "1")
    #expect(away.code == ExitCode.unavailable.rawValue)
    #expect(away.output.contains("bluetoothd is not running; start it"), "\(away.output)")
    await machine.fake.bus.kill()
    let noBus = try await machine.run("scan", "--seconds", "1")
    #expect(noBus.code == ExitCode.unavailable.rawValue)
    #expect(noBus.output.contains("message bus cannot be reached"), "\(noBus.output)")
    #expect(noBus.output.contains("try: printd printers doctor"))
  }

  @Test("A scan shows printers, and for scripts a list; nothing found is a failure")
  func scan() async throws {
    let machine = try await Machine(
      printers: #"{name: "belt", link: "ble", address: "\#(Self.address)", profile: "generic-58"}"#)
    let adapter = machine.fake.addAdapter()
    let empty = try await machine.run("scan", "--seconds", "1")
    #expect(empty.code == ExitCode.unavailable.rawValue)
    #expect(empty.output.contains("no printer has shown itself"))
    adapter.addDevice(
      Self.address, name: "MPT-II\u{1B}[2J", properties: ["UUIDs": Self.printService, "RSSI": .int16(-51)])
    adapter.addDevice("00:AA:01:02:00:42", name: "GB02", properties: ["RSSI": .int16(-70)])
    let found = try await machine.run("scan", "--seconds", "1")
    #expect(found.code == 0, "\(found.output)")
    #expect(found.output.contains("configured as belt"), "\(found.output)")
    #expect(found.output.contains("00:AA:01:02:00:42 is not taken: a cat printer"), "\(found.output)")
    #expect(!found.output.contains("\u{1B}"))
    let list = try await machine.run("scan", "--seconds", "1", "--json")
    let rows = try DocumentReader.read([Row].self, from: Array(list.output.utf8))
    #expect(rows.map(\.address) == [Self.address, "00:AA:01:02:00:42"])
    #expect(rows.map(\.verdict) == ["printer", "refused"])
    #expect(
      rows.first?.configured == "belt" && rows.first?.rssi != nil
        && rows.first?.why == ["service 18f0", "name"])
  }

  private struct Row: Decodable {
    var address: String
    var verdict: String
    var rssi: Int?
    var configured: String?
    var why: [String]
  }

  @Test("From a printer that nobody knows to a test page, with one command; and back")
  func pair() async throws {
    let machine = try await Machine()
    let (device, paper) = Self.addPrinter(to: machine)
    let (code, output) = try await machine.run("pair", Self.address, "--yes")
    #expect(code == 0, "\(output)")
    let entry = try #require(try machine.entries().first)
    #expect(entry.name == "mpt-ii" && entry.link == .ble && entry.address == Self.address)
    #expect(entry.profile == "generic-58")
    #expect(entry.overrides?.status == true && entry.overrides?.fence == .paperStatus)
    // It proves its prints, so the test page has shown its rate.
    #expect(entry.overrides?.bytesPerSecond != nil)
    #expect(paper.printed.count > 1000, "the test page")
    #expect(device.value("Paired")?.boolean == false, "it did not ask for a pairing")
    // Again: the entry stays as it is.
    let text = try Fixtures.text(ofFile: machine.folder.path("printers.d/mpt-ii.json5"))
    let again = try await machine.run("pair", Self.address, "--yes", "--no-test")
    #expect(again.code == 0 && again.output.contains("its entry stays"), "\(again.output)")
    #expect(try Fixtures.text(ofFile: machine.folder.path("printers.d/mpt-ii.json5")) == text)
    let other = try await machine.run("pair", Self.address, "--yes", "--name", "other")
    #expect(other.code == ExitCode.configuration.rawValue)
    #expect(other.output.contains("configured already, as mpt-ii"), "\(other.output)")
    let forgotten = try await machine.run("forget", "mpt-ii")
    #expect(forgotten.code == 0, "\(forgotten.output)")
    #expect(try machine.entries().isEmpty)
    #expect(!machine.fake.has(device.path))
  }

  @Test("A printer that takes nothing unpaired is paired, and printed on")
  func pairsWhenRefused() async throws {
    let machine = try await Machine()
    let (device, paper) = Self.addPrinter(to: machine)
    let write = try #require(device.characteristics.first { $0.uuid == FakeService.uuid("2af1") })
    write.script { script in
      script.writing = { _, _ in
        device.value("Paired")?.boolean == true
          ? .accepts
          : .fails(DBusError(.remote("org.bluez.Error.NotAuthorized"), "Insufficient Authentication"))
      }
    }
    let (code, output) = try await machine.run("pair", Self.address, "--yes")
    #expect(code == 0, "\(output)")
    #expect(device.value("Paired")?.boolean == true && device.value("Trusted")?.boolean == true)
    #expect(paper.printed.count > 1000)
    #expect(try machine.entries().map(\.name) == ["mpt-ii"])
  }

  @Test("What goes wrong is said with its remedy, and leaves no entry")
  func failures() async throws {
    let machine = try await Machine(
      printers: #"{name: "counter", link: "tcp", address: "10.0.0.1", profile: "generic-80"}"#)
    let adapter = machine.fake.addAdapter()
    adapter.addDevice(
      "00:AA:01:02:00:42", name: "GB02", properties: ["UUIDs": .strings([FakeService.uuid("ae30")])])
    adapter.addDevice(
      "00:AA:01:03:00:42", name: "Thermometer", properties: ["UUIDs": .strings([FakeService.uuid("181a")])])
    let pin = adapter.addDevice(
      "00:AA:01:04:00:42", name: "POS-5890",
      properties: ["Class": .uint32(0x040680), "UUIDs": .strings([FakeService.uuid("1101")])])
    pin.script { $0.pairing = .pin("4711") }
    let empty = try machine.folder.write("", to: "empty.pin")
    let cases: [(code: ExitCode, words: [String], says: String)] = [
      (.usage, ["pair"], "ADDRESS is missing"),
      (.usage, ["pair", "counter"], "counter is no Bluetooth address"),
      (.usage, ["pair", Self.address], "--yes takes the best guess"),
      (.usage, ["pair", Self.address, "--yes", "--pin", "0000"], "--pin-file FILE"),
      (.usage, ["pair", Self.address, "--yes", "--link", "tcp"], "--link must be ble or rfcomm"),
      (.usage, ["pair", Self.address, "--yes", "--name", "a/b"], "without spaces and slashes"),
      (.usage, ["scan", "--seconds", "0"], "from 1 to 300"),
      (.usage, ["scna"], "is none of list, scan"),
      (
        .configuration, ["pair", Self.address, "--yes", "--name", "counter"],
        #"there is a printer "counter" already"#
      ),
      (.configuration, ["pair", Self.address, "--yes", "--profile", "generic-85"], "--profile generic-8"),
      (
        .noInput, ["pair", Self.address, "--yes", "--pin-file", machine.folder.path("none")],
        "none: no such file"
      ),
      (
        .badInput, ["pair", Self.address, "--yes", "--pin-file", empty],
        "must hold a PIN of 1 to 16 characters"
      ),
      (.unavailable, ["pair", "00:AA:01:02:00:42", "--yes"], "a cat printer"),
      (.unavailable, ["pair", "00:AA:01:03:00:42", "--yes"], "--force"),
      (.noPermission, ["pair", "00:AA:01:04:00:42", "--yes"], "another PIN than 0000, 1234, 1111, 8888"),
      (.configuration, ["forget", "conter"], "--printer counter"),
      (.noInput, ["forget", "counter"], "by hand"),
      (.noInput, ["forget", "00:AA:01:09:00:42"], "neither configured nor known"),
    ]
    for (code, words, says) in cases {
      let (end, text) = try await machine.run(words)
      #expect(end == code.rawValue, "\(words): \(text)")
      #expect(text.contains(says), "\(words): \(text)")
    }
    #expect(try machine.entries().isEmpty)
    #expect(pin.value("Paired")?.boolean == false)
  }
}
