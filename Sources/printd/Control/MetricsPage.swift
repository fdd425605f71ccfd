import PrintJobs
import PrintJournal
import WakeChannels
import WakeHandler

/// `GET /metrics`, in Prometheus' text format.
enum MetricsPage {
  static func text(_ status: HandlerStatus, _ counts: JournalCounts) -> String {
    var metrics = Metrics()
    metrics.gauge("printd_info", "The version that runs.", [(["version": Version.text], 1)])
    metrics.gauge(
      "printd_printer_up", "Whether nothing known stands in the printer's way.",
      status.printers.map { (["printer": $0.name], $0.obstacle == nil ? 1 : 0) })
    metrics.gauge(
      "printd_printer_queued_jobs", "Jobs in the printer's line.",
      status.printers.map { (["printer": $0.name], Double($0.queued)) })
    metrics.gauge(
      "printd_printer_connected", "Whether the link is open.",
      status.printers.map { (["printer": $0.name], $0.isConnected ? 1 : 0) })
    metrics.gauge(
      "printd_journal_jobs", "Jobs in the journal by state.",
      JobState.allCases.map { (["state": $0.rawValue], Double(counts.jobs[$0] ?? 0)) })
    metrics.gauge(
      "printd_unreported_jobs", "Jobs that have ended and whose report is not acknowledged.",
      [([:], Double(counts.unreported))])
    metrics.gauge("printd_open_wakes", "Wakes whose completion is not called.", [([:], Double(status.openWakes))])
    metrics.gauge("printd_awaited_orders", "Orders being fetched.", [([:], Double(status.awaitedOrders))])
    metrics.counter("printd_wakes_accepted_total", "Wakes taken.", [([:], Double(status.counts.accepted))])
    metrics.counter(
      "printd_wakes_refused_total", "Wakes refused, by reason.",
      status.counts.refused.sorted { $0.key < $1.key }.map { (["reason": $0.key], Double($0.value)) })
    metrics.counter(
      "printd_completions_total", "Completions called, by outcome.",
      status.counts.completions.sorted { $0.key < $1.key }.map { (["outcome": $0.key], Double($0.value)) })
    metrics.counter(
      "printd_jobs_ended_total", "Jobs ended, by state.",
      status.counts.ended.sorted { $0.key < $1.key }.map { (["state": $0.key], Double($0.value)) })
    return metrics.text
  }
}
