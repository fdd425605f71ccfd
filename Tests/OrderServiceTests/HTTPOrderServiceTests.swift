import ESCPOS
import Glibc
import OrderService
import PrintJobs
import Synchronization
import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(1)))
struct HTTPOrderServiceTests {
  private let shop: SampleShop
  private let service: HTTPOrderService

  init() async throws {
    shop = try await SampleShop.open()
    service = try HTTPOrderServiceTests.service(shop)
    try shop.folder.write("orders/17.json", #"{"id":"17","amount":"12.50"}"#)
  }

  private static func service(_ shop: SampleShop, secret: SecretHeader? = nil) throws -> HTTPOrderService {
    try HTTPOrderService(
      HTTPOrderService.Configuration(
        orderURL: shop.url + "/orders/{order_id}", reportURL: shop.url + "/reports",
        pendingURL: shop.url + "/orders?after={cursor}", secret: secret))
  }

  /// Makes the shop misbehave, through a service whose reports go to the switch.
  private func misbehave(_ fault: String) async throws {
    let bytes = Array(fault.utf8)
    let request =
      "POST /faults HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n\r\n\(fault)"
    let answer = await exchangeRaw(port: UInt16(shop.port), Array(request.utf8))
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
  }

  @Test("An order comes whole, byte for byte")
  func order() async throws {
    let bytes = try await service.order("17", by: within(40))
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"id":"17","amount":"12.50"}"#)
  }

  @Test(
    "An id with awkward characters stays one segment of the path",
    arguments: ["a b", "实收-1", "a%2Fb", "a?b=c", "a#b", "+", "{x}"])
  func awkwardIDs(id: String) async throws {
    try shop.folder.write("orders/\(id).json", #"{"id":"awkward"}"#)
    let bytes = try await service.order(id, by: within(40))
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"id":"awkward"}"#)
  }

  @Test(
    "Ids that are no ids are refused without asking",
    arguments: ["", ".", "..", "a\0b", "a\r\nb", String(repeating: "x", count: 201)])
  func badIDs(id: String) async throws {
    #expect(await code { try await service.order(id, by: within(40)) } == .refused)
  }

  @Test(
    "An id that points out of the folder is not found", arguments: ["../port", "a/../../port", "/etc/passwd"])
  func traversal(id: String) async throws {
    #expect(await code { try await service.order(id, by: within(40)) } == .notFound)
  }

  @Test(
    "A failure that happens once is not seen",
    arguments: [
      #"{"path":"/orders","status":500,"times":1}"#, #"{"path":"/orders","status":503,"times":1}"#,
      #"{"path":"/orders","half_body":true,"times":1}"#,
    ])
  func onceIsForgiven(fault: String) async throws {
    try await misbehave(fault)
    #expect(try await service.order("17", by: within(40)).count == 28)
  }

  @Test(
    "A failure that stays is told, and what it asks for",
    arguments: [
      (#"{"path":"/orders","status":500}"#, OrderServiceError.Code.unavailable),
      (#"{"path":"/orders","half_body":true}"#, .unavailable),
      (#"{"path":"/orders","not_json":true}"#, .refused),
      (#"{"path":"/orders","status":404}"#, .notFound), (#"{"path":"/orders","status":410}"#, .notFound),
      (#"{"path":"/orders","status":400}"#, .refused), (#"{"path":"/orders","status":401}"#, .unavailable),
      (#"{"path":"/orders","status":429}"#, .unavailable), (#"{"path":"/orders","status":302}"#, .refused),
    ])
  func failures(fault: String, expected: OrderServiceError.Code) async throws {
    try await misbehave(fault)
    #expect(await code { try await service.order("17", by: within(40)) } == expected)
  }

  @Test(
    "A 4xx answer is asked for once, a 5xx answer twice", arguments: [("400", 1), ("404", 1), ("500", 2)])
  func tries(status: String, expected: Int) async throws {
    let asked = Mutex(0)
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      asked.withLock { $0 += 1 }
      return .error(Int(status) ?? 0, "no")
    }
    let service = try HTTPOrderService(
      HTTPOrderService.Configuration(orderURL: "http://127.0.0.1:\(server.port ?? 0)/{order_id}"))
    _ = await code { try await service.order("17", by: within(40)) }
    #expect(asked.withLock { $0 } == expected)
    await server.stop()
  }

  @Test("Advice to wait is passed on and not overrun")
  func retryAfter() async throws {
    let asked = Mutex(0)
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      asked.withLock { $0 += 1 }
      return HTTPServer.Response(status: 503, fields: ["Retry-After": "30"])
    }
    let service = try HTTPOrderService(
      HTTPOrderService.Configuration(orderURL: "http://127.0.0.1:\(server.port ?? 0)/{order_id}"))
    do throws(OrderServiceError) {
      _ = try await service.order("17", by: within(40))
      Issue.record("an order came")
    } catch {
      #expect(error.code == .unavailable)
      #expect(error.message.hasSuffix("answered 503; it asks to wait 30 s"))
    }
    #expect(asked.withLock { $0 } == 1)
    await server.stop()
  }

  @Test("A slow service costs the time given")
  func slow() async throws {
    try await misbehave(#"{"path":"/orders","slow_ms":2000}"#)
    #expect(await code { try await service.order("17", by: within(0.2)) } == .deadline)
  }

  @Test("A service that is not there is unavailable, and the message keeps the order to itself")
  func notThere() async throws {
    let service = try HTTPOrderService(
      HTTPOrderService.Configuration(orderURL: "http://127.0.0.1:1/orders/{order_id}?key=geheim"))
    do throws(OrderServiceError) {
      _ = try await service.order("order-17", by: within(40))
      Issue.record("an order came")
    } catch {
      #expect(error.code == .unavailable)
      #expect(!error.message.contains("geheim") && !error.message.contains("order-17"))
    }
  }

  @Test("An order of more than 1 MiB is refused")
  func huge() async throws {
    try shop.folder.write("orders/huge.json", "{\"a\":\"" + String(repeating: "x", count: 1 << 20) + "\"}")
    #expect(await code { try await service.order("huge", by: within(40)) } == .refused)
  }

  @Test(
    "What is JSON but no object, or only begins as one, is refused",
    arguments: ["[]", "12", "\"a\"", "", "{", "{}x", "{\"a\":}", "null"])
  func notAnObject(text: String) async throws {
    try shop.folder.write("orders/odd.json", text)
    #expect(await code { try await service.order("odd", by: within(40)) } == .refused)
  }

  @Test("The token of the file goes with each request, and a new one is read on demand")
  func token() async throws {
    let shop = try await SampleShop.open(token: "s3cret")
    try shop.folder.write("orders/17.json", "{}")
    try shop.folder.write("ours", "wrong\n")
    let service = try HTTPOrderServiceTests.service(
      shop, secret: SecretHeader(file: shop.folder.path + "/ours"))
    #expect(await code { try await service.order("17", by: within(40)) } == .unavailable)
    try shop.folder.write("ours", "s3cret\n")
    try service.reload()
    #expect(try await service.order("17", by: within(40)) == Array("{}".utf8))
    try shop.folder.write("ours", "two\nlines\n")
    #expect(throws: HTTPOrderService.Fault.self) { try service.reload() }
    #expect(try await service.order("17", by: within(40)) == Array("{}".utf8))
  }

  @Test("A report that is sent twice counts once, also when the first answer was lost")
  func idempotentReport() async throws {
    let report = try #require(Report(.printed))
    try await misbehave(#"{"path":"/reports","half_body":true,"times":1}"#)
    try await service.report(report, by: within(40))
    try await service.report(report, by: within(40))
    let lines = shop.folder.read("reports.jsonl")?.split(separator: "\n") ?? []
    #expect(lines.count == 1)
    #expect(
      lines.first?.contains(#"{"idempotency_key":"17/receipt/1#printed","report":{"attempt":1,"copy":1"#)
        == true)
  }

  @Test("Reports that fail are told, for the background to send again")
  func failedReport() async throws {
    let report = try #require(Report(.printed))
    try await misbehave(#"{"path":"/reports","status":500}"#)
    #expect(await code { try await service.report(report, by: within(40)) } == .unavailable)
  }

  @Test("What is pending comes after the cursor, page by page")
  func pending() async throws {
    for number in 100..<250 { try shop.folder.write("orders/\(number).json", "{}") }
    let first = try await service.pending(after: nil, by: within(40))
    var expected = (100..<199).map(String.init)
    expected.insert("17", at: 70)
    #expect(first.orderIDs == expected)
    #expect(first.cursor == "198")
    let second = try await service.pending(after: first.cursor, by: within(40))
    #expect(second.orderIDs == (199..<250).map(String.init))
    let third = try await service.pending(after: second.cursor, by: within(40))
    #expect(third.orderIDs == [])
    #expect(third.cursor == "249")
  }

  @Test("A service without a list or reports says so")
  func unsupported() async throws {
    let service = try HTTPOrderService(
      HTTPOrderService.Configuration(orderURL: shop.url + "/orders/{order_id}"))
    #expect(await code { try await service.pending(after: nil, by: within(40)) } == .unsupported)
    let report = try #require(Report(.printed))
    #expect(await code { try await service.report(report, by: within(40)) } == .unsupported)
    try await misbehave(#"{"path":"/orders","status":404}"#)
    #expect(await code { try await self.service.pending(after: nil, by: within(40)) } == .unsupported)
  }

  @Test(
    "Lists of pending orders are read strictly, and the path of the fault is told",
    arguments: [
      (#"{"orders":["1",{"order_id":"2"},"1"],"cursor":"2","more":1}"#, ""), (#"{"orders":[]}"#, ""),
      (#"{"orders":[],"cursor":null}"#, ""), (#"{"orders":["1",2]}"#, "orders[1]: expected"),
      (#"{"orders":[{"id":"2"}]}"#, "orders[0].order_id: expected"), (#"{"orders":{}}"#, "orders: expected"),
      (#"{"cursor":"1"}"#, "orders: expected"), (#"{"orders":[],"cursor":7}"#, "cursor: expected"),
      ("[]", "expected an object"),
      ("{", "expected an object"), (#"{"orders":[""]}"#, "orders[0]: an order id has"),
      (#"{"orders":["a\u0000"]}"#, "orders[0]: an order id has"),
    ])
  func pendingLists(text: String, fault: String) async throws {
    let server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in .json(text: Array(text.utf8))
    }
    let url = "http://127.0.0.1:\(server.port ?? 0)"
    let service = try HTTPOrderService(
      HTTPOrderService.Configuration(orderURL: url + "/{order_id}", pendingURL: url + "/?after={cursor}"))
    do throws(OrderServiceError) {
      let answer = try await service.pending(after: "c", by: within(40))
      #expect(fault.isEmpty)
      #expect(answer.orderIDs == (text.contains("\"1\"") ? ["1", "2"] : []))
      #expect(answer.cursor == (text.contains("\"cursor\":\"2\"") ? "2" : "c"))
    } catch {
      #expect(!fault.isEmpty)
      #expect(error.code == .refused)
      #expect(error.message.contains(": \(fault)"), "\(error)")
    }
    await server.stop()
  }

  @Test(
    "Configurations that cannot work are refused, and secrets in them not repeated",
    arguments: [
      "", "shop.example/{order_id}", "ftp://h/{order_id}", "https://h/orders", "https://{order_id}/x",
      "https://u:geheim@h/{order_id}",
      "https://h/{order}", "https://h/{order_id}/{x}", "https://h/{order_id}#a", "https://h/a b/{order_id}",
      "https:///{order_id}",
      "https://h/}{order_id}",
    ])
  func templates(url: String) throws {
    do throws(HTTPOrderService.Fault) {
      _ = try HTTPOrderService(HTTPOrderService.Configuration(orderURL: url))
      Issue.record("\(url) was taken")
    } catch {
      #expect(error.part == .order)
      #expect(!error.message.contains("geheim"))
    }
  }

  @Test("A secret that others can read, or that goes over plain HTTP, is warned of")
  func warnings() throws {
    try shop.folder.write("token", "abc\n")
    let path = shop.folder.path + "/token"
    chmod(path, 0o644)
    let open = try HTTPOrderService(
      HTTPOrderService.Configuration(
        orderURL: "http://shop.example/{order_id}", secret: SecretHeader(file: path)))
    #expect(open.warnings.count == 2)
    chmod(path, 0o640)
    let safe = try HTTPOrderService(
      HTTPOrderService.Configuration(
        orderURL: "https://shop.example/{order_id}", secret: SecretHeader(file: path)))
    #expect(safe.warnings == [])
  }
}
