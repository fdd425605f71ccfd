import Curl
import DBus
import Documents
import ESCPOS
import FakeBlueZ
import Glibc
import PrintJobs
import PrintTestKit
import Testing

@testable import printd

@Suite("printd printers pair and forget beside a daemon that prints", .timeLimit(.minutes(3)))
struct BesideDaemonTests {
  /// A machine with a bluetoothd of ours, a BLE printer that is configured and bonded, and a daemon.
  struct Machine {
    static let address = "00:AA:01:05:00:42"

    let fake: FakeBlueZ
    let device: FakeDevice
    let paper: FakePrinter
    let orders: Orders
    let rig: DaemonRig

    init(routes: String = "", budget: String = DaemonRig.quick) async throws {
      fake = try await FakeBlueZ()
      paper = FakePrinter(clock: BootClock())
      device = fake.addAdapter().addDevice(
        Self.address, name: "MPT-II",
        properties: ["UUIDs": .strings([FakeService.uuid("18f0")])], services: [.access, .print],
        printer: paper)
      device.set(["Paired": .boolean(true), "Bonded": .boolean(true)])
      orders = try Orders()
      let folder = try TemporaryFolder()
      mkdir(folder.path("printers.d"), 0o755)
      try folder.write(
        #"{name: "belt", link: "ble", address: "\#(Self.address)", profile: "generic-58", overrides: {fence: "paperStatus", status: true}}"#,
        to: "printers.d/belt.json5")
      rig = try await DaemonRig(
        in: folder, orders: orders.path, printers: "[]", more: budget + routes,
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text])
    }

    /// Runs `printd printers …` beside the daemon.
    func run(_ words: String...) async throws -> (code: Int32?, output: String) {
      try await start(words).end
    }

    /// Starts `printd printers …` beside the daemon.
    func start(_ words: [String]) throws -> PrintersCommandTests.Running {
      let output = rig.folder.path("output-\(UInt32.random(in: 0 ... .max))")
      let child = try ChildProcess(
        Programs.path("printd"), ["printers"] + words + ["--config", rig.folder.path("printd.json5")],
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text], output: output)
      return PrintersCommandTests.Running(child: child, output: output)
    }

    /// How often a word is on paper.
    func count(of word: String) -> Int {
      String(decoding: paper.printed, as: UTF8.self).split(separator: word, omittingEmptySubsequences: false)
        .count
        - 1
    }

    /// The printer loses its bond, with a job of the daemon's waiting for it.
    func forgetBond(_ order: String, item: String) async throws {
      device.script { $0.hasForgottenBond = true }
      device.drop()
      try orders.add(order, item: item)
      #expect(try await rig.wake(order).outcome == "queued")
    }
  }

  @Test("A bond that the printer has forgotten is mended by pair alone, and what waits prints, once")
  func lostBond() async throws {
    let machine = try await Machine()
    try machine.orders.add("one", item: "Oolong")
    #expect(try await machine.rig.wake("one").outcome == "printed")
    try await machine.forgetBond("two", item: "Sencha")
    let before = machine.fake.calls.count
    async let pairing = machine.run("pair", Machine.address, "--yes", "--no-test")
    await machine.fake.called("RemoveDevice")
    machine.device.appear()
    let (code, output) = try await pairing
    #expect(code == 0, "\(output)")
    #expect(output.contains("removed a pairing that the printer has forgotten"), "\(output)")
    #expect(try await machine.rig.untilPrinted("two"))
    #expect(machine.count(of: "Sencha") == 1 && machine.count(of: "Oolong") == 1)
    #expect(machine.device.value("Trusted")?.boolean == true)
    // The daemon has kept off as long as the command was at work.
    let calls = machine.fake.calls[before...]
    let command = try #require(calls.first { $0.member == "RegisterAgent" }?.sender)
    let first = try #require(calls.firstIndex { $0.sender == command && $0.member == "Connect" })
    let last = try #require(calls.lastIndex { $0.sender == command })
    let others = calls[first...last].filter { $0.sender != command && $0.path.hasPrefix(machine.device.path) }
    #expect(others.map(\.member).isEmpty, "\(others)")
    await machine.rig.stop()
  }

  @Test("A bonded printer that is off keeps its bond")
  func off() async throws {
    let machine = try await Machine()
    machine.device.script { $0.connecting = [.fails(.abortedByLocal)] }
    machine.device.set(["RSSI": nil])
    let (code, output) = try await machine.run("pair", Machine.address, "--yes", "--no-test")
    #expect(code == ExitCode.unavailable.rawValue, "\(output)")
    #expect(machine.fake.calls(of: "RemoveDevice").isEmpty)
    #expect(machine.device.value("Paired")?.boolean == true)
    await machine.rig.stop()
  }

  @Test(
    "--no-test prints no page, whether the printer is configured already or not", arguments: [true, false])
  func noTest(known: Bool) async throws {
    let machine = try await Machine()
    if !known { #expect(unlink(machine.rig.folder.path("printers.d/belt.json5")) == 0) }
    let (code, output) = try await machine.run("pair", Machine.address, "--yes", "--no-test")
    #expect(code == 0, "\(output)")
    #expect(!output.contains("test page"), "\(output)")
    // Questions, and no line of text.
    #expect(machine.paper.printed.count > 0 && !machine.paper.printed.contains(0x0A))
    await machine.rig.stop()
  }

  @Test("A borrower that was killed has the printer for the time of its loan alone")
  func killedBorrower() async throws {
    // The wake is answered while the loan lasts.
    let machine = try await Machine(budget: "budget: {seconds: 2, grace_ms: 200, report_reserve_ms: 300},")
    let path = "/v1/bluetooth/\(Machine.address)/loan"
    let wish = #"{"seconds":6,"token":"a"}"#
    #expect(try await machine.rig.read(LoanMessage.self, .post, path, wish).seconds == 6)
    try machine.orders.add("one", item: "Oolong")
    let completion = try await machine.rig.wake("one")
    #expect(
      completion.outcome == "queued" && completion.jobs.first?.reason?.contains("is being set up") == true)
    #expect(machine.fake.calls(of: "Connect").isEmpty)
    #expect(try await machine.rig.untilPrinted("one"))
    #expect(machine.count(of: "Oolong") == 1)
    await machine.rig.stop()
  }

  @Test(
    "What is asked of a loan is checked; it is never for longer than a minute, and ends when it is given back"
  )
  func loanRequests() async throws {
    let machine = try await Machine()
    let path = "/v1/bluetooth/\(Machine.address)/loan"
    let long = #"{"seconds":86400,"token":"a-1"}"#
    #expect(try await machine.rig.read(LoanMessage.self, .post, path, long).seconds == 60)
    #expect(try await machine.rig.ask(.post, path, #"{"seconds":"30","token":"a"}"#).status == 400)
    #expect(try await machine.rig.ask(.post, path).status == 400)
    for wish in [
      #"{"seconds":30}"#, #"{"seconds":30,"token":""}"#, #"{"seconds":30,"token":"a b"}"#,
      #"{"seconds":30,"token":"\#(String(repeating: "a", count: 65))"}"#,
    ] {
      let refused = try await machine.rig.ask(.post, path, wish)
      #expect(refused.status == 400)
      #expect(String(decoding: refused.body, as: UTF8.self).contains("1 to 64 letters, digits and hyphens"))
    }
    let belt = "/v1/bluetooth/belt/loan"
    #expect(try await machine.rig.ask(.post, belt, #"{"seconds":30,"token":"b"}"#).status == 404)
    let other = "/v1/bluetooth/00:AA:01:09:00:42/loan"
    let wish = #"{"seconds":30,"token":"c"}"#
    #expect(try await machine.rig.read(LoanMessage.self, .post, other, wish).seconds == 30)
    #expect(try await machine.rig.ask(.delete, path).status == 400)
    #expect(try await machine.rig.read(LoanMessage.self, .delete, path + "?token=a-1").seconds == 0)
    #expect(try await machine.rig.ask(.post, path, long).status == 409, "it was given back")
    try machine.orders.add("one", item: "Oolong")
    #expect(try await machine.rig.wake("one").outcome == "printed")
    await machine.rig.stop()
  }

  @Test(
    "What is under way of a loan that is given back does not make it again: a renewal, and a wish that waits for the end of a connection",
    arguments: ["a", "b"])
  func lateRequest(_ token: String) async throws {
    let machine = try await Machine()
    let path = "/v1/bluetooth/\(Machine.address)/loan"
    try machine.orders.add("one", item: "Oolong")
    #expect(try await machine.rig.wake("one").outcome == "printed")
    #expect(try await machine.rig.ask(.post, path, #"{"seconds":30,"token":"a"}"#).status == 200)
    // The borrower's own connection: a renewal must not wait for its end, and any other wish does.
    machine.device.connect()
    async let late = machine.rig.ask(.post, path, #"{"seconds":30,"token":"\#(token)"}"#)
    for token in ["a", token] {
      #expect(try await machine.rig.ask(.delete, path + "?token=\(token)").status == 200)
    }
    try machine.orders.add("two", item: "Sencha")
    #expect(try await machine.rig.wake("two").outcome == "printed")
    _ = try await late
    try machine.orders.add("three", item: "Assam")
    #expect(try await machine.rig.wake("three").outcome == "printed")
    await machine.rig.stop()
  }

  @Test("Two who have borrowed a printer do not end each other's loan")
  func twoBorrowers() async throws {
    let machine = try await Machine()
    let path = "/v1/bluetooth/\(Machine.address)/loan"
    for token in ["a", "b"] {
      #expect(try await machine.rig.ask(.post, path, #"{"seconds":60,"token":"\#(token)"}"#).status == 200)
    }
    #expect(try await machine.rig.ask(.delete, path + "?token=a").status == 200)
    try machine.orders.add("one", item: "Oolong")
    #expect(try await machine.rig.wake("one").outcome == "queued")
    #expect(machine.fake.calls(of: "Connect").isEmpty)
    #expect(try await machine.rig.ask(.delete, path + "?token=b").status == 200)
    #expect(try await machine.rig.untilPrinted("one"))
    await machine.rig.stop()
  }

  @Test(
    "A forgotten printer is left alone at once; its job says why it waits, and is printed when the printer is back"
  )
  func forget() async throws {
    let machine = try await Machine()
    try await machine.forgetBond("one", item: "Oolong")
    let entry = try Fixtures.text(ofFile: machine.rig.folder.path("printers.d/belt.json5"))
    let (code, output) = try await machine.run("forget", "belt")
    #expect(code == 0, "\(output)")
    #expect(output.contains("the daemon has forgotten it, too") && !output.contains("warning"), "\(output)")
    let connects = machine.fake.calls(of: "Connect").count
    let status = try await machine.rig.read(StatusMessage.self, .get, "/v1/status")
    #expect(status.printers.map(\.name) == ["belt"])
    #expect(status.printers.first?.obstacle == #"printer "belt" is not in the configuration"#)
    let job = try #require(try await machine.rig.jobs(of: "one").first)
    #expect(!job.state.isFinal)
    // Neither a wake nor the printer that shows itself makes the daemon connect.
    machine.device.script { $0.hasForgottenBond = false }
    machine.device.appear()
    try machine.orders.add("two", item: "Sencha")
    let completion = try await machine.rig.wake("two")
    #expect(completion.outcome == "notPrinted" || completion.outcome == "failed", "\(completion)")
    #expect(machine.fake.calls(of: "Connect").count == connects)
    // The configuration names no printer, and is one that the daemon starts with.
    #expect(await machine.rig.stop() == .exit(0))
    let next = try await DaemonRig(
      in: machine.rig.folder, orders: machine.orders.path, printers: "[]", hasPendingList: false,
      more: DaemonRig.quick, environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.fake.address.text])
    #expect(next.log.contains("no printer is configured"))
    try machine.rig.folder.write(entry, to: "printers.d/belt.json5")
    #expect(try await next.ask(.post, "/v1/reload").status == 200)
    #expect(try await next.untilPrinted("one"))
    #expect(machine.count(of: "Oolong") == 1)
    await next.stop()
  }

  @Test("A printer that a route names is not forgotten before the route is changed")
  func routed() async throws {
    let machine = try await Machine(routes: #"routes: [{kind: "receipt", printer: "belt"}],"#)
    let (code, output) = try await machine.run("forget", "belt")
    #expect(code == ExitCode.configuration.rawValue, "\(output)")
    #expect(output.contains(#"routes[0] sends documents of the kind "receipt" to belt"#), "\(output)")
    #expect(access(machine.rig.folder.path("printers.d/belt.json5"), F_OK) == 0)
    #expect(machine.device.value("Paired")?.boolean == true)
    try machine.orders.add("one", item: "Oolong")
    #expect(try await machine.rig.wake("one").outcome == "printed")
    await machine.rig.stop()
  }
}
