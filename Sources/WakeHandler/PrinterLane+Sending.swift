import ESCPOS
import PrintJobs
import Synchronization

extension PrinterLane {
  /// What is known of bytes that were given to the printer.
  enum Sent {
    /// They are on paper.
    case printed(Confirmation)
    /// The link took none of them.
    case nothing(LinkError)
    /// Some or all may be on paper; `mayBeAnswered` while the printer may still confirm it on a link that lives.
    case inDoubt(String, mayBeAnswered: Bool)
  }

  /// Prints a job whose intent is durable, and writes down what became of it.
  func print(
    _ id: Int64, _ receipt: PreparedReceipt, _ conversation: any ConversationPort, _ profile: PrinterProfile
  ) async {
    guard let ticket = ticket(id) else { return await end(conversation) }
    printing = id
    defer { printing = nil }
    let firstByte = Mutex<BootInstant?>(nil)
    let sent = await send(receipt, conversation, profile, job: id) { [floor] in
      let now = floor.now
      let isFirst = firstByte.withLock { first in
        guard first == nil else { return false }
        first = now
        return true
      }
      guard isFirst else { return }
      var timeline = ticket.timeline
      timeline.firstByte = ticket.origin.duration(to: now).milliseconds
      floor.wakes.note(id, .unknown("is being printed; not confirmed yet"), timeline)
    }
    if let first = firstByte.withLock({ $0 }) {
      update(id) { $0.timeline.firstByte = $0.origin.duration(to: first).milliseconds }
    }
    var change = JobChange()
    change.bytesAccepted = await conversation.jobBytesAccepted
    switch sent {
    case .printed(let confirmation):
      update(id) { $0.timeline.fence = elapsed($0) }
      change.confirmation = confirmation
      await conclude(id, .printed, "", change, .printedUnreported(confirmation))
      await end(conversation)
      unblock()
    case .inDoubt(let reason, let mayBeAnswered):
      // An answer to `GS r` could be anybody's.
      let listens = mayBeAnswered && profile.fence == .processID
      if !listens {
        await end(conversation)
        await closeLink()
      }
      await conclude(id, .unknown, reason, change, .unknown(reason))
      if listens { listen(for: ticket, on: conversation) }
    case .nothing(let error):
      await end(conversation)
      await giveUpLink(error.message)
      change.reason = error.message
      if let job = await record(id, [.rendered], change) {
        update(id) { $0.keep(job) }
      } else if !isStopping {
        await forgetMoved(id)
      }
    }
  }

  /// Writes down the end of a job that has reached the printer; says so to its wakes first, since it is true
  /// whether the journal can be written or not.
  private func conclude(
    _ id: Int64, _ state: JobState, _ reason: String, _ change: JobChange, _ outcome: Outcome
  ) async {
    guard let ticket = ticket(id) else { return }
    floor.wakes.note(id, outcome, ticket.timeline)
    var change = change
    change.reason = reason
    change.timeline = ticket.timeline
    if let job = await record(id, [state], change) {
      await finish(id, job)
    } else if !isStopping {
      await forgetMoved(id)
    }
  }

  /// Gives bytes to the printer and waits for the proof.
  ///
  /// A printer that stops in mid-job holds what it has and goes on after the refill; so the link is given time to
  /// take the rest, and the answer is waited for.
  func send(
    _ receipt: PreparedReceipt, _ conversation: any ConversationPort, _ profile: PrinterProfile,
    job id: Int64?, firstByte: @Sendable () -> Void
  ) async -> Sent {
    talking = conversation
    defer { talking = nil }
    let policies = floor.policies
    let bytes = receipt.bytes
    let printTime = Duration.seconds(Double(bytes.count) / Double(max(1, profile.bytesPerSecond)))
    let sendLimit = floor.deadline(in: policies.refillLimit + printTime)
    floor.progress.expect(name, by: sendLimit)
    do {
      try await conversation.send(
        bytes, seams: receipt.seams, by: sendLimit, firstByte: firstByte)
    } catch {
      let accepted = await conversation.jobBytesAccepted
      if accepted == 0 { return .nothing(LinkError(error.code, words(error))) }
      return .inDoubt(
        "the link took \(accepted) of \(bytes.count) bytes: \(words(error))", mayBeAnswered: false)
    }
    return await waitForProof(conversation, job: id, printTime: printTime)
  }

  /// Waits until the printer has confirmed the print, or cannot any more.
  private func waitForProof(
    _ conversation: any ConversationPort, job id: Int64?, printTime: Duration
  ) async -> Sent {
    let lastByte = floor.now.advanced(by: printTime)
    let usual = lastByte.advanced(by: floor.policies.fenceLimit)
    let latest = lastByte.advanced(by: floor.policies.refillLimit)
    var limit = min(lastByte.advanced(by: .seconds(3)), usual)
    while true {
      floor.progress.expect(name, by: limit)
      var status = PrinterStatus()
      do {
        switch try await conversation.fence(by: limit) {
        case .proven: return .printed(.fence)
        case .unconfirmed: return .printed(.unconfirmed)
        case .missing(let known): status = known
        }
      } catch {
        guard error.code == .deadline else {
          return .inDoubt("the print was not confirmed: \(words(error))", mayBeAnswered: false)
        }
        status = await conversation.status
      }
      if let reason = status.obstacle, limit < latest {
        limit = latest
        await waitsInMidJob(id, "\(reason) in the middle of a receipt")
      } else if limit < usual {
        limit = usual
        await waitsInMidJob(id, nil)
      } else {
        let reason = status.obstacle.map { ": \($0)" } ?? ""
        return .inDoubt("the printer has not confirmed the print\(reason)", mayBeAnswered: true)
      }
    }
  }

  /// Only a stop whose time is over cancels a line.
  private func words(_ error: LinkError) -> String {
    error.code == .cancelled ? "printd was stopped" : error.message
  }

  /// Shows that a job takes longer than it should.
  private func waitsInMidJob(_ id: Int64?, _ reason: String?) async {
    if let reason, reason != obstacle {
      obstacle = reason
      floor.ports.note(HandlerEvent(.warning, reason, job: id, printer: name))
    }
    guard let id, let ticket = ticket(id), ticket.job.state == .intent else { return }
    floor.wakes.note(id, .unknown(reason ?? "is being printed; not confirmed yet"), ticket.timeline)
    if let job = try? await floor.jobs.advance(id, through: [.sending], change: JobChange()) {
      update(id) { $0.keep(job) }
    }
  }
}
