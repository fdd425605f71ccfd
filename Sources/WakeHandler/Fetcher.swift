import ESCPOS
import PrintJobs

/// Fetches orders for all lanes, a few at a time, and again with back-off while the service does not answer.
///
/// A place is held until the order is in the journal or in the hand of the lane that prints it, so that no more
/// orders than places are ever in memory.
actor Fetcher {
  private struct Errand {
    var id: Int64
    var orderID: String
    var budget: Budget?
    var lane: PrinterLane
    var failures = 0
    var dueAt: BootInstant
  }

  private let floor: Floor
  private let bell: Doorbell
  private var errands: [Errand] = []
  private var active = 0
  private var isStopping = false
  private var running: Task<Void, Never>?

  init(floor: Floor) {
    self.floor = floor
    self.bell = Doorbell(clock: floor.clock)
  }

  /// Orders wanted and not here.
  var count: Int { errands.count + active }

  /// Fetches the order of a ticket for its lane.
  func fetch(_ ticket: Ticket, for lane: PrinterLane) {
    add(
      Errand(
        id: ticket.id, orderID: ticket.job.key.orderID, budget: ticket.budget, lane: lane, dueAt: floor.now))
  }

  /// Forgets a job that has ended another way.
  func forget(_ id: Int64) {
    errands.removeAll { $0.id == id }
  }

  /// Begins no fetch any more.
  func stop() {
    isStopping = true
    errands = []
    bell.ring()
  }

  private func add(_ errand: Errand) {
    guard !isStopping else { return }
    errands.append(errand)
    if running == nil { running = Task { await run() } }
    bell.ring()
  }

  private func run() async {
    while !isStopping {
      while active < floor.policies.concurrentFetches, let errand = takeNext() {
        active += 1
        Task {
          await go(errand)
          active -= 1
          bell.ring()
        }
      }
      let hasPlace = active < floor.policies.concurrentFetches
      await bell.wait(until: hasPlace ? errands.map(\.dueAt).min() : nil)
    }
  }

  /// Takes what is due: orders never tried before those that failed, then by the job's number.
  private func takeNext() -> Errand? {
    let now = floor.now
    let due = errands.indices.filter { errands[$0].dueAt <= now }
    let next = due.min {
      (errands[$0].failures > 0 ? 1 : 0, errands[$0].id) < (errands[$1].failures > 0 ? 1 : 0, errands[$1].id)
    }
    return next.map { errands.remove(at: $0) }
  }

  private func go(_ errand: Errand) async {
    guard await errand.lane.wants(errand.id) else { return }
    let now = floor.now
    var deadline = now.advanced(by: floor.policies.fetchLimit)
    if let budget = errand.budget, budget.work > now { deadline = min(deadline, budget.work) }
    do {
      let order = try await floor.ports.orders.order(errand.orderID, by: deadline)
      guard await errand.lane.orderCame(errand.id, order) else { return postpone(errand) }
    } catch {
      guard await errand.lane.orderFailed(errand.id, error) else { return }
      postpone(errand)
    }
  }

  private func postpone(_ errand: Errand) {
    var errand = errand
    errand.failures += 1
    errand.dueAt = floor.deadline(in: floor.policies.delay(after: errand.failures))
    add(errand)
  }
}
