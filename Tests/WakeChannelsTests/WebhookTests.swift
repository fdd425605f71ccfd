import FoundationEssentials
import PrintTestKit
import Synchronization
import Testing
import WakeChannels

struct WebhookTests {
  private struct Vector: Decodable {
    var name: String
    var secret: String
    var id: String
    var timestamp: Int64
    var body: String
    var signature: String
  }

  private static let now: Int64 = 1_795_939_200
  private let old: WebhookKey
  private let new: WebhookKey
  private let body = Array(#"{"aps":{"content-available":1},"data":{"order_id":"1"}}"#.utf8)

  init() throws {
    old = try WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw==")
    new = try WebhookKey("the new secret of the shop")
  }

  private func verify(
    _ fields: HTTPFields, _ body: [UInt8]? = nil, keys: [WebhookKey]? = nil, now: Int64 = WebhookTests.now
  ) -> Result<String, WebhookFault> {
    Result { () throws(WebhookFault) in
      try WebhookSignature.verify(
        fields, body: body ?? self.body, keys: keys ?? [old, new], now: Double(now))
    }
  }

  private func signed(_ keys: [WebhookKey], id: String = "evt_1", at timestamp: Int64 = WebhookTests.now)
    -> HTTPFields
  {
    WebhookSignature.sign(body, id: id, timestamp: timestamp, keys: keys)
  }

  @Test("Our signatures are those of other implementations, byte for byte")
  func vectors() throws {
    let vectors = try JSONDecoder().decode(
      [Vector].self, from: Data(try Fixtures.bytes("webhook/vectors.json")))
    #expect(vectors.count == 4)
    for vector in vectors {
      let key = try WebhookKey(vector.secret)
      let body = Array(vector.body.utf8)
      let fields = WebhookSignature.sign(body, id: vector.id, timestamp: vector.timestamp, keys: [key])
      #expect(fields["webhook-signature"] == vector.signature, "\(vector.name)")
      // The published one is from 2021, when no clock of ours can stand.
      let now = max(vector.timestamp, Int64(WebhookSignature.earliestClock))
      let expected: Result<String, WebhookFault> =
        now == vector.timestamp ? .success(vector.id) : .failure(.stale(seconds: now - vector.timestamp))
      #expect(verify(fields, body, keys: [key], now: now) == expected, "\(vector.name)")
    }
  }

  @Test("Either key is good while keys are rotated, and either signature")
  func rotation() {
    #expect(verify(signed([old])) == .success("evt_1"))
    #expect(verify(signed([new])) == .success("evt_1"))
    #expect(verify(signed([old, new]), keys: [new]) == .success("evt_1"))
    #expect(verify(signed([old]), keys: [new]) == .failure(.badSignature))
    #expect(verify(signed([old]), keys: []) == .failure(.badSignature))
  }

  @Test("A changed body, id or time does not fit the signature")
  func tampering() {
    let fields = signed([old])
    #expect(verify(fields, body + [0x20]) == .failure(.badSignature))
    let signature = fields["webhook-signature"] ?? ""
    for (id, timestamp) in [("evt_2", WebhookTests.now), ("evt_1", WebhookTests.now + 1)] {
      let changed: HTTPFields = [
        "webhook-id": id, "webhook-timestamp": "\(timestamp)", "webhook-signature": signature,
      ]
      #expect(verify(changed) == .failure(.badSignature))
    }
  }

  @Test(
    "300 seconds are allowed in both directions, 301 are not",
    arguments: [-301, -300, 0, 300, 301] as [Int64])
  func tolerance(age: Int64) {
    let result = verify(signed([old], at: WebhookTests.now - age))
    #expect(result == (abs(age) <= 300 ? .success("evt_1") : .failure(.stale(seconds: age))))
  }

  @Test("A stale delivery with a bad signature learns nothing of our clock")
  func staleAndBad() {
    #expect(verify(signed([old], at: 1), keys: [new]) == .failure(.badSignature))
  }

  @Test("While the clock is not set every delivery is to come again later")
  func clockNotSet() {
    let result = verify(signed([old], at: 100), now: 100)
    #expect(result == .failure(.clockNotSet))
    #expect(WebhookFault.clockNotSet.status == 503)
  }

  @Test(
    "Each header has to be there exactly once",
    arguments: ["webhook-id", "webhook-timestamp", "webhook-signature"])
  func headers(name: String) {
    let fields = signed([old])
    #expect(
      verify(HTTPFields(fields.entries.filter { $0.name != name })) == .failure(.header(name: name, count: 0))
    )
    #expect(
      verify(HTTPFields(fields.entries.map { ($0.name, $0.name == name ? "" : $0.value) }))
        == .failure(.header(name: name, count: 0)))
    var twice = fields
    twice.append(name.uppercased(), "1")
    #expect(verify(twice) == .failure(.header(name: name, count: 2)))
  }

  @Test(
    "Ids and times that are not well-formed are refused",
    arguments: [
      ("a b", "1795939200", WebhookFault.malformedID), ("a.1", "1795939200", .malformedID),
      (String(repeating: "x", count: 257), "1795939200", .malformedID), ("ü", "1795939200", .malformedID),
      ("a", "1795939200.0", .malformedTimestamp), ("a", "-1", .malformedTimestamp),
      ("a", "1e9", .malformedTimestamp),
      ("a", "+1795939200", .malformedTimestamp), ("a", "1795939200000", .malformedTimestamp),
      ("a", " 1", .malformedTimestamp),
    ])
  func malformed(id: String, timestamp: String, fault: WebhookFault) {
    let fields: HTTPFields = [
      "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": "v1,AAAA",
    ]
    #expect(verify(fields) == .failure(fault))
  }

  @Test(
    "Lists of signatures that are none are refused",
    arguments: [
      ("v2,AAAA", WebhookFault.malformedSignature), ("AAAA", .malformedSignature),
      ("v1a,AAAA", .malformedSignature),
      (String(repeating: "v1,AAAA ", count: 17), .malformedSignature), ("v1,", .badSignature),
      ("v1,????", .badSignature),
      ("v1,AAAA", .badSignature),
    ])
  func signatures(list: String, fault: WebhookFault) {
    let fields: HTTPFields = [
      "webhook-id": "a", "webhook-timestamp": "\(WebhookTests.now)", "webhook-signature": list,
    ]
    #expect(verify(fields) == .failure(fault))
  }

  @Test("An asymmetric signature beside ours does not disturb")
  func mixedVersions() {
    let fields = signed([old])
    let list = "v1a,AAAA " + (fields["webhook-signature"] ?? "")
    let mixed = HTTPFields(fields.entries.map { ($0.name, $0.name == "webhook-signature" ? list : $0.value) })
    #expect(verify(mixed) == .success("evt_1"))
  }

  @Test(
    "Secret files have one key a line, comments, and never show",
    arguments: [
      ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw==\n", 1), ("# old\nthe old secret, no\n", 0),
      ("# both\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw==\r\n\n  0123456789abcdef  \n", 2), ("", 0),
      ("short\n", 0),
      ("whsec_!!!\n", 0), ("whsec_AAAA\n", 0), ("\u{FEFF}\n", 0),
      (String(repeating: "0123456789abcdef\n", count: 9), 0),
    ])
  func secretFiles(text: String, count: Int) {
    do throws(WebhookKey.Fault) {
      let keys = try WebhookKey.keys(in: Array(text.utf8))
      #expect(keys.count == count)
      #expect(!"\(keys)".contains("0123456789abcdef"))
    } catch {
      #expect(count == 0)
      #expect(!error.message.contains("the old secret"))
    }
  }

  @Test("The route hands a believed wake on, with the sender's wishes, and answers the others itself")
  func route() async throws {
    let seen = Mutex<[WakeRequest]>([])
    let refused = Mutex<[WebhookFault]>([])
    let webhook = Webhook(
      keys: { [old] in [old] }, clock: { Double(WebhookTests.now) },
      refused: { fault, _ in refused.withLock { $0.append(fault) } },
      handle: { wake in
        seen.withLock { $0.append(wake) }
        return HTTPServer.Response(status: wake.respondsAsync ? 202 : 200)
      })
    var fields = signed([old])
    let plain = HTTPServer.Request(
      .post, "/v1/wakes", fields: fields, body: body, peer: "10.0.0.9", acceptedAt: 7)
    #expect(await webhook.routes.answer(plain).status == 200)
    fields.append("prefer", "wait=5, Respond-Async ; x=1")
    let asynchronous = HTTPServer.Request(.post, "/v1/wakes", fields: fields, body: body)
    #expect(await webhook.routes.answer(asynchronous).status == 202)
    let forged = await webhook.routes.answer(
      HTTPServer.Request(.post, "/v1/wakes", fields: signed([new]), body: body))
    #expect(forged.status == 401)
    #expect(String(decoding: forged.body, as: UTF8.self).contains(#""error":"no signature fits","remedy":"#))
    let wakes = seen.withLock { $0 }
    #expect(wakes.map(\.deliveryID) == ["evt_1", "evt_1"])
    #expect(wakes.first?.body == body)
    #expect(wakes.first?.peer == "10.0.0.9")
    #expect(wakes.first?.acceptedAt == 7)
    #expect(refused.withLock { $0 } == [.badSignature])
  }
}
