import ESCPOS
import PrintJobs

extension PrinterLane {
  /// Whether the job's order is still wanted.
  func wants(_ id: Int64) -> Bool {
    ticket(id).map { $0.order != .journal } ?? false
  }

  /// Takes an order that was fetched: into the hand when the line waits for it, else into the journal.
  ///
  /// - Returns: Whether it is safe; if not it must be fetched again.
  func orderCame(_ id: Int64, _ order: [UInt8]) async -> Bool {
    guard var ticket = ticket(id) else { return true }
    ticket.timeline.fetched = elapsed(ticket)
    update(id) { $0.timeline = ticket.timeline }
    if waitingFor == id {
      inHand = (id, order)
      bell.ring()
      return true
    }
    var change = JobChange()
    change.order = order
    change.timeline = ticket.timeline
    do {
      // One whose order the journal has lost may be further on already.
      let states = ticket.job.state.steps(to: .fetched)
      let job = try await floor.jobs.advance(id, through: states, change: change)
      update(id) { $0.keep(job) }
      bell.ring()
      return true
    } catch {
      guard error.code == .storage else {
        await forgetMoved(id)
        return true
      }
      update(id) { $0.order = .awaited }
      floor.wakes.note(id, .queued("the journal cannot keep the order: \(error.message)"), ticket.timeline)
      bell.ring()
      return false
    }
  }

  /// Hears that an order could not be fetched.
  ///
  /// - Returns: Whether it is to be tried again.
  func orderFailed(_ id: Int64, _ error: OrderServiceError) async -> Bool {
    guard let ticket = ticket(id) else { return false }
    switch error.code {
    case .unavailable, .deadline:
      let reason = "the order could not be fetched: \(error.message)"
      update(id) { $0.order = .awaited }
      floor.wakes.note(id, .queued(reason), ticket.timeline)
      bell.ring()
      if ticket.order != .awaited {
        floor.ports.note(
          HandlerEvent(.warning, reason, job: id, order: ticket.job.key.orderID, printer: name))
      }
      return true
    case .notFound, .refused, .unsupported:
      await end(id, as: .rejected, reason: "the order could not be fetched: \(error.message)")
      // Still in the line only when the journal could not be written: then the end is tried again with the fetch.
      let isStillHere = self.ticket(id) != nil
      if isStillHere { update(id) { $0.order = .awaited } }
      bell.ring()
      return isStillHere
    }
  }

  /// The order of the job at the head, as soon as it is there; nil when there is nothing to wait for any more.
  func order(of id: Int64) async -> [UInt8]? {
    defer { waitingFor = nil }
    while !isStopping, !isBarred {
      guard let ticket = ticket(id), ticket.order != .awaited else { return nil }
      if let inHand, inHand.id == id { return inHand.order }
      if ticket.order == .journal { return await storedOrder(of: ticket) }
      waitingFor = id
      // The fetch has its own deadline, and the link may be open already: nothing here is late meanwhile.
      if !isConnecting { floor.progress.expect(name, by: nil) }
      await bell.wait(until: nil)
    }
    return nil
  }

  private func storedOrder(of ticket: Ticket) async -> [UInt8]? {
    do {
      guard let job = try await floor.jobs.job(ticket.id), !job.state.isFinal else {
        await forgetMoved(ticket.id)
        return nil
      }
      if !job.order.isEmpty { return job.order }
      update(ticket.id) { $0.order = .coming }
      await fetcher.fetch(ticket, for: self)
    } catch {
      block("the journal cannot be read: \(error.message)")
    }
    return nil
  }

  /// Milliseconds since the job's wake was accepted.
  func elapsed(_ ticket: Ticket) -> Double {
    ticket.origin.duration(to: floor.now).milliseconds
  }
}

extension Ticket {
  /// Takes over what the journal holds, without the order.
  mutating func keep(_ job: Job) {
    if !job.order.isEmpty { order = .journal }
    self.job = job
    self.job.order = []
  }
}
