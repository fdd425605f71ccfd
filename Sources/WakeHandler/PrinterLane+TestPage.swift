import ESCPOS
import PrintJobs

/// Pages that a person wants printed apart from any order; the journal knows nothing of them.
extension PrinterLane {
  /// Makes the bytes of a page from what the printer has just said.
  typealias Page = @Sendable (PrinterConversation.Gate) throws -> [UInt8]

  /// A page, and who waits for it.
  struct TestPage {
    var id: Int
    var page: Page
    /// Later it is not begun any more: nobody would hear of it.
    var deadline: BootInstant
    var reply: CheckedContinuation<Outcome, Never>
  }

  static let stoppingReason = "printd is stopping"

  private var lateReason: String {
    "\(name) did not get to the page in time\(obstacle.map { ": \($0)" } ?? "")"
  }

  /// Prints a page before the next job and says what became of it. One that has not begun by `deadline` is not printed.
  func testPrint(_ page: @escaping Page, by deadline: BootInstant) async -> Outcome {
    guard !isStopping else { return .notPrinted(Self.stoppingReason) }
    testCount += 1
    let id = testCount
    let alarm = Task { [clock = floor.clock, weak self] in
      try await clock.sleep(until: deadline, tolerance: nil)
      await self?.giveUpTest(id)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { reply in
      tests.append(TestPage(id: id, page: page, deadline: deadline, reply: reply))
      nudge()
    }
  }

  /// Answers for a page that still waits for its turn.
  private func giveUpTest(_ id: Int) {
    guard let place = tests.firstIndex(where: { $0.id == id }) else { return }
    tests.remove(at: place).reply.resume(returning: .notPrinted(lateReason))
  }

  /// Answers for all pages that wait for their turn.
  func refuseTests(_ reason: String) {
    for test in tests { test.reply.resume(returning: .notPrinted(reason)) }
    tests = []
  }

  /// Prints the page whose turn it is, if any.
  func printNextTest() async {
    guard !tests.isEmpty else { return }
    let test = tests.removeFirst()
    if let outcome = await printTest(test) {
      test.reply.resume(returning: outcome)
    } else {
      tests.insert(test, at: 0)
    }
  }

  /// - Returns: Nil when the printer is to be set up anew before.
  private func printTest(_ test: TestPage) async -> Outcome? {
    guard floor.now < test.deadline else { return .notPrinted(lateReason) }
    retryAt = nil
    // How a try of long ago ended says nothing about now.
    if !isConnecting { connectFailure = nil }
    guard await hasLink(), let link, let setup else {
      if isStopping { return .notPrinted(Self.stoppingReason) }
      if isReplaced, !isRemoved { return nil }
      return .notPrinted(obstacle ?? (isLent ? Self.lentReason : Self.removed(name)))
    }
    let conversation = await converse(link, setup.profile)
    let bytes: [UInt8]
    switch await askGate(conversation) {
    case .busy:
      await end(conversation)
      await closeLink()
      return .notPrinted("the printer is busy with what it had before")
    case .standing(let reason, let spoilsLink):
      await end(conversation)
      if spoilsLink { await closeLink() }
      return .notPrinted(reason)
    case .open(let gate):
      do {
        bytes = try test.page(gate)
      } catch {
        await end(conversation)
        return .notPrinted("the page cannot be made: \(error)")
      }
    }
    guard floor.now < test.deadline else {
      await end(conversation)
      return .notPrinted(lateReason)
    }
    let sent = await send(PreparedReceipt(bytes: bytes), conversation, setup.profile, job: nil) {}
    await end(conversation)
    switch sent {
    case .printed(let confirmation):
      unblock()
      return .printed(confirmation)
    case .nothing(let error):
      await closeLink()
      return .notPrinted(error.message)
    case .inDoubt(let reason, _):
      await closeLink()
      return .unknown(reason)
    }
  }
}
