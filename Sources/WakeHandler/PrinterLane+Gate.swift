import ESCPOS
import PrintJobs

extension PrinterLane {
  /// What the gate came to.
  enum GateAnswer {
    /// Nothing known stands in the way.
    case open(PrinterConversation.Gate)
    /// It answers and has not got to the question.
    case busy
    /// Something stands in the way; `spoilsLink` when the link is of no use any more.
    case standing(String, spoilsLink: Bool)
  }

  private static let busy = "the printer is busy with what it had before"
  /// Bytes a second that the slowest printer takes whose profile can be written.
  private static let slowestPrinter = 100.0

  /// Begins to talk to the printer.
  func converse(_ link: any PrinterLink, _ profile: PrinterProfile) async -> any ConversationPort {
    await unwatchIdleLink()
    let past = PrinterConversation.Past(
      openQuestions: openQuestions, isProven: jobsOnLink > 0, joining: joining)
    return floor.ports.converse(link, profile, floor.clock, past)
  }

  /// Ends a conversation, and keeps in mind what the printer has not answered in it.
  func end(_ conversation: any ConversationPort) async {
    await conversation.end()
    openQuestions = await conversation.openQuestions
    joining = await conversation.joining
  }

  /// Asks the printer whether it can print the job.
  ///
  /// One that is busy with what it had before is waited for in the same conversation, for as long as one that stops in
  /// mid-job would be: what it holds it prints first.
  func askGate(
    _ conversation: any ConversationPort, for id: Int64, _ sheet: Sheet
  ) async -> GateAnswer {
    let latest = floor.deadline(in: floor.policies.refillLimit)
    while true {
      let answer = await askGate(conversation)
      guard case .busy = answer else { return answer }
      showBusy()
      await hold(id, sheet)
      await expireOverdue()
      guard ticket(id) != nil, floor.now < latest, !isStopping, !isReplaced, !isLent else {
        return .standing(Self.busy, spoilsLink: true)
      }
    }
  }

  /// Asks the printer once whether it can print.
  func askGate(_ conversation: any ConversationPort) async -> GateAnswer {
    let deadline = floor.deadline(in: floor.policies.gateLimit)
    floor.progress.expect(name, by: deadline)
    let drains = drainAgainAt.map { $0 <= floor.now } ?? true
    do {
      let gate = try await conversation.gate(by: deadline, drains: drains)
      let nuls = await conversation.nulsSent
      switch gate {
      case .ready, .unasked:
        drainAgainAt = nil
        return .open(gate)
      case .notReady(let status):
        drainAgainAt = nil
        return .standing(status.obstacle ?? "the printer is not ready", spoilsLink: false)
      case .busy:
        return .busy
      case .silent:
        // A printer that takes nothing for now prints its way through all of it when it is back.
        if drains, nuls > 0 {
          drainAgainAt = floor.deadline(in: .seconds(Double(nuls) / Self.slowestPrinter))
        }
        return .standing("the printer does not answer", spoilsLink: true)
      }
    } catch {
      return .standing(error.message, spoilsLink: true)
    }
  }

  private func showBusy() {
    for ticket in line where ticket.order != .awaited {
      floor.wakes.note(ticket.id, .queued(Self.busy), ticket.timeline)
    }
    guard obstacle != Self.busy else { return }
    obstacle = Self.busy
    floor.ports.note(HandlerEvent(.warning, "waiting: \(Self.busy)", printer: name))
  }
}
