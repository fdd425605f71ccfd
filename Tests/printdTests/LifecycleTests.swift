import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing
import VirtualPrinter

@testable import printd

@Suite("The daemon starts, reloads and stops as systemd expects", .timeLimit(.minutes(2)))
struct LifecycleTests {
  @Test("READY with the counts, WATCHDOG while all goes on, STOPPING with time for the receipt in hand")
  func notifications() async throws {
    let rig = try await DaemonRig(orders: nil, environment: ["WATCHDOG_USEC": "100000"])
    let ready = try #require(rig.notifications.messages.first { $0.contains("READY=1") })
    #expect(ready.contains("STATUS=0 queued, 0 printed"))
    try await DaemonRig.until { rig.notifications.messages.count { $0.contains("WATCHDOG=1") } >= 3 }
    #expect(rig.notifications.messages.contains { $0.hasPrefix("STATUS=0 queued") })
    #expect(await rig.stop() == .exit(0))
    let stopping = try #require(rig.notifications.messages.first { $0.contains("STOPPING=1") })
    #expect(stopping.contains("EXTEND_TIMEOUT_USEC=25000000"))
  }

  @Test("Without a watchdog, or with one that is for another process, none is fed")
  func noWatchdog() async throws {
    for environment in [[:], ["WATCHDOG_USEC": "10000", "WATCHDOG_PID": "1"]] {
      let rig = try await DaemonRig(orders: nil, environment: environment)
      // The daemon has answered this after it was ready, so a first WATCHDOG would have come.
      #expect(try await rig.ask(.get, "/v1/status").status == 200)
      await rig.stop()
      #expect(!rig.notifications.messages.contains { $0.contains("WATCHDOG") })
    }
  }

  @Test("SIGTERM in mid-receipt finishes the receipt, reports it and answers the wake")
  func terminate() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.printsSlowly() }
    let rig = try await DaemonRig(orders: orders.path, printers: "[\(counter.entry())]")
    try orders.add("one", item: "Oolong")
    try orders.add("two", item: "Sencha")
    async let first = rig.wake("one")
    try await counter.stopsInMidReceipt()
    let second = try await rig.post(Wakes.naming("two"), more: [("Prefer", "respond-async")])
    #expect(second.status == 202)
    rig.daemon.send(SIGTERM)
    #expect(await rig.notifications.heard("STOPPING=1"))
    counter.printer.set { $0.bytesPerSecond = nil }
    #expect(try await first.outcome == "printed")
    #expect(await rig.daemon.end == .exit(0))
    #expect(try rig.reports().map(\.orderID) == ["one"])
    #expect(counter.count(of: "Oolong") == 1)
    // The other one has waited in the journal.
    await rig.stop()
    let next = try await DaemonRig(in: rig.folder, orders: orders.path, printers: "[\(counter.entry())]")
    #expect(try await next.untilPrinted("two"))
    await next.stop()
    #expect(counter.count(of: "Oolong") == 1 && counter.count(of: "Sencha") == 1)
    counter.server.stop()
  }

  @Test("SIGTERM while a printer stands still in mid-page: who waits is answered, and the daemon ends well")
  func terminateStandstill() async throws {
    let counter = try NetworkPrinter { $0.printsSlowly() }
    let rig = try await DaemonRig(orders: nil, printers: "[\(counter.entry())]")
    let path = "/v1/printers/counter/test-print"
    async let first = rig.read(CompletionMessage.self, .post, path)
    try await counter.stopsInMidReceipt()
    async let second = rig.read(CompletionMessage.self, .post, path)
    rig.daemon.send(SIGTERM)
    let (inHand, inLine) = try await (first, second)
    #expect(inLine.outcome == "notPrinted" && inLine.reason == "printd is stopping")
    #expect(inHand.outcome == "unknown" && inHand.reason?.hasSuffix("printd was stopped") == true)
    #expect(await rig.daemon.end == .exit(0))
    await rig.stop()
    counter.server.stop()
  }

  @Test("SIGHUP takes new printers, routes and secrets; the old secret is refused from then on")
  func reload() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let other = "whsec_bmV3LXByaW50ZC1zZWNyZXQtMDEyMzQ1Njc4OWFi"
    try orders.add("one")
    #expect(try await rig.post(Wakes.naming("one"), secret: other).status == 401)
    try rig.folder.write(other, to: "webhook.secret")
    try Files.makeFolder(rig.folder.path("printers.d"))
    try rig.folder.write(
      "{name: 'kitchen', link: 'virtual', profile: 'generic-58', address: 'kitchen'}",
      to: "printers.d/kitchen.json5")
    try rig.edit("routes: [{kind: 'receipt', printer: 'counter'}, {kind: 'kitchen', printer: 'kitchen'}],")
    rig.daemon.send(SIGHUP)
    #expect(await rig.notifications.heard("STATUS=reloaded"))
    #expect(rig.notifications.messages.contains { $0.contains("RELOADING=1") })
    #expect(try await rig.post(Wakes.naming("one")).status == 401)
    let response = try await rig.post(Wakes.naming("one"), secret: other)
    #expect(response.status == 200)
    let completion = try DocumentReader.read(CompletionMessage.self, from: response.body)
    #expect(completion.jobs.map(\.printer).sorted() == ["counter", "kitchen"])
    #expect(completion.result == .newData)
    await rig.stop()
    #expect(Files.names(in: rig.folder.path("kitchen")).contains { $0.hasSuffix(".txt") })
  }

  @Test(
    "SIGHUP with a fault changes nothing: not the printers, not the secrets; and it is said where the fault is"
  )
  func brokenReload() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let other = "whsec_bmV3LXByaW50ZC1zZWNyZXQtMDEyMzQ1Njc4OWFi"
    try rig.folder.write(other, to: "webhook.secret")
    // The path of the folder for paper leads through a file, so the printer cannot be made.
    try rig.folder.write("no folder", to: "blocked")
    try Files.makeFolder(rig.folder.path("printers.d"))
    try rig.folder.write(
      "{name: 'kitchen', link: 'virtual', profile: 'generic-80', address: 'blocked/paper'}",
      to: "printers.d/kitchen.json5")
    rig.daemon.send(SIGHUP)
    #expect(await rig.notifications.heard("STATUS=reload refused"))
    #expect(rig.log.contains("blocked"))
    try rig.folder.write("{\n  name: 'kitchen',\n  lnik: 'virtual'\n}", to: "printers.d/kitchen.json5")
    rig.daemon.send(SIGHUP)
    try await DaemonRig.until { rig.log.contains("printers.d/kitchen.json5:3: lnik: ") }
    unlink(rig.folder.path("printers.d/kitchen.json5"))
    try rig.folder.write("no secret", to: "webhook.secret")
    rig.daemon.send(SIGHUP)
    try await DaemonRig.until { rig.log.contains("webhook.secret: ") }
    try orders.add("one")
    #expect(try await rig.post(Wakes.naming("one"), secret: other).status == 401)
    #expect(try await rig.wake("one").outcome == "printed")
    let status = try await rig.read(StatusMessage.self, .get, "/v1/status")
    #expect(status.printers.map(\.name) == ["counter"])
    await rig.stop()
  }

  @Test("SIGHUP says which changed keys need a restart")
  func restartKeys() async throws {
    let rig = try await DaemonRig(orders: nil)
    try rig.edit("budget: {seconds: 5}, jobs: {expire_minutes: 5},")
    rig.daemon.send(SIGHUP)
    #expect(await rig.notifications.heard("STATUS=reloaded"))
    #expect(rig.log.contains("restart needed keys=budget,jobs"))
    await rig.stop()
  }

  @Test("A second daemon on the same state directory is refused, and the first goes on")
  func secondDaemon() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let second = try await rig.run("run")
    #expect(second.end == .exit(74))
    #expect(second.output.contains("journal.sqlite"), "\(second.output)")
    #expect(second.output.contains("another printd"), "\(second.output)")
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    await rig.stop()
  }

  @Test("A port that is taken is said, and leaves nothing locked")
  func portInUse() async throws {
    let taken = try NetworkPrinter()
    let folder = try TemporaryFolder()
    try folder.write(DaemonRig.secret, to: "webhook.secret")
    func run(_ port: UInt16) async throws -> (end: ChildProcess.End, output: String) {
      let path = try folder.write(
        """
        {
          state_directory: "state", orders: {directory: "orders"},
          printers: [{name: "counter", link: "virtual", profile: "generic-80", address: "paper"}],
          webhook: {listen: "127.0.0.1:\(port)", secret_files: ["webhook.secret"]},
          control: {socket: "\(folder.path("control.sock"))"},
        }
        """, to: "printd.json5")
      let child = try ChildProcess(
        Programs.path("printd"), ["run", "--config", path], output: folder.path("log"))
      return (await child.end, try Fixtures.text(ofFile: folder.path("log")))
    }
    for _ in 0..<2 {
      let (end, output) = try await run(taken.server.port)
      #expect(end == .exit(69), "\(output)")
      #expect(output.contains("127.0.0.1:\(taken.server.port)"), "\(output)")
      #expect(!output.contains("another printd"), "\(output)")
    }
    taken.server.stop()
  }
}

extension DaemonRig {
  /// Adds keys to the configuration file.
  func edit(_ more: String) throws {
    let text = try Fixtures.text(ofFile: folder.path("printd.json5"))
    try folder.write(text.replacing("control: {", with: "\(more) control: {"), to: "printd.json5")
  }
}
