public import ESCPOS
public import PrintJobs

/// The story of a wake: durable, fetched, printed, reported, and its completion called once.
///
/// ``accept(_:)`` takes a wake and returns as soon as it is durable; the ``Completion`` it gives back is called when
/// every job of the wake has been printed and reported (or has ended another way), or when the budget runs out, and then
/// with what is true at that moment. The jobs themselves live in the journal, not in the wake: what the budget
/// cuts off is printed later, or expires and waits for a person.
public actor WakeHandler {
  let floor: Floor
  let fetcher: Fetcher
  let reporter: Reporter
  let turnstile = Turnstile()
  var routes: [Route]
  var lanes: [String: PrinterLane] = [:]
  var configured: [String] = []
  private(set) var isStopping = false
  private var pendingOrders: PendingOrders?
  /// Jobs of wakes that were quicker than ``start()``; nil once that is done.
  var begunBeforeStart: Set<Int64>? = []

  /// By when each part must have moved on; for the watchdog, and readable when all else hangs.
  public nonisolated let progress: Progress

  /// Creates the handler; ``start()`` comes next.
  ///
  /// - Parameters:
  ///   - printers: In the order of the configuration.
  ///   - routes: Which documents of an order go where; empty means one receipt to the first printer.
  public init(
    ports: Ports, printers: [PrinterSetup], routes: [Route] = [], clock: any BootTimeClock,
    policies: Policies = Policies()
  ) {
    let tally = Tally()
    let progress = Progress()
    let wakes = OpenWakes(clock: clock) { completion in
      tally.count { $0.completions[completion.outcome.word, default: 0] += 1 }
    }
    let floor = Floor(
      ports: ports, policies: policies, clock: clock, wakes: wakes, progress: progress, tally: tally,
      voices: Voices(clock: clock))
    self.floor = floor
    self.progress = progress
    self.fetcher = Fetcher(floor: floor)
    self.reporter = Reporter(floor: floor)
    self.routes = routes
    self.configured = printers.map(\.name)
    for setup in printers {
      lanes[setup.name] = PrinterLane(
        name: setup.name, setup: setup, floor: floor, fetcher: fetcher, reporter: reporter)
    }
  }

  /// Takes up what earlier lives have left: what was being printed is `unknown`, what was waiting waits again, what
  /// was not reported is reported, and the order service is asked for what is pending.
  ///
  /// - Throws: ``JournalError`` when the journal cannot be read or written; nothing is printed then.
  public func start() async throws(JournalError) {
    try await takeUp()
    do {
      let lost = try await floor.jobs.endLostAnnouncements()
      if !lost.isEmpty {
        floor.tally.count { $0.announcements[VoiceEnd.failed("").word, default: 0] += lost.count }
        floor.ports.note(
          HandlerEvent(.warning, "nobody knows whether they were heard: \(Self.names(of: lost))"))
      }
    } catch {
      // The voice never keeps a receipt from being printed.
      floor.ports.note(HandlerEvent(.error, "lost announcements cannot be ended: \(error)"))
    }
    await reporter.resume()
    await pending().ask()
  }

  /// Names of payments for a line of the log.
  private static func names(of payments: [PaymentKey]) -> String {
    let first = payments.prefix(8).map(\.text).joined(separator: ", ")
    return payments.count > 8 ? "\(first) and \(payments.count - 8) more" : first
  }

  /// Settles or enqueues every job of earlier lives; those of this one are in their lines already. What is in doubt comes
  /// first: when the journal does not take that, nothing has been begun.
  private func takeUp() async throws(JournalError) {
    await turnstile.enter()
    defer { turnstile.leave() }
    let left = try await floor.jobs.unfinished().filter { begunBeforeStart?.contains($0.id) != true }
    var change = JobChange()
    change.reason = "the daemon or the power went while it was being printed"
    for job in left where job.state == .intent || job.state == .sending {
      _ = try await floor.jobs.advance(job.id, through: [.unknown], change: change)
      floor.tally.count { $0.ended[JobState.unknown.rawValue, default: 0] += 1 }
    }
    begunBeforeStart = nil
    await enqueue(
      left.filter { $0.state != .intent && $0.state != .sending }
        .map { Ticket($0, origin: floor.origin(of: $0), budget: nil) })
  }

  /// Takes no more wakes, finishes the receipts in hand and their reports, and closes the links.
  ///
  /// Returns when that is done. A receipt that has not ended by `deadline` is given up as unknown and its link closed, which
  /// takes two seconds more at most. Completions that are still open are called with what is true then;
  /// the other jobs stay in the journal.
  public func stop(by deadline: BootInstant) async {
    isStopping = true
    await pendingOrders?.stop()
    await fetcher.stop()
    await withTaskGroup { group in
      for lane in lanes.values { group.addTask { await lane.stop(by: deadline) } }
    }
    await reporter.stop(by: deadline)
    floor.wakes.endAll(unsaid: .stopping)
  }

  /// Changes printers and routes, each printer once its job in hand has ended. Jobs of a printer that is gone stay in
  /// its line until it is back, they expire, or a person decides.
  public func replace(printers: [PrinterSetup], routes: [Route]) async {
    let hadRoutes = !effectiveRoutes.isEmpty
    self.routes = routes
    configured = printers.map(\.name)
    // Nothing was asked for while there was nowhere to print it.
    if !hadRoutes, !effectiveRoutes.isEmpty, !isStopping { await pending().ask() }
    for setup in printers { await lane(setup.name).replace(with: setup) }
    for name in Set(lanes.keys).subtracting(configured) { await lanes[name]?.replace(with: nil) }
  }

  /// The line at the printer with this name; one that is not configured has a line too, and its jobs wait there.
  func lane(_ name: String) -> PrinterLane {
    if let lane = lanes[name] { return lane }
    let lane = PrinterLane(name: name, setup: nil, floor: floor, fetcher: fetcher, reporter: reporter)
    lanes[name] = lane
    return lane
  }

  /// Puts jobs in their lines.
  func enqueue(_ tickets: [Ticket]) async {
    for (printer, tickets) in Dictionary(grouping: tickets, by: \.job.printer) {
      await lane(printer).add(tickets)
    }
  }

  func pending() -> PendingOrders {
    if let pendingOrders { return pendingOrders }
    let pending = PendingOrders(floor: floor) {
      [weak self] (ids, cursor, budget, wakes) async throws(JournalError) -> Int? in
      guard let self else { return 0 }
      return try await self.receivePending(ids, cursor: cursor, budget: budget, wakes: wakes)
    }
    pendingOrders = pending
    return pending
  }
}
