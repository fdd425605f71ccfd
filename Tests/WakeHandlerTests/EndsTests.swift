import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing
import WakeHandler

/// Every way in which a wake can end: what is told to happen, and what must be true when its completion is called.
@Suite(.timeLimit(.minutes(1)))
struct EndsTests {
  /// One way.
  struct End: Sendable, CustomTestStringConvertible {
    var name: String
    /// The order that the wake names, or nil.
    var order: String? = "bread"
    /// Tells the doubles what to do.
    var script: @Sendable (Scene) throws -> Void = { _ in }
    /// What is waited for before the budget runs out; nil when the wake ends by itself.
    var expiryAfter: String?
    /// A moment on the way to the expiry, and what is waited for then.
    var moment: (after: Duration, until: String)?
    var outcome: Outcome
    var states: [JobState]
    /// The outcomes that were reported by the completion.
    var reports: [String]
    var paper: [String]

    var testDescription: String { name }
  }

  @Test("a wake ends once, after print and report or at its expiry, with what is true", arguments: ends)
  func end(_ end: End) async throws {
    let scene = try Scene()
    try end.script(scene)
    let isComplete = Mutex(false)
    scene.orders.watch { isComplete.withLock { $0 } }
    let completion = try await scene.wake(end.order)
    async let first = completion.value
    async let second = completion.value
    if let event = end.expiryAfter {
      await scene.log.until(event)
      #expect(completion.current == nil, "nothing ends before its budget: \(scene.log.words)")
      if let moment = end.moment {
        scene.clock.advance(by: moment.after)
        await scene.log.until(moment.until)
        #expect(completion.current == nil, "nothing ends before its budget: \(scene.log.words)")
      }
      scene.clock.advance(by: .milliseconds(9700) - (end.moment?.after ?? .zero))
    }
    let (value, again) = await (first, second)
    isComplete.withLock { $0 = true }

    #expect(value.outcome == end.outcome)
    #expect(value.result == end.outcome.result)
    #expect(value == again)
    #expect(scene.states == end.states)
    #expect(scene.orders.reports.map(\.outcome) == end.reports)
    #expect(try scene.front.paper == end.paper)
    #expect(value.timeline.completed == (end.expiryAfter == nil ? 0 : 9700))
    #expect(await scene.handler.status().counts.completions == [end.outcome.word: 1])
    if end.expiryAfter == nil {
      #expect(scene.orders.reports.isEmpty == end.reports.isEmpty)
      #expect(scene.log.count(of: "report after completion") == 0)
    }
    if let printed = scene.log.place(of: "sent bread"), let intent = scene.log.place(of: "intent 1") {
      #expect(intent < printed, "the intent is durable before the first byte")
    }
    if let report = scene.log.place(of: "report printed"), let printed = scene.log.place(of: "printed 1") {
      #expect(printed < report, "the print is durable before its report")
    }
    // A slow opening holds up a stop for as long as it takes, and the clock stands.
    try scene.front.appear()
    await scene.handler.stop(by: scene.clock.now)
  }

  private static let paperOut: PrinterStatus = {
    var status = PrinterStatus()
    status.paper = .end
    return status
  }()

  private static let inPrint = Outcome.unknown("is being printed; not confirmed yet")

  static let ends: [End] = [
    End(
      name: "printed and reported", outcome: .printed(.fence), states: [.printed], reports: ["printed"],
      paper: ["bread"]),
    End(
      name: "printed without a back channel",
      script: {
        try $0.front.script {
          $0.gates = [.unasked]; $0.fences = [.unconfirmed]
        }
      },
      outcome: .printed(.unconfirmed), states: [.printed], reports: ["printed"], paper: ["bread"]),
    End(
      name: "printed, report refused", script: { $0.orders.failReports(.refused) },
      outcome: .printedUnreported(.fence), states: [.printed], reports: [], paper: ["bread"]),
    End(
      name: "printed, report unavailable", script: { $0.orders.failReports(.unavailable) },
      outcome: .printedUnreported(.fence), states: [.printed], reports: [], paper: ["bread"]),
    End(
      name: "printed, a service without reports", script: { $0.orders.failReports(.unsupported) },
      outcome: .printed(.fence), states: [.printed], reports: [], paper: ["bread"]),
    End(
      name: "printed, report without an answer", script: { $0.orders.hangReports() },
      expiryAfter: "report printed",
      outcome: .printedUnreported(.fence), states: [.printed], reports: [], paper: ["bread"]),
    End(
      name: "printed, the acknowledgement not noted", script: { $0.journal.fail("reported") },
      outcome: .printed(.fence), states: [.printed], reports: ["printed"], paper: ["bread"]),
    End(
      name: "printed, the print not noted", script: { $0.journal.fail("printed", times: .max) },
      expiryAfter: "journal fails: printed", outcome: .printedUnreported(.fence), states: [.intent],
      reports: [],
      paper: ["bread"]),
    End(
      name: "no such order", script: { $0.orders.answer("bread", .fails(.notFound)) },
      outcome: .notPrinted("the order could not be fetched: told to fail"), states: [.rejected],
      reports: ["notPrinted"], paper: []),
    End(
      name: "order refused", script: { $0.orders.answer("bread", .fails(.refused)) },
      outcome: .notPrinted("the order could not be fetched: told to fail"), states: [.rejected],
      reports: ["notPrinted"], paper: []),
    End(
      name: "order service down", script: { $0.orders.answer("bread", .fails(.unavailable)) },
      expiryAfter: "note: the order could not be fetched: told to fail",
      outcome: .queued("the order could not be fetched: told to fail"), states: [.received], reports: [],
      paper: []),
    End(
      name: "order service silent", script: { $0.orders.answer("bread", .hangs) }, expiryAfter: "fetch bread",
      moment: (.milliseconds(8700), "note: the order could not be fetched: no answer in time"),
      outcome: .queued("the order could not be fetched: no answer in time"), states: [.received], reports: [],
      paper: []),
    End(
      name: "order that cannot be read", script: { $0.orders.answer("bread", .order("bad")) },
      outcome: .notPrinted("items[3].amount: expected a decimal string such as \"12.50\""),
      states: [.rejected],
      reports: ["notPrinted"], paper: []),
    End(
      name: "order that no route wants", script: { $0.orders.answer("bread", .order("unwanted")) },
      outcome: .ignored("the route wants no such order"), states: [.cancelled], reports: ["ignored"],
      paper: []),
    End(
      name: "order paid too long ago", script: { $0.orders.answer("bread", .order("paid -7201")) },
      outcome: .notPrinted("too old to be printed without a person"), states: [.expired],
      reports: ["notPrinted"],
      paper: []),
    End(
      name: "printer off", script: { try $0.front.script { $0.opens = [.unreachable] } },
      expiryAfter: "note: waiting: the printer is off", outcome: .queued("the printer is off"),
      states: [.rendered],
      reports: [], paper: []),
    End(
      name: "printer with another host", script: { try $0.front.script { $0.opens = [.busy] } },
      expiryAfter: "note: waiting: the printer is off", outcome: .queued("the printer is off"),
      states: [.rendered],
      reports: [], paper: []),
    End(
      name: "printer slow to connect", script: { try $0.front.script { $0.isSlow = true } },
      expiryAfter: "open front",
      outcome: .queued("front does not take the connection yet: is it switched on and in range?"),
      states: [.received], reports: [], paper: []),
    End(
      name: "paper out", script: { try $0.front.script { $0.gates = [.notReady(paperOut)] } },
      expiryAfter: "rendered 1", outcome: .queued("paper out"), states: [.rendered], reports: [], paper: []),
    End(
      name: "printer silent", script: { try $0.front.script { $0.gates = [.silent] } },
      expiryAfter: "rendered 1",
      outcome: .queued("the printer does not answer"), states: [.rendered], reports: [], paper: []),
    End(
      name: "link gone at the gate", script: { try $0.front.script { $0.gateErrors = [.lost] } },
      expiryAfter: "rendered 1", outcome: .queued("the link is gone"), states: [.rendered], reports: [],
      paper: []),
    End(
      name: "intent not noted", script: { $0.journal.fail("intent", times: .max) },
      expiryAfter: "note: waiting: the journal cannot be written: disk full",
      outcome: .queued("the journal cannot be written: disk full"), states: [.received], reports: [],
      paper: []),
    End(
      name: "link gone before the first byte",
      script: { try $0.front.script { $0.sending = [.loses(after: 0)] } }, expiryAfter: "rendered 1",
      outcome: .queued("the printer is gone"), states: [.rendered], reports: [], paper: []),
    End(
      name: "link gone after the first byte",
      script: { try $0.front.script { $0.sending = [.loses(after: 2)] } },
      outcome: .unknown("the link took 2 of 5 bytes: the printer is gone"), states: [.unknown],
      reports: ["unknown"],
      paper: []),
    End(
      name: "link gone before the proof", script: { try $0.front.script { $0.fences = [.lost] } },
      outcome: .unknown("the print was not confirmed: the printer is gone"), states: [.unknown],
      reports: ["unknown"],
      paper: ["bread"]),
    End(
      name: "link that takes no more", script: { try $0.front.script { $0.sending = [.stalls(after: 2)] } },
      expiryAfter: "sent br", outcome: inPrint, states: [.intent], reports: [], paper: []),
    End(
      name: "proof late", script: { try $0.front.script { $0.fences = [.late(PrinterStatus())] } },
      expiryAfter: "fence front", moment: (.seconds(4), "sending 1"), outcome: inPrint, states: [.sending],
      reports: [], paper: ["bread"]),
    End(
      name: "no order named, nothing pending", order: nil, script: { $0.orders.list() },
      outcome: .ignored("nothing is pending"), states: [], reports: [], paper: []),
    End(
      name: "no order named, no list", order: nil,
      outcome: .notPrinted("the wake names no order, and the order service has no list of pending ones"),
      states: [],
      reports: [], paper: []),
    End(
      name: "no order named, list down", order: nil,
      script: {
        $0.orders.list(); $0.orders.failPending(.unavailable)
      },
      expiryAfter: "note: the pending orders could not be asked for: unavailable: told to fail",
      outcome: .queued("the pending orders could not be asked for: unavailable: told to fail"), states: [],
      reports: [],
      paper: []),
    End(
      name: "no order named, two pending", order: nil,
      script: { $0.orders.list((ids: ["bread", "milk"], cursor: "2")) },
      outcome: .printed(.fence), states: [.printed, .printed], reports: ["printed", "printed"],
      paper: ["bread", "milk"]),
    End(
      name: "no order named, one of two bad", order: nil,
      script: {
        $0.orders.list((ids: ["bread", "milk"], cursor: "2"))
        $0.orders.answer("milk", .order("bad"))
      },
      outcome: .notPrinted("items[3].amount: expected a decimal string such as \"12.50\""),
      states: [.printed, .rejected],
      reports: ["printed", "notPrinted"], paper: ["bread"]),
  ]
}
