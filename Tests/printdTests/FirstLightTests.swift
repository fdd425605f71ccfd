import Curl
import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Testing

@testable import printd

@Suite("A wake prints a real order, end to end", .timeLimit(.minutes(2)))
struct FirstLightTests {
  @Test(
    "A signed wake prints each sample order and is completed with newData after the report",
    arguments: [
      ("20261130-000187", "实收"), ("20261130-000188", "Käsebrötchen"), ("20261130-000189", "Copper Kettle"),
    ])
  func samples(id: String, words: String) async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(
      orders: orders.path, more: #"images: "\#(Fixtures.path("samples"))","#)
    try orders.add(sample: id)
    let response = try await rig.post(Fixtures.bytes("samples/wake-\(id).json"))
    #expect(response.status == 200)
    let completion = try DocumentReader.read(CompletionMessage.self, from: response.body)
    #expect(completion.result == .newData)
    #expect(completion.outcome == "printed")
    #expect(completion.reason == nil)
    let report = try #require(try rig.reports().first)
    #expect(report.orderID == id)
    #expect(report.outcome == "printed")
    await rig.stop()
    let paper = try rig.paper()
    #expect(paper.count == 1)
    #expect(paper.first?.contains(words) == true)
  }

  @Test("The timeline's steps follow one another, and the completion comes last")
  func timeline() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    let timeline = try await rig.wake("one").timeline
    let received = try #require(timeline.received)
    let fetched = try #require(timeline.fetched)
    let firstByte = try #require(timeline.firstByte)
    let fence = try #require(timeline.fence)
    let reported = try #require(timeline.reported)
    let completed = try #require(timeline.completed)
    #expect(timeline.connected != nil)
    #expect(received <= fetched && fetched <= firstByte && firstByte <= fence)
    #expect(fence <= reported && reported <= completed)
    await rig.stop()
  }

  @Test("A second wake for an order that is printed is a duplicate at once and prints nothing")
  func duplicate() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    let again = try await rig.wake("one")
    #expect(again.result == .noData)
    #expect(again.outcome == "duplicate")
    await rig.stop()
    #expect(try rig.paper().count == 1)
    #expect(try rig.reports().count == 1)
  }

  @Test("Prefer: respond-async answers 202 once the wake is durable, and the work goes on")
  func respondAsync() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    let response = try await rig.post(Wakes.naming("one"), more: [("Prefer", "respond-async")])
    #expect(response.status == 202)
    await rig.stop()
    // What the stop cut off is taken up by the next life; either way it is printed once.
    let next = try await DaemonRig(in: rig.folder, orders: orders.path)
    #expect(try await next.wake("one").outcome == "duplicate")
    // A duplicate is answered at once, and the next stop may cut the print off again.
    try await DaemonRig.until { try next.paper().count == 1 }
    await next.stop()
    #expect(try next.paper().count == 1)
  }

  @Test("A wake that names no order prints what is pending, each order once")
  func pending() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    for id in ["a", "b", "c"] { try orders.add(id) }
    let wake = Array(#"{"aps":{"content-available":1}}"#.utf8)
    let completion = try DocumentReader.read(CompletionMessage.self, from: try await rig.post(wake).body)
    #expect(completion.result == .newData)
    #expect(Set(completion.jobs.map(\.orderID)) == ["a", "b", "c"])
    let again = try DocumentReader.read(CompletionMessage.self, from: try await rig.post(wake).body)
    #expect(again.result == .noData)
    await rig.stop()
    #expect(try rig.paper().count == 3)
  }

  @Test("Orders that came while the daemon was down are printed at its start")
  func pendingAtStart() async throws {
    let orders = try Orders()
    try orders.add("early")
    let rig = try await DaemonRig(orders: orders.path)
    let status = try await rig.ask(.get, "/v1/status")
    #expect(status.status == 200)
    await rig.stop()
    let next = try await DaemonRig(in: rig.folder, orders: orders.path)
    #expect(try await next.wake("early").outcome == "duplicate")
    #expect(try await next.untilPrinted("early"))
    await next.stop()
    #expect(try next.paper().count == 1)
  }

  @Test("The embedded default: orders and reports in a folder, wakes through the command")
  func directory() async throws {
    let rig = try await DaemonRig(orders: nil)
    try rig.folder.write(
      Fixtures.text(ofFile: Fixtures.path("samples/20261130-000187.json")), to: "orders/20261130-000187.json")
    try rig.folder.write(String(decoding: Wakes.naming("20261130-000187"), as: UTF8.self), to: "wake.json")
    let (end, output) = try await rig.run("wake", rig.folder.path("wake.json"))
    #expect(end == .exit(0))
    #expect(output.contains("newData · printed"))
    await rig.stop()
    #expect(try Fixtures.text(ofFile: rig.folder.path("orders/reports.jsonl")).contains("20261130-000187"))
    #expect(try rig.paper().count == 1)
  }

  @Test("A kitchen and a receipt route print one order on two printers, each in its copies")
  func routes() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(
      orders: orders.path,
      printers:
        #"[{name:"counter",link:"virtual",profile:"generic-80",address:"paper"},{name:"kitchen",link:"virtual",profile:"generic-80",address:"kitchen"}]"#,
      more: #"routes: [{kind:"receipt",printer:"counter",copies:2},{kind:"kitchen",printer:"kitchen"}],"#)
    try orders.add("one")
    let completion = try await rig.wake("one")
    #expect(completion.result == .newData)
    #expect(completion.jobs.map(\.kind).sorted() == ["kitchen", "receipt"])
    await rig.stop()
    #expect(try rig.paper().count == 2)
    #expect(Files.names(in: rig.folder.path("kitchen")).count { $0.hasSuffix(".txt") } == 1)
    #expect(try rig.reports().count == 2)
  }
}
