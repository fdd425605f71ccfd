/// Which files of the folder are listed after a cursor.
///
/// A file's arrival is its change time (`st_ctime`), which renaming sets and nobody can set back, unlike its
/// modification time: a file that is moved in with an old date still comes last. Because a file can become visible a
/// moment after a later one, and clocks are set back, the cursor stands a minute before the newest arrival, and files from
/// before the clock was set are always listed. So every order is listed at least once, and some are again.
///
/// A cursor is `d1:FLOOR` (everything that arrived from FLOOR on comes next) or, after a page that was full,
/// `d1:FLOOR:TIME:ID` (what follows TIME and ID comes next, and the last page has the cursor `d1:FLOOR`).
struct PendingOrders {
  /// An order's file.
  struct Arrival: Equatable {
    /// Its change time, nanoseconds since 1970.
    var time: Int64
    /// The order's id.
    var id: String

    static func precedes(_ left: Arrival, _ right: Arrival) -> Bool {
      (left.time, left.id) < (right.time, right.id)
    }
  }

  /// The most orders on a page.
  static let limit = 1000
  private static let overlap: Int64 = 60_000_000_000
  /// 2025-01-01: a clock before it has not been set.
  private static let earliest: Int64 = 1_735_689_600_000_000_000

  var arrivals: [Arrival]
  /// Nanoseconds since 1970.
  var now: Int64

  private struct Cursor {
    var floor: Int64
    var last: Arrival?

    init(floor: Int64, last: Arrival? = nil) {
      self.floor = floor
      self.last = last
    }

    /// Nil for a cursor of another service: then everything is listed.
    init?(_ text: String) {
      let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 2 || parts.count == 4, parts[0] == "d1", let floor = Int64(parts[1]) else {
        return nil
      }
      self.init(floor: floor)
      guard parts.count == 4 else { return }
      guard let time = Int64(parts[2]) else { return nil }
      last = Arrival(time: time, id: String(parts[3]))
    }

    var text: String {
      last.map { "d1:\(floor):\($0.time):\($0.id)" } ?? "d1:\(floor)"
    }
  }

  /// The next page, oldest first, and the cursor behind it: the same one when there is nothing.
  func page(after text: String?) -> (orderIDs: [String], cursor: String?) {
    let cursor = text.flatMap(Cursor.init)
    let sorted = arrivals.sorted(by: Arrival.precedes)
    let newest = min(sorted.last?.time ?? 0, now)
    let floor = cursor?.last == nil ? newest - PendingOrders.overlap : cursor?.floor ?? 0
    let waiting = sorted.filter { follows($0, cursor) }
    let page = waiting.prefix(PendingOrders.limit)
    guard let last = page.last else { return ([], cursor.map { Cursor(floor: $0.floor).text } ?? text) }
    let next = Cursor(floor: floor, last: page.count < waiting.count ? last : nil)
    return (page.map(\.id), next.text)
  }

  private func follows(_ arrival: Arrival, _ cursor: Cursor?) -> Bool {
    guard let cursor else { return true }
    if let last = cursor.last { return Arrival.precedes(last, arrival) }
    return arrival.time >= min(cursor.floor, now - PendingOrders.overlap)
      || arrival.time < PendingOrders.earliest
  }
}
