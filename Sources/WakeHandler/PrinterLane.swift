import ESCPOS
import PrintJobs

/// The line of jobs at one printer: the oldest first, one at a time, and nobody else's time is spent.
///
/// One task runs the line. It waits for the oldest job's order and opens the link meanwhile; a job whose order
/// cannot be had for now lets the others pass. What changes from outside rings the bell and is looked at next.
actor PrinterLane {
  nonisolated let name: String
  let floor: Floor
  let fetcher: Fetcher
  let reporter: Reporter
  let bell: Doorbell

  var setup: PrinterSetup?
  var line: [Ticket] = []
  /// The pages that wait for their turn, and how many there have been.
  var tests: [TestPage] = []
  var testCount = 0
  var isStopping = false

  /// The link, while it is open.
  var link: (any PrinterLink)?
  var connectedAt: BootInstant?
  var connectFailure: LinkError?
  var isConnecting = false
  /// Opens the link.
  var connecting: Task<Void, Never>?
  /// Counts the setups; a link that was asked for under an earlier one leads to another printer.
  private(set) var era = 0
  /// Jobs printed on this link; a link that was good before may have died in silence and is opened anew at once.
  var jobsOnLink = 0
  var idleSince: BootInstant?
  /// Reads the idle link, to notice when it goes.
  var idleWatch: Task<Void, Never>?
  /// Whether the idle link has gone and is to be closed.
  var isLinkGone = false
  /// The job that ended unknown on this link and may still be confirmed.
  var doubt: Doubt?

  /// When a raster may be filled up again that was in vain the last time.
  var drainAgainAt: BootInstant?
  /// Questions that the printer may still answer, of all conversations.
  var openQuestions = 0
  /// Whether the next gate on this link may ask both of its questions in one go.
  var joining = PrinterConversation.Joining.unknown

  /// Tries in a row that failed, the next try, and why.
  var failures = 0
  var retryAt: BootInstant?
  var obstacle: String?
  /// Whether the last try failed since the printer is off, away or with another host.
  var isAway = false
  /// Waits for the printer to be seen.
  var lookout: Task<Void, Never>?
  /// When the last try failed, and how many in a row that a sighting had asked for.
  var failedAt: BootInstant?
  var sightingsInVain = 0
  /// Whether a sighting has asked for the next try.
  var isSighted = false
  /// How many links in a row have gone while the printer was waited for to be ready.
  var linksGone = 0
  /// When an end that the journal did not take is written again.
  var endRetryAt: BootInstant?

  /// The order of the job that the line waits for, until it is in the journal.
  var inHand: (id: Int64, order: [UInt8])?
  var waitingFor: Int64?
  /// The job that the printer is printing.
  var printing: Int64?
  /// The conversation in which bytes are being printed.
  var talking: (any ConversationPort)?

  /// Who else has the printer, whether the line has let go of it for that, and who waits until it has.
  var loans = Loans()
  var hasLetGo = false
  var borrowers: [Doorbell] = []

  private var replacement: PrinterSetup??
  private var running: Task<Void, Never>?
  private var hasStopped = false
  private let stopped: Doorbell

  init(name: String, setup: PrinterSetup?, floor: Floor, fetcher: Fetcher, reporter: Reporter) {
    self.name = name
    self.setup = setup
    self.floor = floor
    self.fetcher = fetcher
    self.reporter = reporter
    self.bell = Doorbell(clock: floor.clock)
    self.stopped = Doorbell(clock: floor.clock)
  }

  /// Puts jobs in the line by their numbers and tries the printer at once.
  func add(_ tickets: [Ticket]) async {
    for ticket in tickets {
      let place = line.lastIndex { $0.id < ticket.id }.map { $0 + 1 } ?? 0
      line.insert(ticket, at: place)
      floor.wakes.note(ticket.id, .queued(obstacle ?? "waits for its turn at \(name)"), ticket.timeline)
    }
    nudge()
    for ticket in tickets where ticket.order == .coming { await fetcher.fetch(ticket, for: self) }
  }

  /// Tries the printer now, whatever the back-off says.
  func nudge() {
    guard !isStopping else { return }
    retryAt = nil
    if running == nil { running = Task { await run() } }
    bell.ring()
  }

  /// Takes a job out that has ended another way.
  func drop(_ id: Int64) async {
    line.removeAll { $0.id == id }
    if inHand?.id == id { inHand = nil }
    await fetcher.forget(id)
    bell.ring()
  }

  /// Changes the printer once the job in hand has ended; nil when it is not configured any longer.
  func replace(with setup: PrinterSetup?) {
    replacement = .some(setup)
    if line.isEmpty, running == nil { adoptNow() } else { nudge() }
  }

  /// How long after its deadline a stop may take, in which the receipt in hand is given up in doubt and the link closed.
  private static let givingUpTime = Duration.seconds(2)

  /// How long after that the link may take to be closed.
  private static let closingTime = Duration.seconds(1)

  /// Finishes the receipt in hand and closes the link; returns then.
  ///
  /// A receipt that has not ended by `deadline`, since the printer stands still, is given up in doubt: a link that nobody
  /// closed would keep the printer from everybody else.
  func stop(by deadline: BootInstant) async {
    isStopping = true
    refuseTests(Self.stoppingReason)
    for borrower in borrowers { borrower.ring() }
    bell.ring()
    await waitUntilStopped(by: deadline)
    guard let running, !hasStopped else { return }
    running.cancel()
    await waitUntilStopped(by: floor.deadline(in: Self.givingUpTime))
    guard !hasStopped else { return }
    // What holds up the line now is no printer: the journal, a disk that hangs.
    let closed = Doorbell(clock: floor.clock)
    Task {
      await closeLink()
      closed.ring()
    }
    await closed.wait(until: floor.deadline(in: Self.closingTime))
  }

  private func waitUntilStopped(by deadline: BootInstant) async {
    while running != nil, !hasStopped, floor.now < deadline { await stopped.wait(until: deadline) }
  }

  /// Whether another setup waits to be taken over.
  var isReplaced: Bool { replacement != nil }

  /// Whether the printer is not configured any longer.
  var isRemoved: Bool { if case .some(.none) = replacement { true } else { false } }

  /// The ticket of a job, while it is in the line.
  func ticket(_ id: Int64) -> Ticket? { line.first { $0.id == id } }

  /// Changes the ticket of a job, if it is in the line.
  func update(_ id: Int64, _ change: (inout Ticket) -> Void) {
    guard let place = line.firstIndex(where: { $0.id == id }) else { return }
    change(&line[place])
  }

  private func run() async {
    while !isStopping {
      await adopt()
      if isLinkGone { await closeLink() }
      await expireOverdue()
      if isLent {
        watch(false)
        await restWhileLent()
        continue
      }
      resumeAfterLoan()
      let isWaiting = !line.isEmpty && retryAt.map { $0 > floor.now } == true
      watch(isWaiting && isAway && tests.isEmpty)
      if let doubt, !tests.isEmpty {
        await wait(for: doubt)
      } else if !tests.isEmpty {
        await printNextTest()
      } else if let doubt, line.contains(where: { $0.order != .awaited }) {
        await wait(for: doubt)
      } else if let retryAt, isWaiting {
        if doubt == nil { watchIdleLink() }
        await bell.wait(until: nextExpiry.map { min($0, retryAt) } ?? retryAt)
      } else if let head = line.first(where: { $0.order != .awaited }) {
        await work(on: head.id)
      } else {
        await rest()
      }
    }
    refuseTests(Self.stoppingReason)
    watch(false)
    await giveUpDoubt()
    // A connection that came after our end would keep the printer from others, with nobody to end it.
    await giveUpConnecting()
    await closeLink()
    floor.progress.expect(name, by: nil)
    hasStopped = true
    stopped.ring()
    for borrower in borrowers { borrower.ring() }
  }

  /// Waits for something to do; closes a link that has been idle long enough.
  private func rest() async {
    floor.progress.expect(name, by: nil)
    let idleEnd =
      link == nil || doubt != nil
      ? nil : idleSince.flatMap { since in setup.map { since.advanced(by: $0.idleLimit) } }
    if let idleEnd, idleEnd <= floor.now { return await closeLink() }
    if doubt == nil { watchIdleLink() }
    await bell.wait(until: [idleEnd, nextExpiry].compactMap(\.self).min())
  }

  private func adopt() async {
    guard replacement != nil else { return }
    await giveUpDoubt()
    await giveUpConnecting()
    await closeLink()
    adoptNow()
  }

  private func adoptNow() {
    guard let next = replacement else { return }
    replacement = nil
    watch(false)
    setup = next
    era += 1
    // There is nothing to lend any more, and another reason to wait.
    if next == nil { endLoans() }
    connectFailure = nil
    obstacle = nil
    failures = 0
    retryAt = nil
    isAway = false
    isSighted = false
    sightingsInVain = 0
    linksGone = 0
    drainAgainAt = nil
    openQuestions = 0
    joining = .unknown
  }
}
