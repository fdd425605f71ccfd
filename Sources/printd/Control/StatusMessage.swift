import PrintJobs
import PrintJournal
import WakeHandler

/// How the daemon stands, as `GET /v1/status` says it.
struct StatusMessage: Codable, Sendable {
  /// How a printer stands.
  struct Printer: Codable, Sendable {
    var name: String
    var condition: String
    var queued: Int
    var job: Int64?
    var connected: Bool
    var obstacle: String?

    /// One line for people.
    var text: String {
      var text = condition
      if let job { text += " job \(job)" }
      if queued > 0 { text += ", \(queued) queued" }
      if let obstacle { text += ": \(obstacle)" }
      return connected ? text + " (connected)" : text
    }
  }

  var version = Version.text
  var printers: [Printer]
  var openWakes: Int
  var awaitedOrders: Int
  /// Jobs in the journal by state.
  var jobs: [String: Int]
  var unreported: Int

  enum CodingKeys: String, CodingKey {
    case version, printers
    case openWakes = "open_wakes"
    case awaitedOrders = "awaited_orders"
    case jobs, unreported
  }

  init(_ status: HandlerStatus, _ counts: JournalCounts) {
    printers = status.printers.map { printer in
      Printer(
        name: printer.name, condition: printer.condition.rawValue, queued: printer.queued,
        job: printer.printing,
        connected: printer.isConnected, obstacle: printer.obstacle)
    }
    openWakes = status.openWakes
    awaitedOrders = status.awaitedOrders
    jobs = Dictionary(uniqueKeysWithValues: counts.jobs.map { ($0.key.rawValue, $0.value) })
    unreported = counts.unreported
  }

  /// The line that `systemctl status` shows.
  var summary: String {
    let queued = printers.reduce(0) { $0 + $1.queued }
    let waiting = (jobs["unknown"] ?? 0) + (jobs["expired"] ?? 0)
    var text = "\(queued) queued, \(jobs["printed"] ?? 0) printed"
    if waiting > 0 { text += ", \(waiting) need a person" }
    if unreported > 0 { text += ", \(unreported) unreported" }
    for printer in printers {
      if let obstacle = printer.obstacle { text += "; \(printer.name): \(obstacle)" }
    }
    return text
  }
}

extension CompletionMessage {
  init(_ completion: WakeCompletion) {
    self.init(
      result: completion.result, outcome: completion.outcome.word, reason: completion.outcome.reason,
      replayed: completion.replayed ? true : nil,
      jobs: completion.jobs.map { job in
        JobMessage(
          job: job.id, orderID: job.key.orderID, kind: job.key.kind, copy: job.key.copy, printer: job.printer,
          outcome: job.outcome.word, reason: job.outcome.reason, timeline: job.timeline)
      },
      timeline: completion.timeline, voice: completion.voice.map { .ended($0) })
  }

  /// The end of something that has no jobs.
  init(_ outcome: Outcome) {
    self.init(WakeCompletion(outcome: outcome, jobs: []))
  }
}
