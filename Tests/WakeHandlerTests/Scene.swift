import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing
import WakeHandler

/// A shop in memory: a clock that stands, a journal, an order service, printers, and the handler between them.
final class Scene: Sendable {
  /// The date at which the clock stands at first, seconds since 1970.
  static let opening = 1_800_000_000.0

  let log = EventLog()
  let clock: ManualClock
  let journal: JournalDouble
  let orders: OrdersDouble
  let printers: [String: PrinterDouble]
  let handler: WakeHandler
  let setups: [PrinterSetup]

  /// Opens the shop.
  init(
    printers names: [String] = ["front"], routes: [Route] = [], announcer: (any AnnouncerPort)? = nil,
    clock: ManualClock = ManualClock(), fence: PrinterProfile.Fence = .paperStatus,
    policies change: (inout Policies) -> Void = { _ in }
  ) throws {
    let log = log
    self.clock = clock
    let start = clock.now
    let date: @Sendable () -> Double = {
      Self.opening + Double(start.duration(to: clock.now).wholeNanoseconds) / 1e9
    }
    var policies = Policies()
    policies.date = date
    policies.jitter = { 0.5 }
    change(&policies)
    journal = JournalDouble(log: log, date: policies.date)
    orders = OrdersDouble(log: log, clock: clock)
    let printers = Dictionary(
      uniqueKeysWithValues: names.map { ($0, PrinterDouble($0, log: log, clock: clock)) })
    self.printers = printers
    let profile = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
      .profile(named: "generic-80")
    setups = names.compactMap { name in
      var profile = profile
      profile.name = name
      profile.fence = fence
      return printers[name].map { PrinterSetup(name: name, profile: profile, opener: $0) }
    }
    let ports = Ports(
      orders: orders, jobs: journal, prepare: Self.prepare,
      converse: { link, profile, clock, _ in
        printers[profile.name]?.converse() ?? PrinterConversation(link: link, profile: profile, clock: clock)
      }, announcer: announcer,
      note: { log.say("note: \($0.message)") })
    handler = WakeHandler(ports: ports, printers: setups, routes: routes, clock: clock, policies: policies)
  }

  var front: PrinterDouble {
    get throws { try #require(printers["front"]) }
  }

  /// Orders are words here: `bad` cannot be read, `unwanted` is for no printer, `paid N` was paid at N seconds
  /// after the opening, and anything else is what is printed, with a mark on copies.
  private static func prepare(
    _ job: Job, _ order: [UInt8], _ profile: PrinterProfile
  ) throws(DocumentFault) -> Preparation {
    let text = String(decoding: order, as: UTF8.self)
    if text == "bad" {
      throw DocumentFault(path: "items[3].amount", message: "expected a decimal string such as \"12.50\"")
    }
    if text == "unwanted" { return .unwanted("the route wants no such order") }
    let paidAt = text.hasPrefix("paid ") ? Double(text.dropFirst(5)).map { opening + $0 } : nil
    let mark = job.key.copy > 1 ? " copy \(job.key.copy)" : ""
    return .receipt(PreparedReceipt(bytes: Array("\(text)\(mark)".utf8), paidAt: paidAt))
  }

  /// Hands in a wake for an order, or one that names none.
  func wake(_ orderID: String?, id: String? = nil) async throws -> Completion {
    let data = orderID.map { "{\"order_id\":\"\($0)\"}" } ?? "{}"
    let body = "{\"aps\":{\"content-available\":1},\"type\":2,\"data\":\(data)}"
    let delivery = WakeDelivery(body: Array(body.utf8), id: id, channel: "test")
    switch await handler.accept(delivery) {
    case .accepted(let completion): return completion
    case .refused(let refusal): throw refusal
    }
  }

  /// Has a test page printed that must have begun in 30 s.
  func testPage(
    on printer: String = "front",
    _ page: @escaping @Sendable (PrinterConversation.Gate) throws -> [UInt8] = { _ in Array("ruler".utf8) }
  ) async throws -> Outcome {
    try await handler.testPrint(printer, by: clock.now.advanced(by: .seconds(30)), page)
  }

  /// The journal's states, a job a word.
  var states: [JobState] { journal.all.map(\.state) }
}
