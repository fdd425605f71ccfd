import ESCPOS
import PrintJobs

/// Reports how jobs ended: at once inside the wake's budget, and again with back-off until the backend has
/// acknowledged it, also after a restart.
actor Reporter {
  private struct Errand {
    var job: Job
    var origin: BootInstant
    var deadline: BootInstant?
  }

  private static let concurrent = 4
  private static let sweep = 64
  /// Reports that wait for a voice at a time. In a burst the voices behind these would not end in time anyway, and their
  /// reports must not all come at the last moment.
  private static let mostAwaitedVoices = 4
  private static let refusedPause = Duration.seconds(60 * 60)

  private let floor: Floor
  private let bell: Doorbell
  private let drained: Doorbell
  private var errands: [Errand] = []
  private var first = 0
  private var underway: [Int64: Int] = [:]
  /// Jobs about which a report is on the way; the next about the same job waits, so that the last word comes last.
  private var onTheWay: Set<Int64> = []
  private var awaitedVoices = 0
  /// Whether no report waits for a voice any more, since the daemon stops.
  private var isHurried = false
  private var isSweeping = false
  private var failures = 0
  private var sweepAt: BootInstant?
  /// Reports that the backend understood and refused, with the time for the next try.
  private var refused: [Int64: BootInstant] = [:]
  private var isStopping = false
  private var running: Task<Void, Never>?

  init(floor: Floor) {
    self.floor = floor
    self.bell = Doorbell(clock: floor.clock)
    self.drained = Doorbell(clock: floor.clock)
  }

  /// Reports that wait for their first try or for a better time, as far as known here.
  var count: Int { underway.count + refused.count }

  /// Reports the end of `job`; the wakes that wait for it are told when that is done or has failed.
  func report(_ ticket: Ticket) {
    var job = ticket.job
    job.timeline = ticket.timeline
    guard !isStopping, Report(job) != nil else { return }
    // A refusal was about the state before.
    refused[job.id] = nil
    underway[job.id, default: 0] += 1
    let errand = Errand(job: job, origin: ticket.origin, deadline: ticket.budget?.completion)
    guard job.voice == .pending, !isHurried, let latest = ticket.budget?.work, floor.now < latest,
      awaitedVoices < Self.mostAwaitedVoices
    else { return add(errand) }
    awaitedVoices += 1
    Task {
      await floor.voices.wait(for: PaymentKey(orderID: job.key.orderID), until: latest)
      awaitedVoices -= 1
      add(errand)
    }
  }

  private func add(_ errand: Errand) {
    guard !isStopping else { return }
    errands.append(errand)
    start()
  }

  /// Takes up what earlier lives have left unreported.
  func resume() {
    sweepAt = floor.now
    start()
  }

  /// Waits for the first tries under way until `deadline`, then begins no more.
  func stop(by deadline: BootInstant) async {
    isHurried = true
    floor.voices.letGo()
    while !underway.isEmpty, floor.now < deadline { await drained.wait(until: deadline) }
    isStopping = true
    errands = []
    bell.ring()
  }

  private func start() {
    if running == nil { running = Task { await run() } }
    bell.ring()
  }

  private func run() async {
    while !isStopping {
      while onTheWay.count < Self.concurrent, let errand = takeNext() {
        onTheWay.insert(errand.job.id)
        Task {
          await send(errand)
          onTheWay.remove(errand.job.id)
          bell.ring()
          drained.ring()
        }
      }
      if !isSweeping, let due = sweepAt, due <= floor.now {
        isSweeping = true
        Task {
          await sendOld()
          isSweeping = false
          bell.ring()
        }
      }
      await bell.wait(until: isSweeping ? nil : sweepAt)
    }
  }

  private func takeNext() -> Errand? {
    guard first < errands.count else {
      errands = []
      first = 0
      return nil
    }
    guard let place = errands[first...].firstIndex(where: { !onTheWay.contains($0.job.id) }) else {
      return nil
    }
    guard place == first else { return errands.remove(at: place) }
    first += 1
    return errands[place]
  }

  private func send(_ errand: Errand) async {
    defer { underway[errand.job.id] = underway[errand.job.id].flatMap { $0 > 1 ? $0 - 1 : nil } }
    let now = floor.now
    var deadline = now.advanced(by: floor.policies.reportLimit)
    if let budget = errand.deadline, budget > now { deadline = min(deadline, budget) }
    let error = await attempt(errand.job, origin: errand.origin, by: deadline)
    guard let error else { return }
    settle(errand.job)
    if sweepAt == nil { sweepAt = floor.deadline(in: floor.policies.delay(after: max(1, failures))) }
    floor.ports.note(
      HandlerEvent(
        .warning, "report not acknowledged, to be sent again: \(error)", job: errand.job.id,
        order: errand.job.key.orderID, printer: errand.job.printer))
  }

  /// Sends what the journal holds as unreported, oldest first; stops at the first that gets no answer.
  private func sendOld() async {
    sweepAt = nil
    let now = floor.now
    refused = refused.filter { $0.value > now }
    var isDone = true
    do {
      // Those that are passed over must not fill the page.
      let limit = Self.sweep + refused.count + underway.count
      let jobs = try await floor.jobs.unreported(limit: limit)
      isDone = jobs.count < limit
      for job in jobs where refused[job.id] == nil && underway[job.id] == nil {
        guard !isStopping else { return }
        let deadline = floor.deadline(in: floor.policies.reportLimit)
        onTheWay.insert(job.id)
        let error = await attempt(job, origin: floor.origin(of: job), by: deadline)
        onTheWay.remove(job.id)
        bell.ring()
        if let error, error.code != .refused, error.code != .notFound {
          failures += 1
          sweepAt = floor.deadline(in: floor.policies.delay(after: failures))
          return
        }
      }
      failures = 0
    } catch {
      failures += 1
      isDone = false
    }
    if !isDone {
      sweepAt = floor.deadline(in: failures > 0 ? floor.policies.delay(after: failures) : .zero)
    } else if let next = refused.values.min() {
      // A report that failed meanwhile may have asked for an earlier one.
      sweepAt = min(sweepAt ?? next, next)
    }
  }

  /// Sends one report and notes the acknowledgement; a service without reports counts as one that has it.
  private func attempt(
    _ job: Job, origin: BootInstant, by deadline: BootInstant
  ) async -> OrderServiceError? {
    var job = job
    // The voice may have ended since the print.
    if job.voice == .pending, let now = try? await floor.jobs.job(job.id) { job.voice = now.voice }
    guard let report = Report(job) else { return nil }
    do {
      try await floor.ports.orders.report(report, by: deadline)
    } catch {
      if error.code != .unsupported {
        if error.code == .refused || error.code == .notFound {
          refused[job.id] = floor.deadline(in: Self.refusedPause)
          // At the next refusal again, should the journal not take it now.
          try? await floor.jobs.reportRefused(job.id, as: job.state)
        }
        floor.tally.count { $0.failedReports += 1 }
        return error
      }
    }
    floor.tally.count { $0.reports += 1 }
    job.timeline.reported = origin.duration(to: floor.now).milliseconds
    job.reportedAt = floor.policies.date()
    settle(job)
    do {
      try await floor.jobs.reported(job.id, as: job.state, timeline: job.timeline)
    } catch {
      // The job has moved on while the report was on the way; its new state has a report of its own.
      if error.code != .storage { return nil }
      return OrderServiceError(.unavailable, "acknowledged, but the journal could not note it: \(error)")
    }
    return nil
  }

  private func settle(_ job: Job) {
    floor.wakes.note(job.id, job.outcome, job.timeline, settled: true)
  }
}
