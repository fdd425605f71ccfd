import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import WakeHandler

/// An order service that answers as told.
final class OrdersDouble: OrderPort, Sendable {
  /// What it does with one question.
  enum Answer: Sendable {
    case order(String)
    case fails(OrderServiceError.Code)
    /// Says nothing until the deadline.
    case hangs
    /// Says nothing until ``OrdersDouble/letGo()``, then gives the order.
    case waits(String)
  }

  private struct State {
    var answers: [String: [Answer]] = [:]
    var pages: [(ids: [String], cursor: String?)]?
    var endless: String?
    var asked = 0
    var pendingFailures: [OrderServiceError.Code?] = []
    var reportFailures: [OrderServiceError.Code] = []
    var reportsHang = false
    var holdsReports = false
    var reports: [Report] = []
    var active = 0
    var mostActive = 0
  }

  private let state = Mutex(State())
  private let gate = EventLog()
  private let log: EventLog
  private let clock: ManualClock
  /// Whether the wake's completion has been called; asked when a report comes.
  private let isComplete = Mutex<(@Sendable () -> Bool)>({ false })

  init(log: EventLog, clock: ManualClock) {
    self.log = log
    self.clock = clock
  }

  var reports: [Report] { state.withLock(\.reports) }
  var mostActive: Int { state.withLock(\.mostActive) }

  /// Answers to `id` in turn; the last one stays. An order that nobody told of is its id.
  func answer(_ id: String, _ answers: Answer...) { state.withLock { $0.answers[id] = answers } }
  func list(_ pages: (ids: [String], cursor: String?)...) { state.withLock { $0.pages = pages } }
  /// Lists one order for ever, with another cursor each time.
  func repeatForever(_ id: String) { state.withLock { $0.endless = id } }
  func failPending(_ codes: OrderServiceError.Code?...) { state.withLock { $0.pendingFailures = codes } }
  func failReports(_ codes: OrderServiceError.Code...) { failReports(codes) }
  func failReports(_ codes: [OrderServiceError.Code]) { state.withLock { $0.reportFailures = codes } }
  /// Lets reports wait until ``letGo()``.
  func holdReports() { state.withLock { $0.holdsReports = true } }
  func hangReports() { state.withLock { $0.reportsHang = true } }
  func letGo() { gate.say("go") }
  func watch(_ isComplete: @escaping @Sendable () -> Bool) { self.isComplete.withLock { $0 = isComplete } }

  func order(_ id: String, by deadline: BootInstant) async throws(OrderServiceError) -> [UInt8] {
    let answer = state.withLock { state -> Answer in
      state.active += 1
      state.mostActive = max(state.mostActive, state.active)
      guard let first = state.answers[id]?.first else { return .order(id) }
      if let count = state.answers[id]?.count, count > 1 { state.answers[id]?.removeFirst() }
      return first
    }
    defer { state.withLock { $0.active -= 1 } }
    log.say("fetch \(id)")
    switch answer {
    case .order(let text):
      await Task.yield()
      return Array(text.utf8)
    case .fails(let code): throw OrderServiceError(code, "told to fail")
    case .hangs:
      try? await clock.sleep(until: deadline, tolerance: nil)
      throw OrderServiceError(.deadline, "no answer in time")
    case .waits(let text):
      await gate.until("go")
      return Array(text.utf8)
    }
  }

  func pending(
    after cursor: String?, by deadline: BootInstant
  ) async throws(OrderServiceError) -> (orderIDs: [String], cursor: String?) {
    log.say("pending after \(cursor ?? "nothing")")
    let answer = state.withLock { state -> Result<(orderIDs: [String], cursor: String?), OrderServiceError> in
      if let failure = state.pendingFailures.first {
        if state.pendingFailures.count > 1 { state.pendingFailures.removeFirst() }
        if let failure { return .failure(OrderServiceError(failure, "told to fail")) }
      }
      state.asked += 1
      if let id = state.endless { return .success((orderIDs: [id], cursor: "\(state.asked)")) }
      guard let pages = state.pages else {
        return .failure(OrderServiceError(.unsupported, "no list"))
      }
      let place = pages.firstIndex { $0.cursor == cursor }.map { $0 + 1 } ?? 0
      guard place < pages.count else { return .success((orderIDs: [], cursor: cursor)) }
      return .success((orderIDs: pages[place].ids, cursor: pages[place].cursor))
    }
    return try answer.get()
  }

  func report(_ report: Report, by deadline: BootInstant) async throws(OrderServiceError) {
    log.say("report \(report.outcome)")
    if isComplete.withLock({ $0 })() { log.say("report after completion") }
    if state.withLock(\.holdsReports) { await gate.until("go") }
    let (failure, hangs) = state.withLock { state -> (OrderServiceError.Code?, Bool) in
      let failure = state.reportFailures.first
      if failure != nil { state.reportFailures.removeFirst() }
      if failure == nil, !state.reportsHang { state.reports.append(report) }
      return (failure, state.reportsHang)
    }
    if hangs {
      try? await clock.sleep(until: deadline, tolerance: nil)
      throw OrderServiceError(.deadline, "no answer in time")
    }
    if let failure { throw OrderServiceError(failure, "told to fail") }
  }
}
