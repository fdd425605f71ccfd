import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Testing
import WakeChannels

@testable import printd

extension DaemonRig {
  /// Posts a signed wake to the webhook.
  func post(
    _ body: [UInt8], id: String = "msg_\(UInt64.random(in: 0 ... .max))", timestamp: Int64 = Int64(time(nil)),
    secret: String = DaemonRig.secret, more: [(name: String, value: String)] = []
  ) async throws -> HTTPClient.Response {
    let fields = WebhookSignature.sign(body, id: id, timestamp: timestamp, keys: [try WebhookKey(secret)])
    return try await send(.init(.post, webhook, headers: fields.entries + more, body: body))
  }

  /// Posts a wake for an order and reads what came of it.
  func wake(_ order: String) async throws -> CompletionMessage {
    let response = try await post(Wakes.naming(order))
    return try DocumentReader.read(CompletionMessage.self, from: response.body)
  }

  /// Waits until a job of the order has ended, and says whether it was printed.
  func untilPrinted(_ order: String) async throws -> Bool {
    var state: JobState?
    try await Self.until {
      let response = try await ask(.get, "/v1/jobs?order=\(order)")
      state = try DocumentReader.read(JobsMessage.self, from: response.body).jobs.first?.state
      return state?.isFinal == true
    }
    return state == .printed
  }

  /// The reports that the shop has acknowledged.
  func reports() throws -> [Report] {
    try ((try? Fixtures.text(ofFile: folder.path("reports.jsonl"))) ?? "").split(separator: "\n").map {
      try DocumentReader.read(AcknowledgedReport.self, from: Array($0.utf8)).report
    }
  }

  /// The paper so far, as text.
  func paper() throws -> [String] {
    Files.names(in: folder.path("paper")).filter { $0.hasSuffix(".txt") }
      .map { (try? Fixtures.text(ofFile: folder.path("paper/\($0)"))) ?? "" }
  }

  /// Makes the shop misbehave.
  func fault(_ json: String) async throws {
    let response = try await send(.init(.post, "\(shop ?? "")/faults", body: Array(json.utf8)))
    #expect(response.status == 200)
  }
}

/// Wakes as a backend sends them.
enum Wakes {
  static func naming(_ order: String) -> [UInt8] {
    Array(#"{"aps":{"content-available":1},"type":2,"data":"{\"order_id\":\"\#(order)\"}"}"#.utf8)
  }
}

/// A shop's folder of orders, filled by the test.
struct Orders {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path }

  /// Puts a sample order into the shop, as when a customer pays.
  func add(sample id: String) throws {
    try folder.write(Fixtures.text(ofFile: Fixtures.path("samples/\(id).json")), to: "\(id).json")
  }

  /// Puts an order with one item into the shop.
  func add(_ id: String, item: String = "Tea", amount: String = #""3.00""#, more: String = "") throws {
    try folder.write(
      #"{"id":"\#(id)","currency":"EUR","items":[{"name":"\#(item)","quantity":1,"amount":\#(amount)}],"totals":[]\#(more)}"#,
      to: "\(id).json")
  }
}

/// A line of the sample shop's file of reports.
private struct AcknowledgedReport: Decodable {
  var report: Report
}
