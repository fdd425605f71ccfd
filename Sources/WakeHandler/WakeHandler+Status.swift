import ESCPOS

/// How a printer stands.
public struct PrinterState: Equatable, Sendable {
  /// What it is doing.
  public enum Condition: String, Sendable {
    /// Nothing; the link may be open.
    case idle
    /// Getting ready for a job.
    case preparing
    /// Printing.
    case printing
    /// Waiting for a better time; ``PrinterState/obstacle`` says why.
    case waiting
  }

  /// The name in the configuration.
  public var name: String
  /// Whether it is in the configuration; jobs of one that is not wait all the same.
  public var isConfigured: Bool
  /// What it is doing.
  public var condition: Condition
  /// Jobs in its line, the one in hand included.
  public var queued: Int
  /// The job that is being printed.
  public var printing: Int64?
  /// Whether the link is open.
  public var isConnected: Bool
  /// What stands in its way, for a person; nil when nothing does.
  public var obstacle: String?
}

/// How the daemon stands.
public struct HandlerStatus: Equatable, Sendable {
  /// The printers, in the order of the configuration; then those that are gone and still have jobs.
  public var printers: [PrinterState]
  /// Wakes whose completion has not been called.
  public var openWakes: Int
  /// Orders that are wanted and not here.
  public var awaitedOrders: Int
  /// Reports under way or refused by the backend, as far as known since the start.
  public var openReports: Int
  /// Counts since the start.
  public var counts: Counts
}

extension WakeHandler {
  /// How everything stands.
  public func status() async -> HandlerStatus {
    var printers: [PrinterState] = []
    for name in configured {
      if let lane = lanes[name] { printers.append(await lane.state()) }
    }
    for name in lanes.keys.filter({ !configured.contains($0) }).sorted() {
      if let state = await lanes[name]?.state(), state.queued > 0 { printers.append(state) }
    }
    return HandlerStatus(
      printers: printers, openWakes: floor.wakes.count, awaitedOrders: await fetcher.count,
      openReports: await reporter.count, counts: floor.tally.current)
  }
}

extension PrinterLane {
  /// How the printer stands.
  func state() async -> PrinterState {
    let heard = await talking?.status.obstacle
    let condition: PrinterState.Condition
    if talking != nil {
      condition = .printing
    } else if obstacle != nil, !line.isEmpty {
      condition = .waiting
    } else {
      condition = line.isEmpty ? .idle : .preparing
    }
    return PrinterState(
      name: name, isConfigured: setup != nil, condition: condition, queued: line.count, printing: printing,
      isConnected: link != nil, obstacle: heard ?? obstacle)
  }
}
