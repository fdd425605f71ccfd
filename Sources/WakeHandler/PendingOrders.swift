import ESCPOS
import PrintJobs

/// Asks the order service what is pending since the cursor, for all wakes together that name no order.
///
/// Wakes that come while a question is under way share the next one. A question without an answer is asked again
/// with back-off, also when no wake waits for it any more: the pushes of an outage are lost, the orders are not.
actor PendingOrders {
  private struct Asker {
    var wake: Int
    var budget: Budget
  }

  /// Pages in a row without a new order after which a list whose cursor never rests is not followed further.
  private static let mostBarrenPages = 100

  private let floor: Floor
  private let receive: @Sendable ([String], String?, Budget?, [Int]) async throws(JournalError) -> Int?
  private let bell: Doorbell
  private var askers: [Asker] = []
  private var isWanted = false
  /// Whether a wake has come since the last question; it does not wait for the back-off.
  private var isHurried = false
  private var failures = 0
  private var isStopping = false
  private var running: Task<Void, Never>?

  /// Creates it; `receive` makes orders into jobs, moves the cursor with them and says how many are new
  /// (nil: there is no printer, and nothing was done).
  init(
    floor: Floor,
    receive: @escaping @Sendable ([String], String?, Budget?, [Int]) async throws(JournalError) -> Int?
  ) {
    self.floor = floor
    self.receive = receive
    self.bell = Doorbell(clock: floor.clock)
  }

  /// Asks for a wake that holds itself open until the answer.
  func ask(for wake: Int, _ budget: Budget) {
    askers.append(Asker(wake: wake, budget: budget))
    ask()
  }

  /// Asks for nobody, as at the start.
  func ask() {
    isWanted = true
    isHurried = true
    if running == nil { running = Task { await run() } }
    bell.ring()
  }

  /// Asks no more.
  func stop() {
    isStopping = true
    bell.ring()
  }

  private func run() async {
    while !isStopping {
      guard isWanted else {
        await bell.wait(until: nil)
        continue
      }
      isWanted = false
      isHurried = false
      let round = askers
      askers = []
      guard let failure = await askAll(for: round) else {
        failures = 0
        continue
      }
      failures += 1
      isWanted = true
      for asker in round { floor.wakes.note(asker.wake, .queued(failure)) }
      askers = round.filter { $0.budget.completion > floor.now } + askers
      floor.ports.note(HandlerEvent(.warning, failure))
      let next = floor.deadline(in: floor.policies.delay(after: failures))
      while !isStopping, !isHurried, floor.now < next { await bell.wait(until: next) }
    }
  }

  /// Asks page by page until nothing is left; returns why it could not, or nil.
  private func askAll(for round: [Asker]) async -> String? {
    let wakes = round.map(\.wake)
    let budget = round.map(\.budget).max { $0.completion < $1.completion }
    do {
      var cursor = try await floor.jobs.cursor()
      var barren = 0
      var total = 0
      while !isStopping, barren < Self.mostBarrenPages {
        let now = floor.now
        var deadline = now.advanced(by: floor.policies.fetchLimit)
        if let budget, budget.work > now { deadline = min(deadline, budget.work) }
        let page = try await floor.ports.orders.pending(after: cursor, by: deadline)
        let next = page.cursor ?? cursor
        if !page.orderIDs.isEmpty || next != cursor {
          guard let made = try await receive(page.orderIDs, page.cursor, budget, wakes) else {
            for wake in wakes { floor.wakes.release(wake, fallback: .notPrinted(WakeHandler.noPrinter)) }
            return nil
          }
          barren = made == 0 ? barren + 1 : 0
          total += made
        }
        if page.orderIDs.isEmpty || next == cursor { break }
        cursor = next
      }
      floor.ports.note(HandlerEvent(.notice, "asked for pending orders: \(total) new"))
      for wake in wakes { floor.wakes.release(wake, fallback: .ignored("nothing is pending")) }
      return nil
    } catch let error as OrderServiceError where error.code == .unsupported {
      let reason = "the wake names no order, and the order service has no list of pending ones"
      for wake in wakes { floor.wakes.release(wake, fallback: .notPrinted(reason)) }
      return nil
    } catch {
      return "the pending orders could not be asked for: \(error)"
    }
  }
}
