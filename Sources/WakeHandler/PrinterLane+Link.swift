import ESCPOS
import PrintJobs

extension PrinterLane {
  /// Begins to open the link, unless it is open or being opened.
  func connect() {
    guard link == nil, !isConnecting, connectFailure == nil, !isBarred else { return }
    guard let setup else {
      connectFailure = LinkError(.refused, Self.removed(name))
      return
    }
    isConnecting = true
    let deadline = floor.deadline(in: floor.policies.connectLimit)
    let asked = era
    floor.progress.expect(name, by: deadline)
    say("\(name) does not take the connection yet: is it switched on and in range?")
    connecting = Task {
      do throws(LinkError) {
        await connected(try await setup.opener.open(by: deadline), in: asked)
      } catch {
        if asked == era { connectFailure = error }
      }
      isConnecting = false
      bell.ring()
    }
  }

  /// Calls off an opening that is under way; a link that is open stays.
  func giveUpConnecting() async {
    connecting?.cancel()
    await connecting?.value
    connecting = nil
    connectFailure = nil
  }

  private func connected(_ opened: any PrinterLink, in asked: Int) async {
    if isStopping || asked != era { return await opened.close() }
    link = opened
    connectedAt = floor.now
    jobsOnLink = 0
    if joining == .promising { joining = .unknown }
    idleSince = floor.now
    isAway = false
    sightingsInVain = 0
    say("waits for its turn at \(name)")
  }

  /// Waits for the link; false when it could not be opened, and then the line is blocked for a while, or when the printer
  /// is to be left alone.
  func hasLink() async -> Bool {
    while !isStopping {
      if isBarred {
        await giveUpConnecting()
        return false
      }
      if isLinkGone { await closeLink() }
      if link != nil { return true }
      if let failure = connectFailure {
        connectFailure = nil
        isAway = failure.code != .refused
        block(failure.message)
        return false
      }
      connect()
      if link == nil, connectFailure == nil { await bell.wait(until: nil) }
    }
    return false
  }

  /// Tells the wakes what their jobs wait for, so that a budget that ends now ends with the truth of the moment; what stands
  /// in the way already says more.
  func say(_ waiting: String) {
    guard obstacle == nil else { return }
    for ticket in line where ticket.order != .awaited {
      floor.wakes.note(ticket.id, .queued(waiting), ticket.timeline)
    }
  }

  /// Closes the link, if it is open.
  func closeLink() async {
    await unwatchIdleLink()
    let open = link
    link = nil
    isLinkGone = false
    connectedAt = nil
    idleSince = nil
    await open?.close()
  }

  /// Closes a link that is of no use. One that had printed before may have died in silence long ago, so a fresh one
  /// is tried at once; a fresh one that fails blocks the line for a while.
  func giveUpLink(_ reason: String) async {
    let wasProven = jobsOnLink > 0
    await closeLink()
    if wasProven { jobsOnLink = 0 } else { block(reason) }
  }

  /// Keeps the line waiting after a try that failed, longer each time.
  func block(_ reason: String) {
    failures += 1
    if isSighted { sightingsInVain += 1 }
    isSighted = false
    failedAt = floor.now
    retryAt = floor.deadline(in: floor.policies.delay(after: failures))
    floor.progress.expect(name, by: retryAt)
    for ticket in line where ticket.order != .awaited {
      floor.wakes.note(ticket.id, .queued(reason), ticket.timeline)
    }
    guard obstacle != reason else { return }
    obstacle = reason
    floor.ports.note(HandlerEvent(.warning, "waiting: \(reason)", printer: name))
  }

  /// The printer has done its work: nothing stands in the way any more.
  func unblock() {
    failures = 0
    linksGone = 0
    retryAt = nil
    jobsOnLink += 1
    idleSince = floor.now
    guard obstacle != nil else { return }
    obstacle = nil
    floor.ports.note(HandlerEvent(.notice, "printing again", printer: name))
  }
}
