import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing

@testable import printd

@Suite("A running daemon cannot be brought down from outside", .timeLimit(.minutes(3)))
struct HostileTests {
  @Test("An order id can be any text: what names no order is not printed, and no file outside is opened")
  func orderIDs() async throws {
    let rig = try await DaemonRig(orders: nil, hasPendingList: false)
    let ids = [
      "..", ".", "a/b", "../../../etc/passwd", "a%2fb", "%", "%00", "订单", String(repeating: "x", count: 128),
      " ",
      "-1", "--help", "{order_id}", "a?b#c&d=e", ".hidden", "'; drop table jobs;--",
    ]
    for id in ids {
      let completion = try await rig.wake(id)
      #expect(completion.outcome == "notPrinted", "\(id): \(completion)")
      #expect(completion.reason?.isEmpty == false, "\(id)")
      guard !id.hasPrefix("-") else { continue }
      let reprint = try await rig.run("reprint", id)
      #expect(reprint.end == .exit(75), "\(id): \(reprint.output)")
    }
    await rig.stop()
    #expect(try rig.paper().isEmpty)
  }

  @Test("A receipt that cannot be printed is rejected with its place", arguments: Self.badReceipts)
  func receipts(blocks: String, place: String) async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.folder.write(Self.order("bad", blocks), to: "bad.json")
    let completion = try await rig.wake("bad")
    #expect(completion.outcome == "notPrinted", "\(completion)")
    #expect(completion.reason?.contains(place) == true, "\(completion.reason ?? "no reason")")
    await rig.stop()
    #expect(try rig.paper().isEmpty)
  }

  static let badReceipts: [(String, String)] = [
    (Array(repeating: #"{"type":"feed"}"#, count: 5001).joined(separator: ","), "receipt.blocks"),
    (#"{"type":"image","data":"AAAA"}"#, "receipt.blocks[0]"),
    (#"{"type":"image","name":"../../etc/passwd"}"#, "receipt.blocks[0].name"),
    (#"{"type":"feed","lines":1e30}"#, "receipt.blocks[0].lines"),
    (#"{"type":"text","text":"a"},{"type":"text","text":"b","width":9}"#, "receipt.blocks[1].width"),
    (#"{"type":"qr","data":"\#(String(repeating: "x", count: 2953))"}"#, "receipt.blocks[0]"),
    ("null", "receipt.blocks[0]"),
  ]

  @Test("Thousands of cuts, pulses and line feeds are printed, and commands are answered meanwhile")
  func manyBlocks() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let blocks = (0..<1200).map { #"{"type":"text","text":"\#($0)"},{"type":"drawer"},{"type":"cut"}"# }
    try orders.folder.write(Self.order("long", blocks.joined(separator: ",")), to: "long.json")
    async let printed = rig.wake("long")
    for _ in 0..<20 {
      #expect(try await rig.ask(.get, "/v1/status").status == 200)
    }
    #expect(try await printed.outcome == "printed")
    #expect(try await rig.ask(.get, "/v1/status").status == 200)
    await rig.stop()
  }

  @Test("What lies among the printers and is no file is refused, not waited for")
  func pipeAmongPrinters() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      #"{printers: [{name: "a", link: "virtual", profile: "generic-80"}], orders: {directory: "o"}}"#,
      to: "printd.json5")
    mkdir(folder.path("printers.d"), 0o755)
    mkfifo(folder.path("printers.d/pipe.json5"), 0o600)
    let failure = #expect(throws: Failure.self) { try ConfigurationFile.load(path) }
    #expect(failure?.message.contains("pipe.json5: is not a file") == true)
    #expect(throws: Failure.self) { try Files.makeFolder(path) }
  }

  @Test("Thousands of refusals leave a few lines in the log, with the number of the others")
  func flood() {
    var now = BootInstant(nanoseconds: 5_000_000_000)
    let flood = Flood(limit: 3, now: now)
    var written = 0
    for _ in 0..<1000 {
      now = now.advanced(by: .milliseconds(10))
      if flood.admit(at: now).isWritten { written += 1 }
    }
    #expect(written == 3)
    let next = flood.admit(at: now.advanced(by: .seconds(60)))
    #expect(next.isWritten)
    #expect(next.unwritten == 997)
    #expect(flood.admit(at: now.advanced(by: .seconds(61))) == (true, 0))
  }

  @Test("A second daemon on the same state is refused, and the first one goes on")
  func secondDaemon() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    let second = try await rig.run("run")
    #expect(second.end == .exit(74), "\(second.output)")
    #expect(second.output.contains("another printd"), "\(second.output)")
    #expect(try await rig.wake("one").outcome == "printed")
    await rig.stop()
  }

  @Test(
    "A start that fails ends at once and says why",
    arguments: [("/proc/none/c.sock", 73), ("printd.json5", 69)])
  func failedStart(socket: String, code: Int32) async throws {
    let folder = try TemporaryFolder()
    let socket = socket.hasPrefix("/") ? socket : folder.path(socket)
    let path = try folder.write(
      """
      {
        state_directory: "state",
        printers: [{name: "counter", link: "virtual", profile: "generic-80"}],
        orders: {directory: "orders"},
        control: {socket: "\(socket)"},
      }
      """, to: "printd.json5")
    let output = folder.path("printd.log")
    let daemon = try ChildProcess(Programs.path("printd"), ["run", "--config", path], output: output)
    #expect(await daemon.end == .exit(code))
    #expect(try Fixtures.text(ofFile: output).contains(socket.hasPrefix("/proc") ? "/proc/none" : socket))
  }

  @Test("A broken file in printers.d refuses the reload and names itself; nothing else changes")
  func brokenPrinterFile() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    mkdir(rig.folder.path("printers.d"), 0o755)
    try rig.folder.write("{broken", to: "printers.d/kitchen.json5")
    for _ in 0..<50 { rig.daemon.send(SIGHUP) }
    try await DaemonRig.until { rig.log.contains("reload refused") && rig.log.contains("kitchen.json5") }
    #expect(try await rig.wake("one").outcome == "printed")
    await rig.stop()
  }

  @Test("The doctor finds nothing wrong with a daemon that is well, and counts the room on the disk")
  func doctor() async throws {
    let rig = try await DaemonRig(orders: nil, hasPendingList: false)
    mkdir(rig.folder.path("orders"), 0o755)
    let doctor = try await rig.run("doctor")
    #expect(doctor.end == .exit(0), "\(doctor.output)")
    let room = doctor.output.split(separator: "\n").first { $0.contains("state directory") } ?? ""
    let megabytes = room.split(separator: " ").compactMap { Int($0) }.last ?? 0
    #expect(megabytes >= 100, "\(room)")
    await rig.stop()
  }

  @Test(
    "The check of a configuration finds what only the start would have found",
    arguments: [
      (#"time_zone: "Europe/Berln","#, "time_zone"), (#"profiles: "nothere","#, "nothere"),
    ])
  func configuration(line: String, place: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      {
        \(line)
        printers: [{name: "counter", link: "virtual", profile: "generic-80"}],
        orders: {directory: "orders"},
      }
      """, to: "printd.json5")
    let failure = #expect(throws: Failure.self) { try ConfigurationFile.load(path) }
    #expect(failure?.code == .configuration)
    #expect(failure?.message.contains(place) == true, "\(failure?.message ?? "")")
  }

  private static func order(_ id: String, _ blocks: String) -> String {
    #"{"id":"\#(id)","currency":"EUR","items":[],"totals":[],"receipt":{"blocks":[\#(blocks)]}}"#
  }
}
