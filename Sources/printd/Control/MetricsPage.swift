import PrintJobs
import PrintJournal
import WakeChannels
import WakeHandler

/// `GET /metrics`, in Prometheus' text format.
enum MetricsPage {
  static func text(_ status: HandlerStatus, _ counts: JournalCounts) -> String {
    var metrics = MetricsText()
    metrics.add(
      "printd_info", .gauge, "The version that runs.", [(labels: [("version", Version.text)], value: 1)])
    metrics.add(
      "printd_printer_up", .gauge, "Whether nothing known stands in the printer's way.",
      status.printers.map { (labels: [("printer", $0.name)], value: $0.obstacle == nil ? 1 : 0) })
    metrics.add(
      "printd_printer_queued_jobs", .gauge, "Jobs in the printer's line.",
      status.printers.map { (labels: [("printer", $0.name)], value: Double($0.queued)) })
    metrics.add(
      "printd_printer_connected", .gauge, "Whether the link is open.",
      status.printers.map { (labels: [("printer", $0.name)], value: $0.isConnected ? 1 : 0) })
    metrics.add(
      "printd_journal_jobs", .gauge, "Jobs in the journal by state.",
      JobState.allCases.map { (labels: [("state", $0.rawValue)], value: Double(counts.jobs[$0] ?? 0)) })
    metrics.add(
      "printd_unreported_jobs", .gauge, "Jobs that have ended and whose report is not acknowledged.",
      Double(counts.unreported))
    metrics.add(
      "printd_open_wakes", .gauge, "Wakes whose completion is not called.", Double(status.openWakes))
    metrics.add(
      "printd_awaited_orders", .gauge, "Orders being fetched.", Double(status.awaitedOrders))
    metrics.add(
      "printd_wakes_accepted_total", .counter, "Wakes taken.", Double(status.counts.accepted))
    metrics.add(
      "printd_wakes_refused_total", .counter, "Wakes refused, by reason.",
      status.counts.refused.sorted { $0.key < $1.key }.map {
        (labels: [("reason", $0.key)], value: Double($0.value))
      })
    metrics.add(
      "printd_completions_total", .counter, "Completions called, by outcome.",
      status.counts.completions.sorted { $0.key < $1.key }.map {
        (labels: [("outcome", $0.key)], value: Double($0.value))
      })
    metrics.add(
      "printd_jobs_ended_total", .counter, "Jobs ended, by state.",
      status.counts.ended.sorted { $0.key < $1.key }.map {
        (labels: [("state", $0.key)], value: Double($0.value))
      })
    metrics.add(
      "printd_announcements_total", .counter, "Payments whose announcement was asked for, by its end.",
      status.counts.announcements.sorted { $0.key < $1.key }.map {
        (labels: [("end", $0.key)], value: Double($0.value))
      })
    return metrics.text
  }
}
