import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing

@testable import printd

@Suite("Bad input gets a clear error and loses nothing", .timeLimit(.minutes(3)))
struct BadInputTests {
  @Test("A wake that is none is refused with its place, and the daemon goes on")
  func wakes() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let cases: [(body: String, status: Int, words: String)] = [
      ("not json", 400, "line 1"), ("[]", 400, "object"), ("{}", 400, "aps"),
      (#"{"aps":{"content-available":"maybe"}}"#, 400, "aps.content-available"),
      (#"{"aps":{"content-available":1},"data":"{\"order_id\":{}}"}"#, 400, "order_id"),
      (#"{"aps":{"content-available":1},"data":{"order_id":"a\u001bp0"}}"#, 400, "order_id"),
      ("{\"aps\":{\"content-available\":1},\"pad\":\"\(String(repeating: "x", count: 5000))\"}", 400, "4096"),
    ]
    for (body, status, words) in cases {
      let response = try await rig.post(Array(body.utf8))
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(response.status == status, "\(body.prefix(60)): \(text)")
      #expect(text.contains(words), "\(body.prefix(60)): \(text)")
    }
    let silent = try await rig.post(Array(#"{"aps":{"alert":"hello"}}"#.utf8))
    let completion = try DocumentReader.read(CompletionMessage.self, from: silent.body)
    #expect(completion.outcome == "ignored")
    #expect(completion.result == .noData)
    try orders.add("one")
    #expect(try await rig.wake("one").outcome == "printed")
    await rig.stop()
  }

  @Test("A body of 5 MB is refused with 413 and the remedy before it is sent, as curl offers it")
  func hugeBody() async throws {
    let rig = try await DaemonRig(orders: nil)
    let body = try rig.folder.write(String(repeating: " ", count: 5 << 20), to: "huge.json")
    let output = rig.folder.path("curl.log")
    // curl asks first (`Expect: 100-continue`) when a body is longer than 1 MB.
    let curl = try ChildProcess(
      "curl",
      [
        "--silent", "--expect100-timeout", "30", "--data-binary", "@\(body)", "--write-out",
        "\n%{http_code} %{size_upload}", rig.webhook,
      ],
      output: output)
    #expect(await curl.end == .exit(0))
    let answer = try Fixtures.text(ofFile: output)
    #expect(answer.hasSuffix("\n413 0"), "\(answer)")
    #expect(answer.contains("remedy"), "\(answer)")
    #expect(try await rig.ask(.get, "/v1/status").status == 200)
    await rig.stop()
  }

  @Test("Who sends 5 MB without asking is refused or cut off, and the daemon goes on")
  func hugeBodyUnasked() async throws {
    let rig = try await DaemonRig(orders: nil)
    do {
      let response = try await rig.post([UInt8](repeating: 0x20, count: 5 << 20))
      #expect(response.status == 413)
    } catch let error as HTTPClientError {
      // The answer is there, but who goes on sending may find the connection closed instead of reading it.
      #expect(error.code == .interrupted)
    }
    #expect(try await rig.ask(.get, "/v1/status").status == 200)
    await rig.stop()
  }

  @Test("A wrong, a stale and a missing signature are refused with 401, a replay with 409")
  func signatures() async throws {
    let orders = try Orders()
    try orders.add("one")
    let rig = try await DaemonRig(orders: orders.path)
    let body = Wakes.naming("one")
    let wrong = try await rig.post(body, secret: "whsec_d3JvbmctcHJpbnRkLXNlY3JldC0wMTIzNDU2Nzg5")
    #expect(wrong.status == 401)
    let stale = try await rig.post(body, timestamp: Int64(time(nil)) - 301)
    #expect(stale.status == 401)
    let unsigned = try await rig.send(.init(.post, rig.webhook, body: body))
    #expect(unsigned.status == 401)
    let first = try await rig.post(body, id: "msg_once")
    #expect(first.status == 200)
    let replay = try await rig.post(body, id: "msg_once")
    #expect(replay.status == 409)
    await rig.stop()
    let next = try await DaemonRig(in: rig.folder, orders: orders.path)
    #expect(try await next.post(body, id: "msg_once").status == 409, "a replay is known after a restart, too")
    await next.stop()
  }

  @Test("A wake without an order id, where the shop has no list of pending orders, says so")
  func noPendingList() async throws {
    let rig = try await DaemonRig(orders: try Orders().path, hasPendingList: false)
    let response = try await rig.post(Array(#"{"aps":{"content-available":1}}"#.utf8))
    let completion = try DocumentReader.read(CompletionMessage.self, from: response.body)
    #expect(completion.result == .failed)
    #expect(completion.reason?.contains("pending") == true, "\(completion)")
    await rig.stop()
  }

  @Test(
    "An order that cannot be printed is rejected with the path of the fault",
    arguments: [
      (#"1e3"#, "items[0].amount"), (#""1e3""#, "items[0].amount"), (#""NaN""#, "items[0].amount"),
      (#""12.5元""#, "items[0].amount"), (#"12.5"#, "items[0].amount"), (#"null"#, "items[0].amount"),
    ])
  func amounts(amount: String, path: String) async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("bad", amount: amount)
    let completion = try await rig.wake("bad")
    #expect(completion.outcome == "notPrinted")
    #expect(completion.result == .failed)
    #expect(completion.reason?.contains(path) == true, "\(completion.reason ?? "no reason")")
    await rig.stop()
    #expect(try rig.paper().isEmpty)
    #expect(try rig.reports().map(\.outcome) == ["notPrinted"])
  }

  @Test("Another wake for a rejected order tries again, and prints it unmarked once it has been mended")
  func mended() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path, hasPendingList: false)
    #expect(try await rig.wake("one").outcome == "notPrinted", "the shop has no such order yet")
    try orders.add("one", amount: "1e3")
    #expect(try await rig.wake("one").reason?.contains("items[0].amount") == true)
    try orders.add("one")
    let completion = try await rig.wake("one")
    #expect(completion.result == .newData)
    #expect(try await rig.wake("one").outcome == "duplicate")
    await rig.stop()
    let paper = try rig.paper()
    #expect(paper.count == 1)
    #expect(paper.first?.contains("COPY") == false)
    #expect(try rig.reports().map(\.outcome) == ["notPrinted", "printed"])
  }

  @Test("An order that the shop does not have is not printed, and that is reported")
  func missingOrder() async throws {
    let rig = try await DaemonRig(orders: try Orders().path)
    let completion = try await rig.wake("nobody")
    #expect(completion.outcome == "notPrinted")
    await rig.stop()
    #expect(try rig.reports().map(\.outcome) == ["notPrinted"])
  }

  @Test(
    "A shop that fails, is slow, breaks off or answers with a web page: the order waits and prints when it is well",
    arguments: [
      #"{"path":"/orders","status":500}"#, #"{"path":"/orders","slow_ms":8000}"#,
      #"{"path":"/orders","half_body":true}"#,
    ])
  func shopFaults(fault: String) async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(
      orders: orders.path, more: "budget: {seconds: 2, grace_ms: 200, report_reserve_ms: 200},")
    try orders.add("one")
    try await rig.fault(fault)
    let completion = try await rig.wake("one")
    #expect(completion.outcome == "queued", "\(completion)")
    #expect(completion.result == .failed)
    await rig.stop()
    #expect(try rig.paper().isEmpty)
    // A healthy shop again, and the job goes on by itself at the next start.
    let next = try await DaemonRig(in: rig.folder, orders: orders.path)
    #expect(try await next.untilPrinted("one"))
    await next.stop()
    #expect(try next.paper().count == 1)
  }

  @Test("An answer that is not JSON is no order: it is not printed, and that is said")
  func notJSON() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    try orders.add("one")
    try await rig.fault(#"{"path":"/orders","not_json":true}"#)
    let completion = try await rig.wake("one")
    #expect(completion.outcome == "notPrinted", "\(completion)")
    #expect(completion.reason?.contains("JSON") == true, "\(completion)")
    #expect(completion.result == .failed)
    await rig.stop()
    #expect(try rig.paper().isEmpty)
    #expect(try rig.reports().map(\.outcome) == ["notPrinted"])
  }

  @Test("Names that try to command the printer or the reader are printed as text")
  func hostileNames() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let names = [
      ("escape", #"\u001bp\u0000\u0019\u0019Tea"#), ("override", #"\u202eeeffoc\u202c"#), ("emoji", "Tea 🍵👨‍👩‍👧"),
      ("arabic", "شاي بالنعناع"), ("thai", "ชาเย็น"),
    ]
    for (id, name) in names {
      try orders.add(id, item: name)
      #expect(try await rig.wake(id).outcome == "printed", "\(id)")
    }
    await rig.stop()
    let paper = try rig.paper()
    #expect(paper.count == names.count)
    #expect(!paper.contains { $0.contains("[drawer") }, "an item's name must not open the drawer")
  }

  @Test("An order of 2,000 items is printed whole")
  func manyItems() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let items = (1...2000).map { #"{"name":"Item \#($0)","quantity":1,"amount":"1.00"}"# }
    try orders.folder.write(
      #"{"id":"long","currency":"EUR","items":[\#(items.joined(separator: ","))],"totals":[]}"#,
      to: "long.json")
    _ = try await rig.wake("long")
    #expect(try await rig.untilPrinted("long"))
    await rig.stop()
    let text = try rig.paper().joined()
    #expect((1...2000).allSatisfy { text.contains("Item \($0)") })
  }
}
