import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

struct WakeDecodingTests {
  private func read(_ name: String, inline: Bool = false) throws -> Wake {
    try Wake(
      json: Fixtures.bytes("wakes/\(name).json"),
      limits: Wake.Limits(bytes: Wake.Limits.pushBytes, allowsInlineOrder: inline))
  }

  private func fault(_ body: String) -> DocumentFault? {
    do throws(DocumentFault) {
      _ = try Wake(json: Array(body.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("the wake of a payment, with its data in a string")
  func design() throws {
    let wake = try read("design")
    #expect(wake.printRequested && wake.announceRequested && !wake.asksForNothing)
    #expect(wake.alert?.body == "实收12.50元，订单金额12.50元" && wake.alert?.title == nil)
    #expect(wake.sound == "cash_success.m4a")
    #expect(wake.category == "payment")
    #expect(wake.type == 2)
    #expect(wake.orderID == "20261130-000187")
    #expect(wake.payType == "1")
    #expect(wake.amount == Money(minorUnits: 1250, decimals: 2))
    #expect(wake.inlineOrder == nil)
  }

  @Test(
    "numbers as strings, strings as numbers, data and alert and sound as objects, and keys that nobody reads")
  func numericStrings() throws {
    let wake = try read("numeric-strings")
    #expect(wake.printRequested && wake.announceRequested)
    #expect(wake.alert?.title == "Paid" && wake.alert?.body == "12.50")
    #expect(wake.sound == "cash.m4a")
    #expect(wake.type == 3)
    #expect(wake.orderID == "20261130000187")
    #expect(wake.payType == "2")
    #expect(wake.amount == Money("12.5"))
  }

  @Test("the older shapes: key and value, type and amount, contents")
  func variants() throws {
    let sound = try read("sound-value")
    #expect(sound.amount == Money("0.07") && sound.announceRequested && !sound.printRequested)
    let flat = try read("flat-amount")
    #expect(flat.amount == Money("3.00") && flat.printRequested && flat.orderID == nil)
    let contents = try read("contents")
    #expect(contents.contents == "微信收款 12.50 元" && contents.announceRequested)
    let background = try read("background")
    #expect(background.printRequested && !background.announceRequested && background.sound == nil)
  }

  @Test("an order in the wake is taken where that is allowed, and is passed over where not")
  func inlineOrder() throws {
    let taken = try read("inline-order", inline: true)
    #expect(taken.orderID == "A-1")
    let order = try DocumentReader.read(InlineOrder.self, from: try #require(taken.inlineOrder))
    #expect(order.id == "A-1" && order.currency == "EUR" && order.vip && order.note == nil)
    #expect(order.items == [InlineOrder.Item(name: "Brötchen", amount: "0.35", n: 2)])
    let word = Array("{\"aps\":{},\"order\":\"A-17\"}".utf8)
    #expect(throws: DocumentFault(path: "order", message: "expected an object")) {
      try Wake(json: word, limits: Wake.Limits(allowsInlineOrder: true))
    }
    #expect(try Wake(json: word).orderID == nil, "a key that is not read may hold anything")
    let passed = try read("inline-order")
    #expect(passed.inlineOrder == nil && passed.orderID == nil)
    let other = "{\"aps\":{},\"data\":{\"order_id\":\"B\"},\"order\":{\"id\":\"A\"}}"
    #expect(throws: DocumentFault(path: "order.id", message: "names another order than the rest of the wake"))
    {
      try Wake(json: Array(other.utf8), limits: Wake.Limits(allowsInlineOrder: true))
    }
    let nameless = "{\"aps\":{},\"order\":{\"currency\":\"EUR\"}}"
    #expect(throws: DocumentFault(path: "order.id", message: "is missing")) {
      try Wake(json: Array(nameless.utf8), limits: Wake.Limits(allowsInlineOrder: true))
    }
  }

  @Test(
    "nothing asks for a print but a content-available of 1",
    arguments: [
      ("1", true), ("\"1\"", true), ("true", true), ("0", false), ("\"0\"", false), ("false", false),
      ("null", false),
    ])
  func contentAvailable(value: String, isRequested: Bool) throws {
    let wake = try Wake(json: Array("{\"aps\":{\"content-available\":\(value)}}".utf8))
    #expect(wake.printRequested == isRequested)
    #expect(try !Wake(json: Array("{\"aps\":{\"mutable-content\":\(value)}}".utf8)).announceRequested)
  }

  @Test(
    "an amount of money goes through no binary fraction",
    arguments: ["0.07", "19.99", "1234567890.12", "1234567890123.4567", "0"])
  func amounts(text: String) throws {
    let number = try Wake(json: Array("{\"aps\":{},\"amount\":\(text)}".utf8))
    #expect(number.amount == Money(text))
    let string = try Wake(json: Array("{\"aps\":{},\"amount\":\"\(text)\"}".utf8))
    #expect(string.amount == Money(text))
  }

  @Test(
    "an amount that is no plain decimal is refused with its path",
    arguments: [
      "abc", "1,234.5", "12.5元", "¥12.5", "12.", ".50", "12.34567", "1e3", "１２.５", "NaN", " 12 ", "+5",
    ])
  func badAmounts(text: String) {
    #expect(
      fault("{\"aps\":{},\"data\":{\"sum_amount\":\"\(text)\"}}")
        == DocumentFault(path: "data.sum_amount", message: "expected a decimal string such as \"12.50\""))
    #expect(
      fault("{\"aps\":{},\"data\":\"{\\\"sum_amount\\\":\\\"\(text)\\\"}\"}")?.path == "data.sum_amount")
  }

  @Test("what the order came to stands in data, beside what was received")
  func orderAmount() throws {
    let body = #"{"aps":{},"data":"{\"sum_amount\":\"10.00\",\"order_amount\":\"12.50\"}"}"#
    let wake = try Wake(json: Array(body.utf8))
    #expect(wake.amount == Money("10.00"))
    #expect(wake.orderAmount == Money("12.50"))
    #expect(fault(#"{"aps":{},"data":{"order_amount":"12,50"}}"#)?.path == "data.order_amount")
    #expect(try Wake(json: Array(#"{"aps":{},"data":{"order_amount":""}}"#.utf8)).orderAmount == nil)
  }

  @Test("a payment's and a refund's own ids stand in data or beside it, as words or as numbers")
  func paymentIDs() throws {
    let inside = #"{"aps":{},"data":"{\"payment_id\":42000001,\"refund_id\":\"r-1\"}","payment_id":"other"}"#
    let wake = try Wake(json: Array(inside.utf8))
    #expect(wake.paymentID == "42000001" && wake.refundID == "r-1")
    let beside = try Wake(json: Array(#"{"aps":{},"payment_id":"p","data":{"refund_id":""}}"#.utf8))
    #expect(beside.paymentID == "p" && beside.refundID == nil)
  }

  @Test("empty data, an empty amount and an empty id name nothing")
  func emptyValues() throws {
    for data in ["\"\"", "null", "{}", "\"{}\"", "{\"order_id\":\"\",\"sum_amount\":\"\"}"] {
      let wake = try Wake(json: Array("{\"aps\":{\"content-available\":1},\"data\":\(data)}".utf8))
      #expect(wake.orderID == nil && wake.amount == nil)
    }
  }

  @Test(
    "what is wrong is refused with its path",
    arguments: [
      ("{\"foo\":1}", "aps"), ("{\"aps\":1}", "aps"),
      ("{\"aps\":{\"content-available\":2}}", "aps.content-available"),
      ("{\"aps\":{\"content-available\":[1]}}", "aps.content-available"),
      ("{\"aps\":{\"alert\":5}}", "aps.alert"), ("{\"aps\":{\"sound\":5}}", "aps.sound"),
      ("{\"aps\":{\"alert\":{\"body\":5}}}", "aps.alert.body"), ("{\"aps\":{},\"type\":\"two\"}", "type"),
      ("{\"aps\":{},\"type\":2.5}", "type"), ("{\"aps\":{},\"data\":5}", "data"),
      ("{\"aps\":{},\"data\":[]}", "data"),
      ("{\"aps\":{},\"data\":\"[1]\"}", "data"), ("{\"aps\":{},\"data\":\"{not json\"}", "data"),
      ("{\"aps\":{},\"data\":{\"order_id\":{}}}", "data.order_id"),
      ("{\"aps\":{},\"data\":\"{\\\"order_id\\\":[]}\"}", "data.order_id"),
      ("{\"aps\":{},\"data\":{\"order_id\":1.5}}", "data.order_id"),
      ("{\"aps\":{},\"data\":{\"order_id\":\"a\\u001bp0\"}}", "data.order_id"),
      ("{\"aps\":{},\"data\":{\"order_id\":\"a\\u202eb\"}}", "data.order_id"),
      ("{\"aps\":{},\"data\":{\"pay_type\":{}}}", "data.pay_type"),
      ("{\"aps\":{},\"data\":{\"payment_id\":{}}}", "data.payment_id"),
      ("{\"aps\":{},\"payment_id\":\"a\\u0000\"}", "payment_id"),
      ("{\"aps\":{},\"data\":{\"refund_id\":\"a\\u202eb\"}}", "data.refund_id"),
      ("{\"aps\":{},\"amount\":true}", "amount"),
      ("{\"aps\":{},\"key\":\"sound\",\"value\":\"abc\"}", "value"),
      ("{\"aps\":{},\"order_id\":\"A\",\"data\":{\"order_id\":\"B\"}}", "order_id"),
    ])
  func wrongShapes(body: String, path: String) {
    #expect(fault(body)?.path == path)
    #expect(fault(body)?.message.isEmpty == false)
  }

  @Test(
    "what is not JSON is refused",
    arguments: ["", "not json", "{", "[1,2]", "\"wake\"", "{\"aps\":{}} x", "{\"aps\":{},}"])
  func notJSON(body: String) {
    #expect(fault(body) != nil)
  }

  @Test("bodies that nest for ever, or are no UTF-8, are refused")
  func hostile() {
    #expect(fault("{\"aps\":{},\"x\":" + String(repeating: "[", count: 30_000)) != nil)
    #expect(throws: DocumentFault.self) { try Wake(json: [0x7B, 0xFF, 0xFE, 0x7D]) }
  }

  @Test("a push is at most 4 KiB, any body 64 KiB, whatever is asked for")
  func sizes() throws {
    func body(_ count: Int) -> [UInt8] {
      let head = "{\"aps\":{\"alert\":\"", tail = "\"}}"
      return Array(
        (head + String(repeating: "x", count: count - head.utf8.count - tail.utf8.count) + tail).utf8)
    }
    let push = Wake.Limits(bytes: Wake.Limits.pushBytes)
    _ = try Wake(json: body(4096), limits: push)
    #expect(throws: DocumentFault(path: "", message: "the wake is 4097 bytes long, at most 4096 are taken")) {
      try Wake(json: body(4097), limits: push)
    }
    let any = Wake.Limits(bytes: 10_000_000)
    _ = try Wake(json: body(65_536), limits: any)
    #expect(throws: DocumentFault.self) { try Wake(json: body(65_537), limits: any) }
    #expect(throws: DocumentFault.self) { try Wake(json: body(5_000_000), limits: any) }
  }

  @Test("an order id is at most 128 bytes")
  func longID() throws {
    let id = String(repeating: "7", count: 128)
    #expect(try Wake(json: Array("{\"aps\":{},\"order_id\":\"\(id)\"}".utf8)).orderID == id)
    #expect(fault("{\"aps\":{},\"order_id\":\"\(id)7\"}")?.message == "an order id is at most 128 bytes long")
  }
}

private struct InlineOrder: Decodable {
  struct Item: Decodable, Equatable {
    var name: String
    var amount: String
    var n: Int
  }
  var id: String
  var currency: String
  var items: [Item]
  var vip: Bool
  var note: String?
}
