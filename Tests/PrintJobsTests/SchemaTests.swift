import Documents
import ESCPOS
import FoundationEssentials
import PrintJobs
import PrintTestKit
import Testing

@Suite("The schemas and the readers agree")
struct SchemaTests {
  private func fault<Document: Decodable>(_ type: Document.Type, _ value: JSONValue) throws -> DocumentFault?
  {
    do {
      _ = try DocumentReader.read(type, from: Array(JSONEncoder().encode(value)))
      return nil
    } catch let fault as DocumentFault {
      return fault
    }
  }

  private func documents(_ name: String) throws -> [JSONValue] {
    guard case .list(let documents) = try JSONValue.read(Fixtures.bytes(name)) else { return [] }
    #expect(documents.count > 8)
    return documents
  }

  private func good<Document: Decodable>(_ type: Document.Type, _ schema: String, _ file: String) throws {
    let schema = try JSONSchema(schema)
    for document in try documents(file) {
      #expect(try fault(type, document) == nil, "\(document)")
      #expect(try schema.allows(document), "\(document)")
    }
  }

  private func bad<Document: Decodable>(_ type: Document.Type, _ schema: String, _ file: String) throws {
    let schema = try JSONSchema(schema)
    for row in try documents(file) {
      guard case .string(let path) = row["path"], case .string(let message) = row["message"],
        let document = row["document"]
      else {
        Issue.record("not a row: \(row)")
        continue
      }
      let found = try fault(type, document)
      #expect(found?.path == path, "\(document)")
      #expect(
        found?.message.contains(message) == true, "\(found?.description ?? "no fault"), expected \(message)")
      #expect(try !schema.allows(document), "\(document)")
    }
  }

  @Test("good receipts pass both")
  func goodReceipts() throws { try good(Receipt.self, "receipt", "documents/receipts-good.json") }

  @Test("bad receipts pass neither, and the reader says where and what")
  func badReceipts() throws { try bad(Receipt.self, "receipt", "documents/receipts-bad.json") }

  @Test("good orders pass both")
  func goodOrders() throws { try good(Order.self, "order", "orders/good.json") }

  @Test("bad orders pass neither, and the reader says where and what")
  func badOrders() throws { try bad(Order.self, "order", "orders/bad.json") }

  @Test("a good receipt that is changed anywhere is judged the same by both")
  func mutations() throws {
    let schema = try JSONSchema("receipt")
    let others: [JSONValue] = [
      .null, .bool(true), .number(0), .number(2), .number(9), .number(-1), .number(300), .number(1.5),
      .string(""),
      .string("a"), .string("center"), .string("text"), .string("cut"), .string("AAAA"), .list([]),
      .object([:]),
    ]
    var judged = 0
    for document in try documents("documents/receipts-good.json") {
      for mutant in mutants(of: document, others) {
        let isRead = try fault(Receipt.self, mutant) == nil
        #expect(try schema.allows(mutant) == isRead, "\(mutant)")
        judged += 1
      }
    }
    #expect(judged > 1_000)
  }

  /// Every document that comes of one change: a value replaced, a key taken away or added.
  private func mutants(of value: JSONValue, _ others: [JSONValue]) -> [JSONValue] {
    var all = others
    switch value {
    case .list(let list):
      for (index, element) in list.enumerated() {
        for mutant in mutants(of: element, others) {
          var copy = list
          copy[index] = mutant
          all.append(.list(copy))
        }
      }
    case .object(let object):
      for (key, element) in object {
        var without = object
        without[key] = nil
        all.append(.object(without))
        for mutant in mutants(of: element, others) {
          all.append(.object(object.merging([key: mutant]) { $1 }))
        }
      }
      for key in ["width", "align", "data", "name", "text", "lines", "x"] where object[key] == nil {
        all.append(.object(object.merging([key: .number(2)]) { $1 }))
      }
    case .null, .bool, .number, .string: break
    }
    return all
  }

  @Test("the samples are what their schemas say")
  func samples() throws {
    for name in try Fixtures.names(in: "samples", suffix: ".json") {
      let isWake = name.contains("wake-")
      let document = try JSONValue.read(Fixtures.bytes(name))
      #expect(try JSONSchema(isWake ? "wake" : "order").allows(document), "\(name)")
      if !isWake { #expect(try fault(Order.self, document) == nil, "\(name)") }
    }
  }

  @Test("reports are what their schema says")
  func reports() throws {
    let schema = try JSONSchema("report")
    var seen = 0
    for state in JobState.allCases {
      var job = Job(
        id: 1, key: JobKey(orderID: "1", kind: "receipt"), printer: "counter", state: state, reason: "why",
        receivedAt: 1_764_477_378.5, expiresAt: 1_764_484_578)
      job.timeline.received = 1.5
      job.timeline.firstByte = 20
      guard let report = Report(job) else { continue }
      seen += 1
      let value = try JSONValue.read(Array(JSONEncoder().encode(report)))
      #expect(try schema.allows(value), "\(value)")
      #expect(try !schema.allows(.object(["order_id": .string("1")])))
    }
    #expect(seen == 5)
  }

  @Test(
    "a report says how the voice ended, as its schema says, and reads back",
    arguments: [
      .pending, .ended(.played), .ended(.muted), .ended(.expired), .ended(.noDevice),
      .ended(.failed("no clip")),
      .ended(.silent),
    ] as [Voice])
  func voices(voice: Voice) throws {
    let job = Job(
      id: 1, key: JobKey(orderID: "1", kind: "receipt"), printer: "counter", state: .printed,
      receivedAt: 1_764_477_378.5, expiresAt: 1_764_484_578, voice: voice)
    let report = try #require(Report(job))
    let bytes = try Array(JSONEncoder().encode(report))
    #expect(try JSONSchema("report").allows(try JSONValue.read(bytes)))
    #expect(try JSONDecoder().decode(Report.self, from: Data(bytes)) == report)
    #expect(report.voice?.reason == (voice == .ended(.failed("no clip")) ? "no clip" : nil))
  }
}
