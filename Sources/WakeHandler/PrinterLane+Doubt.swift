import ESCPOS
import PrintJobs

extension PrinterLane {
  /// A job that has ended unknown for want of an answer that may still come, over a link that lives.
  struct Doubt {
    var ticket: Ticket
    var conversation: any ConversationPort
    var until: BootInstant
    /// Waits for the answer; may be cancelled.
    var fence: Task<PrinterConversation.Fence?, Never>
    /// Writes down what came of it.
    var listener: Task<Void, Never>?
  }

  /// Goes on listening for the answer to the job's own question; nothing else is printed on the link meanwhile.
  func listen(for ticket: Ticket, on conversation: any ConversationPort) {
    let until = floor.deadline(in: floor.policies.lateLimit)
    let fence = Task { try? await conversation.fence(by: until) }
    var doubt = Doubt(ticket: ticket, conversation: conversation, until: until, fence: fence)
    doubt.listener = Task {
      let answer = await fence.value
      await end(conversation)
      self.doubt = nil
      if answer == .proven {
        await settle(ticket)
        unblock()
      } else {
        await closeLink()
      }
      bell.ring()
    }
    self.doubt = doubt
  }

  /// Lets the next job wait for the answer a little longer, then gives it up.
  func wait(for doubt: Doubt) async {
    let limit = min(doubt.until, floor.deadline(in: floor.policies.lateLimitInLine))
    floor.progress.expect(name, by: limit)
    for ticket in line where ticket.order != .awaited {
      floor.wakes.note(
        ticket.id, .queued("the printer has not confirmed the receipt before"), ticket.timeline)
    }
    while self.doubt != nil, floor.now < limit, !isStopping, !isReplaced, !isLent {
      await bell.wait(until: limit)
    }
    await giveUpDoubt()
  }

  /// Listens no longer; also where the link does not even take the question for the printer's status.
  func giveUpDoubt() async {
    guard let doubt else { return }
    doubt.fence.cancel()
    await doubt.listener?.value
  }

  /// The printer has said that a job is on paper which was given up: that is told again. A person may have been quicker.
  private func settle(_ ticket: Ticket) async {
    var change = JobChange()
    change.reason = ""
    change.confirmation = .fence
    var timeline = ticket.timeline
    timeline.fence = elapsed(ticket)
    change.timeline = timeline
    guard let job = await record(ticket.id, [.printed], change) else { return }
    var ticket = ticket
    ticket.timeline = timeline
    ticket.keep(job)
    floor.tally.count { $0.ended[job.state.rawValue, default: 0] += 1 }
    floor.wakes.note(job.id, job.outcome, timeline)
    floor.ports.note(
      HandlerEvent(
        .notice, "printed: the printer has confirmed it late", job: job.id, order: job.key.orderID,
        printer: name))
    await reporter.report(ticket)
  }
}
