import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing
import VirtualPrinter
import WakeChannels

@testable import printd

@Suite("The control socket settles, repeats and shows", .timeLimit(.minutes(2)))
struct ControlTests {
  @Test("The socket can be used by its owner and group alone")
  func socketMode() async throws {
    let rig = try await DaemonRig(orders: nil)
    var status = stat()
    #expect(stat(rig.folder.path("control.sock"), &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o660)
    #expect(status.st_mode & S_IFMT == S_IFSOCK)
    await rig.stop()
    #expect(stat(rig.folder.path("control.sock"), &status) != 0, "the socket goes with the daemon")
  }

  @Test("An unknown print is settled by a person as printed, printed again or discarded")
  func resolve() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter()
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]")
    var ids: [Int64] = []
    for order in ["seen", "lost", "stale"] {
      counter.printer.set { $0.linkLostAfter = 150 }
      try orders.add(order, item: "For \(order)")
      #expect(try await rig.wake(order).outcome == "unknown")
      ids.append(try #require(try await rig.jobs(of: order).first?.id))
    }
    counter.printer.set { $0.linkLostAfter = nil }
    let listed = try await rig.read(JobsMessage.self, .get, "/v1/jobs").jobs
    #expect(listed.map(\.id) == ids)

    #expect(try await rig.run("jobs", "resolve", "\(ids[0])", "printed").end == .exit(0))
    let seen = try #require(try await rig.jobs(of: "seen").first)
    #expect(seen.state == .printed && seen.confirmation == .person)

    let again = try await rig.run("jobs", "resolve", "\(ids[1])", "reprint")
    #expect(again.end == .exit(0), "\(again.output)")
    #expect(try await rig.jobs(of: "lost").map(\.state) == [.cancelled, .printed])
    #expect(counter.count(of: "COPY 2 / 补打 2") == 2)

    #expect(try await rig.run("jobs", "resolve", "\(ids[2])", "discard").end == .exit(0))
    #expect(try await rig.jobs(of: "stale").map(\.state) == [.cancelled])

    // What is settled is settled; what is not there, is not; what is no verdict, is none.
    #expect(try await rig.ask(.post, "/v1/jobs/\(ids[0])/resolve", #"{"as":"printed"}"#).status == 409)
    #expect(try await rig.ask(.post, "/v1/jobs/999/resolve", #"{"as":"printed"}"#).status == 404)
    #expect(try await rig.ask(.post, "/v1/jobs/x/resolve", #"{"as":"printed"}"#).status == 404)
    let wrong = try await rig.ask(.post, "/v1/jobs/\(ids[0])/resolve", #"{"as":"maybe"}"#)
    #expect(wrong.status == 400)
    #expect(String(decoding: wrong.body, as: UTF8.self).contains("printed, reprint, discard"))
    #expect(try await rig.read(JobsMessage.self, .get, "/v1/jobs").jobs.isEmpty)
    // Every end is told to the shop: first unknown, then what the person said.
    try await DaemonRig.until { try rig.reports().count == 7 }
    #expect(try rig.reports().count { $0.orderID == "seen" && $0.outcome == "printed" } == 1)
    await rig.stop()
    counter.server.stop()
  }

  @Test("A waiting job is cancelled, and is not printed when there is paper again")
  func cancel() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.paper = .end }
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]", more: DaemonRig.quick)
    try orders.add("one", item: "Oolong")
    #expect(try await rig.wake("one").outcome == "queued")
    let id = try #require(try await rig.jobs(of: "one").first?.id)
    let cancelled = try await rig.run("jobs", "cancel", "\(id)")
    #expect(cancelled.end == .exit(0))
    #expect(cancelled.output.contains("cancelled"))
    counter.printer.set { $0.paper = .present }
    try orders.add("two", item: "Sencha")
    _ = try await rig.wake("two")
    #expect(try await rig.untilPrinted("two"))
    #expect(counter.count(of: "Oolong") == 0)
    #expect(try await rig.ask(.delete, "/v1/jobs/\(id)").status == 409)
    #expect(try await rig.ask(.delete, "/v1/jobs/999").status == 404)
    await rig.stop()
    counter.server.stop()
  }

  @Test("A reprint is marked at its head and its foot, and needs no shop")
  func reprint() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path, more: DaemonRig.quick)
    try orders.add("one", item: "Oolong")
    _ = try await rig.wake("one")
    #expect(try await rig.untilPrinted("one"))
    await rig.stopShop()
    let copy = try await rig.run("reprint", "one")
    #expect(copy.end == .exit(75), "printed, but nobody took the report: \(copy.output)")
    #expect(copy.output.contains("printedUnreported"))
    let third = try await rig.read(CompletionMessage.self, .post, "/v1/orders/one/reprint")
    #expect(third.jobs.map(\.copy) == [3])
    #expect(try await rig.ask(.post, "/v1/orders/one/reprint", #"{"kind":"invoice"}"#).status == 404)
    await rig.stop()
    let paper = try rig.paper()
    #expect(paper.count == 3)
    #expect(!(paper.first?.contains("COPY") ?? true))
    for (number, sheet) in paper.enumerated().dropFirst() {
      let lines = sheet.split(separator: "\n").map(String.init).filter { $0.contains(where: \.isLetter) }
      let mark = "COPY \(number + 1) / 补打 \(number + 1)"
      #expect(lines.count { $0.contains(mark) } == 2)
      let item = try #require(lines.firstIndex { $0.contains("Oolong") })
      let first = try #require(lines.firstIndex { $0.contains(mark) })
      let last = try #require(lines.lastIndex { $0.contains(mark) })
      #expect(first == 0 && item < last, "\(sheet)")
    }
  }

  @Test("A list of jobs by order, by number and whole, as JSON and as a table")
  func lists() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    for order in ["one", "7"] {
      try orders.add(order)
      #expect(try await rig.wake(order).outcome == "printed")
    }
    #expect(try await rig.jobs(of: "one").map(\.orderID) == ["one"])
    #expect(try await rig.jobs(of: "nobody").isEmpty)
    #expect(try await rig.read(JobsMessage.self, .get, "/v1/jobs").jobs.isEmpty)
    #expect(try await rig.read(JobsMessage.self, .get, "/v1/jobs?all=1").jobs.map(\.orderID) == ["one", "7"])
    // A number may be a job's or an order's.
    #expect(try await rig.read(JobsMessage.self, .get, "/v1/jobs?id=1").jobs.map(\.orderID) == ["one"])
    #expect(try await rig.run("jobs", "7").output.contains("7"))
    #expect(try await rig.run("jobs").output == "no jobs wait\n")
    let json = try await rig.run("jobs", "--all", "--json")
    #expect(try DocumentReader.read(JobsMessage.self, from: Array(json.output.utf8)).jobs.count == 2)
    #expect(try await rig.run("jobs", "nobody").end == .exit(66))
    await rig.stop()
  }

  @Test("A test page goes through the daemon, and without one straight to the printer")
  func testPrint() async throws {
    let rig = try await DaemonRig(orders: nil)
    let through = try await rig.run("test-print", "--printer", "counter")
    #expect(through.end == .exit(0), "\(through.output)")
    #expect(try await rig.ask(.post, "/v1/printers/nobody/test-print").status == 404)
    let unknown = try await rig.run("test-print", "--printer", "countre")
    #expect(unknown.end == .exit(78))
    #expect(unknown.output.contains("--printer counter"))
    await rig.stop()
    #expect(try rig.paper().count == 1)
    let straight = try await rig.run("test-print")
    #expect(straight.end == .exit(0), "\(straight.output)")
    #expect(straight.output.contains("the printer says so"))
    let paper = try rig.paper()
    #expect(paper.count == 2)
    #expect(paper.allSatisfy { $0.contains("48 columns") && $0.contains("counter · generic-80") })
    #expect(paper.last?.contains("status channel: answers") == true)
  }

  @Test("A test page on a printer that is off says so, through the daemon and without")
  func testPrintUnreachable() async throws {
    let counter = try NetworkPrinter()
    counter.server.stop()
    let rig = try await DaemonRig(orders: nil, printers: "[\(counter.entry())]")
    let through = try await rig.run("test-print")
    #expect(through.end == .exit(75), "\(through.output)")
    #expect(through.output.contains("notPrinted"))
    await rig.stop()
    let straight = try await rig.run("test-print")
    #expect(straight.end == .exit(69), "\(straight.output)")
    #expect(straight.output.contains("printd printers doctor"))
  }

  @Test("The status counts jobs and knows the printers")
  func status() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    let status = try await rig.read(StatusMessage.self, .get, "/v1/status")
    #expect(status.version == Version.text)
    #expect(status.printers.map(\.name) == ["counter"])
    #expect(status.printers.first?.connected == true)
    #expect(status.jobs["printed"] == 1)
    #expect(status.unreported == 0 && status.openWakes == 0)
    #expect(try await rig.run("printers", "doctor").end == .exit(0))
    #expect(try await rig.run("printers").output.contains("generic-80"))
    await rig.stop()
  }

  @Test("The metrics are a valid exposition and count what happened")
  func metrics() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    #expect(try await rig.post(Array("{}".utf8)).status == 400)
    let response = try await rig.ask(.get, "/metrics")
    #expect(response.status == 200)
    #expect(response.headers.contains { $0.value == "text/plain; version=0.0.4; charset=utf-8" })
    let exposition = try Exposition(String(decoding: response.body, as: UTF8.self))
    #expect(exposition.values[#"printd_info{version="\#(Version.text)"}"#] == 1)
    #expect(exposition.values["printd_wakes_accepted_total"] == 1)
    #expect(exposition.values[#"printd_completions_total{outcome="printed"}"#] == 1)
    #expect(exposition.values[#"printd_journal_jobs{state="printed"}"#] == 1)
    #expect(exposition.values[#"printd_printer_up{printer="counter"}"#] == 1)
    #expect(exposition.values["printd_open_wakes"] == 0)
    await rig.stop()
  }

  @Test("What is no path, no method or no document is refused with a remedy, and the daemon goes on")
  func refusals() async throws {
    let rig = try await DaemonRig(orders: nil)
    #expect(try await rig.ask(.get, "/v1/nothing").status == 404)
    #expect(try await rig.ask(.post, "/v1/status").status == 405)
    #expect(try await rig.ask(.post, "/v1/jobs/1/resolve", "{").status == 400)
    #expect(try await rig.ask(.post, "/v1/jobs/1/resolve", "{}").status == 400)
    #expect(try await rig.ask(.post, "/v1/orders/a%0Ab/reprint").status == 400)
    #expect(try await rig.ask(.get, "/v1/status").status == 200)
    await rig.stop()
  }
}

/// Prometheus' text format, read strictly: each family has its HELP and TYPE first, stands together, and has no
/// sample twice.
private struct Exposition {
  struct Fault: Error {
    var line: Substring
  }

  var values: [String: Double] = [:]

  init(_ text: String) throws {
    var family: (name: String, type: String)?
    var families: Set<String> = []
    var helped: String?
    let sample =
      #/([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\}))?)*\})? (\S+)/#
    guard text.hasSuffix("\n") else { throw Fault(line: "the last line has no end") }
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      if let match = line.wholeMatch(of: #/# HELP (\S+) .+/#) {
        helped = String(match.1)
      } else if let match = line.wholeMatch(of: #/# TYPE (\S+) (counter|gauge|histogram)/#) {
        guard helped == String(match.1), families.insert(String(match.1)).inserted else {
          throw Fault(line: line)
        }
        family = (String(match.1), String(match.2))
      } else if let match = line.wholeMatch(of: sample) {
        guard let family, String(match.1) == family.name, let value = Double(match.4),
          family.type != "counter" || (family.name.hasSuffix("_total") && value >= 0)
        else { throw Fault(line: line) }
        let key = "\(match.1)\(match.2 ?? "")"
        guard values.updateValue(value, forKey: key) == nil else { throw Fault(line: line) }
      } else {
        throw Fault(line: line)
      }
    }
  }
}
