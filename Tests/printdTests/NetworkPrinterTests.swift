import Curl
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing
import VirtualPrinter

@testable import printd

@Suite("A network printer that misbehaves loses nothing and prints nothing twice", .timeLimit(.minutes(2)))
struct NetworkPrinterTests {
  @Test("Paper out before the job: the wake says so, and the job prints once there is paper")
  func paperOutAtTheGate() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.paper = .end }
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]", more: DaemonRig.quick)
    try orders.add("one", item: "Oolong")
    let completion = try await rig.wake("one")
    #expect(completion.outcome == "queued")
    #expect(completion.reason == "paper out")
    #expect(completion.result == .failed)
    #expect(counter.sheets.isEmpty)
    counter.printer.set { $0.paper = .present }
    #expect(try await rig.untilPrinted("one"))
    await rig.stop()
    #expect(counter.count(of: "Oolong") == 1)
    counter.server.stop()
  }

  @Test("Paper at its end in mid-receipt: it is waited for, and the rest is printed after the refill")
  func paperEndInMidReceipt() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.paperLeft = 60 }
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]", more: DaemonRig.quick)
    try orders.add("one", item: "Oolong")
    let completion = try await rig.wake("one")
    #expect(completion.outcome == "unknown")
    #expect(completion.result == .failed)
    #expect(try await rig.jobs(of: "one").first?.state.isFinal == false)
    counter.printer.set {
      $0.paperLeft = nil
      $0.paper = .present
    }
    #expect(try await rig.untilPrinted("one"))
    try await DaemonRig.until { try !rig.reports().isEmpty }
    await rig.stop()
    #expect(try rig.reports().map(\.outcome) == ["printed"])
    #expect(counter.count(of: "Oolong") == 1)
    #expect(counter.sheets.count == 1)
    counter.server.stop()
  }

  @Test("A link that is lost in mid-receipt leaves the job unknown, and nothing prints it again")
  func linkLost() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.linkLostAfter = 150 }
    let rig = try await DaemonRig(orders: orders.path, printers: "[\(counter.entry())]")
    try orders.add("one", item: "Oolong")
    let completion = try await rig.wake("one")
    #expect(completion.outcome == "unknown")
    #expect(completion.result == .failed)
    counter.printer.set { $0.linkLostAfter = nil }
    // Neither another wake, nor the next order, nor a restart brings it back.
    #expect(try await rig.wake("one").outcome != "printed")
    try orders.add("two", item: "Sencha")
    #expect(try await rig.wake("two").outcome == "printed")
    await rig.stop()
    let next = try await DaemonRig(
      in: rig.folder, orders: orders.path, printers: "[\(counter.entry())]")
    #expect(try await next.wake("one").outcome != "printed")
    let jobs = try await next.jobs(of: "one")
    #expect(jobs.map(\.state) == [.unknown])
    #expect(jobs.map(\.attempt) == [1])
    await next.stop()
    #expect(counter.count(of: "Oolong") <= 1)
    #expect(counter.count(of: "Sencha") == 1)
    counter.server.stop()
  }

  @Test("A mute printer is not sent anything; with `status: false` it prints, unconfirmed")
  func mute() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.answers = false }
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]", more: DaemonRig.quick)
    try orders.add("one", item: "Oolong")
    let refused = try await rig.wake("one")
    #expect(refused.outcome == "queued")
    #expect(counter.count(of: "Oolong") == 0)
    await rig.stop()
    let next = try await DaemonRig(
      in: rig.folder, orders: orders.path,
      printers: "[\(counter.entry(more: ", overrides: {status: false, bytes_per_second: 100000}"))]")
    #expect(try await next.untilPrinted("one"))
    #expect(try await next.jobs(of: "one").first?.confirmation == .unconfirmed)
    try orders.add("two")
    let completion = try await next.wake("two")
    #expect(completion.outcome == "printed")
    #expect(completion.reason == "unconfirmed")
    await next.stop()
    #expect(counter.count(of: "Oolong") == 1)
    counter.server.stop()
  }

  @Test("A printer that is slow to connect prints within the budget")
  func slowToConnect() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter { $0.openingDelay = .milliseconds(400) }
    let rig = try await DaemonRig(orders: orders.path, printers: "[\(counter.entry())]")
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    await rig.stop()
    #expect(counter.sheets.count == 1)
    counter.server.stop()
  }

  @Test("A printer that is off holds up its own job, not the other printer's")
  func twoPrinters() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter()
    let kitchen = try NetworkPrinter()
    counter.server.stop()
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry()), \(kitchen.entry("kitchen"))]",
      more:
        #"\#(DaemonRig.quick) routes: [{kind: "receipt", printer: "counter"}, {kind: "kitchen", printer: "kitchen"}],"#
    )
    for id in ["one", "two", "three"] { try orders.add(id) }
    for id in ["one", "two", "three"] {
      let response = try await rig.post(Wakes.naming(id), more: [("Prefer", "respond-async")])
      #expect(response.status == 202)
    }
    try await DaemonRig.until { kitchen.sheets.count == 3 }
    try orders.add("four")
    let completion = try await rig.wake("four")
    #expect(completion.result == .failed)
    let receipt = try #require(completion.jobs.first { $0.kind == "receipt" })
    #expect(receipt.outcome == "queued")
    #expect(receipt.reason?.contains("127.0.0.1") == true, "\(receipt)")
    let jobs = try await rig.jobs(of: "three")
    #expect(jobs.first { $0.kind == "kitchen" }?.state == .printed)
    let status = try await rig.read(StatusMessage.self, .get, "/v1/status")
    #expect(status.printers.first { $0.name == "counter" }?.queued == 4)
    #expect(status.printers.first { $0.name == "counter" }?.obstacle != nil)
    #expect(status.printers.first { $0.name == "kitchen" }?.obstacle == nil)
    await rig.stop()
    kitchen.server.stop()
  }

  @Test("A burst of 100 wakes is printed whole and in the order of the wakes")
  func burst() async throws {
    let orders = try Orders()
    let counter = try NetworkPrinter()
    let rig = try await DaemonRig(
      orders: orders.path, printers: "[\(counter.entry())]", hasPendingList: false)
    for number in 1...100 { try orders.add("order-\(number)", item: "Cup \(number).") }
    for number in 1...100 {
      let response = try await rig.post(
        Wakes.naming("order-\(number)"), more: [("Prefer", "respond-async")])
      #expect([200, 202].contains(response.status))
    }
    try await DaemonRig.until { counter.printer.paper.sheetCount >= 100 }
    #expect(try await rig.untilPrinted("order-100"))
    await rig.stop()
    let sheets = counter.sheets
    #expect(sheets.count == 100)
    for (index, sheet) in sheets.enumerated() { #expect(sheet.contains("Cup \(index + 1).")) }
    counter.server.stop()
  }
}
