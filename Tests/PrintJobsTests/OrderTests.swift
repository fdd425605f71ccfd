import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Testing

@Suite("Orders as documents")
struct OrderTests {
  private func read(_ json: String) throws(DocumentFault) -> Order {
    try DocumentReader.read(Order.self, from: Array(json.utf8))
  }

  @Test("the restaurant bill is read with all it says")
  func sample() throws {
    let order = try DocumentReader.read(Order.self, from: Fixtures.bytes("samples/20261130-000187.json"))
    #expect(order.id == "20261130-000187")
    #expect(order.payType == "1")
    #expect(order.items.map(\.amount.description) == ["8.00", "3.00", "2.00"])
    #expect(order.items[1].quantity == Money(minorUnits: 2, decimals: 0))
    #expect(
      order.totals.last
        == Order.Total(label: "实收", amount: Money(minorUnits: 1_250, decimals: 2), emphasis: true))
    // What the wake says aloud is what the bill says.
    #expect(
      String(decoding: try Fixtures.bytes("samples/wake-20261130-000187.json"), as: UTF8.self).contains(
        #"\"sum_amount\":\"12.50\""#))
  }

  @Test("the totals of the samples add up", arguments: ["20261130-000187", "20261130-000188"])
  func sums(id: String) throws {
    let order = try DocumentReader.read(Order.self, from: Fixtures.bytes("samples/\(id).json"))
    let items = order.items.reduce(0) { $0 + $1.amount.minorUnits }
    let extras = order.totals.dropLast().reduce(0) { $0 + $1.amount.minorUnits }
    let total = try #require(order.totals.last?.amount.minorUnits)
    #expect(total == extras)
    #expect(items == total || items == order.totals.first?.amount.minorUnits)
  }

  @Test("numbers where backends send numbers, and what is missing")
  func shapes() throws {
    let order = try read(
      #"""
      {"id": 187, "number": 4711, "currency": "EUR", "pay_type": 2, "paid_at": "2026-11-30T12:36:18+08:00",
       "items": [{"name": "x", "amount": "1.00"}], "note": "", "qr": null}
      """#)
    #expect(order.id == "187" && order.number == "4711" && order.payType == "2")
    #expect(order.paidAt == 1_796_013_378)
    #expect(
      order.items == [
        Order.Item(
          name: "x", quantity: Money(minorUnits: 1, decimals: 0), amount: Money(minorUnits: 100, decimals: 2))
      ])
    #expect(order.note == nil && order.qr == nil && order.merchant == nil && order.totals.isEmpty)
    let ready = try read(#"{"id": "1", "receipt": {"blocks": [{"type": "cut"}]}}"#)
    #expect(ready.currency == "XXX" && ready.items.isEmpty)
    #expect(ready.receipt == Receipt(blocks: [.cut(Receipt.Cut())]))
  }

  @Test("2,000 items are read, and a fault in the last of them is found")
  func manyItems() throws {
    func order(_ last: String) -> String {
      let items = (0..<1_999).map { #"{"name": "Item \#($0)", "quantity": 1, "amount": "1.00"}"# } + [last]
      return #"{"id": "1", "currency": "EUR", "items": ["# + items.joined(separator: ",") + "]}"
    }
    #expect(try read(order(#"{"name": "last", "amount": "1.00"}"#)).items.count == 2_000)
    #expect(
      throws: DocumentFault(
        path: "items[1999].amount", message: #"expected a decimal string such as "12.50""#)
    ) {
      try read(order(#"{"name": "last", "amount": 1.00}"#))
    }
  }

  @Test("half a body is told by its place")
  func halfABody() throws {
    let whole = try Fixtures.bytes("samples/20261130-000188.json")
    for length in stride(from: 1, to: whole.count - 2, by: 37) {
      #expect(throws: DocumentFault.self) {
        try DocumentReader.read(Order.self, from: Array(whole.prefix(length)))
      }
    }
  }
}
