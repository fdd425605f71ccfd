import ESCPOS
import PrintJobs
import Threads

extension PrinterLane {
  /// A job's bytes with what must be written down about them.
  struct Sheet {
    var receipt: PreparedReceipt
    var order: [UInt8]
    var expiresAt: Double
  }

  /// Does what can be done for the job at the head: its order and the link side by side, then the print.
  func work(on id: Int64) async {
    // How a try of long ago ended says nothing about now.
    if !isConnecting { connectFailure = nil }
    connect()
    guard let order = await order(of: id), let sheet = await sheet(for: id, order) else { return }
    guard await hasLink() else { return await hold(id, sheet) }
    guard let link, let setup else { return }
    if let connectedAt {
      update(id) { $0.timeline.connected = max(0, $0.origin.duration(to: connectedAt).milliseconds) }
    }
    let conversation = await converse(link, setup.profile)
    say("\(name) is connected and has not answered yet")
    if case .standing(let reason, let spoilsLink) = await askGate(conversation, for: id, sheet) {
      await end(conversation)
      if spoilsLink { await giveUpLink(reason) } else { block(reason) }
      return await hold(id, sheet)
    }
    guard await intend(id, sheet) else { return await end(conversation) }
    await print(id, sheet.receipt, conversation, setup.profile)
  }

  /// The job's bytes; nil when it has ended instead.
  private func sheet(for id: Int64, _ order: [UInt8]) async -> Sheet? {
    guard let ticket = ticket(id) else { return nil }
    guard let setup else {
      block(Self.removed(name))
      return nil
    }
    do throws(DocumentFault) {
      switch try await prepare(ticket.job, order, setup.profile) {
      case .unwanted(let reason):
        await end(id, as: .cancelled, reason: reason)
        return nil
      case .receipt(let receipt):
        var expiresAt = ticket.job.expiresAt
        if ticket.job.key.copy == 1, let paidAt = receipt.paidAt {
          let hadDate = ticket.job.receivedAt >= Policies.earliestDate
          let start = hadDate ? min(paidAt, ticket.job.receivedAt) : paidAt
          expiresAt = start + Double(floor.policies.expiry.components.seconds)
        }
        update(id) { $0.job.expiresAt = expiresAt }
        guard let ticket = self.ticket(id), remaining(ticket) > .zero else {
          await expire(id)
          return nil
        }
        return Sheet(receipt: receipt, order: order, expiresAt: expiresAt)
      }
    } catch {
      await end(id, as: .rejected, reason: error.description)
      return nil
    }
  }

  /// Makes the order into bytes, on a thread that may be busy for as long as a huge order takes: the alarms of the
  /// wakes need the pool.
  private func prepare(
    _ job: Job, _ order: [UInt8], _ profile: PrinterProfile
  ) async throws(DocumentFault) -> Preparation {
    let prepare = floor.ports.prepare
    floor.progress.expect(name, by: floor.deadline(in: floor.policies.prepareLimit))
    let result = await Self.desk.run { () -> Result<Preparation, DocumentFault> in
      do throws(DocumentFault) {
        return .success(try prepare(job, order, profile))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// One job of each lane at most is on it; the paper waits for it, so one thread stays.
  private static let desk = WorkThreads(keeping: 1)

  /// Makes the order safe before the line waits for the printer.
  func hold(_ id: Int64, _ sheet: Sheet) async {
    guard let ticket = ticket(id) else { return }
    let states = ticket.job.state.steps(to: .rendered)
    guard !states.isEmpty else { return }
    do {
      let job = try await floor.jobs.advance(id, through: states, change: change(for: ticket, sheet))
      update(id) { $0.keep(job) }
      inHand = nil
    } catch {
      if error.code != .storage { await forgetMoved(id) }
    }
  }

  /// Makes the intent durable; false when nothing may be sent.
  private func intend(_ id: Int64, _ sheet: Sheet) async -> Bool {
    guard let ticket = ticket(id) else { return false }
    // The link and the printer's answer may have taken the last of its time.
    guard remaining(ticket) > .zero else {
      await expire(id)
      return false
    }
    var change = change(for: ticket, sheet)
    change.attempt = ticket.job.attempt + 1
    change.reason = ""
    do {
      let job = try await floor.jobs.advance(id, through: ticket.job.state.steps(to: .intent), change: change)
      update(id) { $0.keep(job) }
      inHand = nil
      return true
    } catch {
      if error.code == .storage {
        block("the journal cannot be written: \(error.message)")
      } else {
        await forgetMoved(id)
      }
      return false
    }
  }

  private func change(for ticket: Ticket, _ sheet: Sheet) -> JobChange {
    var change = JobChange()
    if ticket.order != .journal { change.order = sheet.order }
    change.bytesTotal = sheet.receipt.bytes.count
    change.expiresAt = sheet.expiresAt
    change.timeline = ticket.timeline
    return change
  }
}
