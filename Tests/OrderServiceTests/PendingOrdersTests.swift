import Testing

@testable import OrderService

struct PendingOrdersTests {
  private static let second: Int64 = 1_000_000_000
  private static let noon: Int64 = 1_795_939_200 * second

  private func arrival(_ id: String, at seconds: Int64) -> PendingOrders.Arrival {
    PendingOrders.Arrival(time: PendingOrdersTests.noon + seconds * PendingOrdersTests.second, id: id)
  }

  private func page(
    _ arrivals: [PendingOrders.Arrival], after cursor: String?, now seconds: Int64
  ) -> (orderIDs: [String], cursor: String?) {
    let now = PendingOrdersTests.noon + seconds * PendingOrdersTests.second
    return PendingOrders(arrivals: arrivals, now: now).page(after: cursor)
  }

  @Test("Nothing is listed of an empty folder, and the cursor stays")
  func empty() {
    #expect(page([], after: nil, now: 0).cursor == nil)
    #expect(page([], after: "d1:5", now: 0).cursor == "d1:5")
  }

  @Test("What arrived in the minute before the newest is listed again, what is older is not")
  func overlap() {
    let arrivals = [arrival("old", at: 0), arrival("recent", at: 100), arrival("newest", at: 120)]
    let first = page(arrivals, after: nil, now: 130)
    #expect(first.orderIDs == ["old", "recent", "newest"])
    let second = page(arrivals, after: first.cursor, now: 200)
    #expect(second.orderIDs == ["recent", "newest"])
    #expect(second.cursor == first.cursor)
  }

  @Test("A file that becomes visible after a later one is not skipped")
  func outOfOrder() {
    let first = page([arrival("b", at: 10)], after: nil, now: 11)
    let second = page(
      [arrival("b", at: 10), arrival("a", at: 10), arrival("c", at: 9)], after: first.cursor, now: 12)
    #expect(Set(second.orderIDs) == ["a", "b", "c"])
  }

  @Test(
    "Many files of one instant come page by page, each exactly once, and what arrives meanwhile comes after")
  func pages() {
    var arrivals = (0..<2500).map { arrival("order-\(10000 + $0)", at: 0) }
    var seen: [String] = []
    var cursor: String?
    for number in 0..<3 {
      let answer = page(arrivals, after: cursor, now: 30)
      seen += answer.orderIDs
      cursor = answer.cursor
      if number == 0 { arrivals.append(arrival("a-late", at: 20)) }
    }
    #expect(seen.count == 2501)
    #expect(Set(seen).count == 2501)
    #expect(seen.last == "a-late")
    #expect(cursor?.split(separator: ":").count == 2)
    #expect(page(arrivals, after: cursor, now: 40).orderIDs.count == 1000)
    let later = arrivals + [arrival("next", at: 500)]
    var rest: [String] = []
    for _ in 0..<4 {
      let answer = page(later, after: cursor, now: 600)
      rest += answer.orderIDs
      cursor = answer.cursor
    }
    #expect(rest.contains("next"))
    #expect(page(later, after: cursor, now: 700).orderIDs == ["next"])
  }

  @Test("After the clock was set back, what arrives is found")
  func clockSetBack() {
    let first = page([arrival("a", at: 100_000)], after: nil, now: 100_001)
    let second = page([arrival("a", at: 100_000), arrival("b", at: 5)], after: first.cursor, now: 10)
    #expect(second.orderIDs.contains("b"))
  }

  @Test("Files from before the clock was set are always listed")
  func clockNotSet() {
    let arrivals = [PendingOrders.Arrival(time: 5, id: "early"), arrival("a", at: 0)]
    let first = page(arrivals, after: nil, now: 1)
    #expect(first.orderIDs == ["early", "a"])
    #expect(page(arrivals, after: first.cursor, now: 1000).orderIDs == ["early", "a"])
  }
}
