import ESCPOS
import PrintJobs

extension WakeHandler {
  /// Takes a wake.
  ///
  /// Returns once it is durable, so that the channel may acknowledge it, or says why it was not taken. A wake for a
  /// job that is printed, on its way or in doubt already is complete at once as a duplicate.
  public func accept(_ delivery: WakeDelivery) async -> Acceptance {
    let budget = Budget(acceptedAt: delivery.acceptedAt ?? floor.now, limits: floor.policies.budget)
    let acceptance = await take(delivery, budget)
    switch acceptance {
    case .accepted: floor.tally.count { $0.accepted += 1 }
    case .refused(let refusal):
      floor.tally.count { $0.refused[refusal.code.rawValue, default: 0] += 1 }
      floor.ports.note(HandlerEvent(.warning, "wake from \(delivery.channel) refused: \(refusal)"))
    }
    return acceptance
  }

  private func take(_ delivery: WakeDelivery, _ budget: Budget) async -> Acceptance {
    guard !isStopping else { return .refused(Refusal(.stopping, "printd is stopping; send the wake again")) }
    let wake: Wake
    do {
      wake = try Wake(
        json: delivery.body,
        limits: Wake.Limits(
          bytes: delivery.maximumBytes, allowsInlineOrder: floor.policies.allowsInlineOrders))
    } catch {
      return .refused(Refusal(.badWake, error.description))
    }
    do {
      guard wake.printRequested else { return .accepted(try await announceOnly(wake, delivery, budget)) }
      if let orderID = wake.orderID {
        return .accepted(try await printOrder(orderID, wake, delivery, budget))
      }
      return .accepted(try await printPending(wake, delivery, budget))
    } catch {
      return .refused(Refusal(.storage, error.message))
    }
  }

  private func announceOnly(
    _ wake: Wake, _ delivery: WakeDelivery, _ budget: Budget
  ) async throws(JournalError) -> Completion {
    let outcome = Outcome.ignored("the wake does not ask for a print (aps.content-available is not 1)")
    guard wantsVoice(wake) else {
      return .ended(WakeCompletion(outcome: outcome, jobs: [], asksForPrint: false))
    }
    var payment: PaymentKey?
    var knownSince = budget.acceptedAt
    if let claim = self.payment(of: wake, delivery) {
      let received = try await floor.jobs.receive(
        [], deliveryID: delivery.id, cursor: nil, restartsRejected: false, announcing: claim)
      payment = received.announces
      guard payment != nil else {
        countSilent()
        return .ended(
          WakeCompletion(
            outcome: received.replayed ? .duplicate : outcome, jobs: [], replayed: received.replayed,
            voice: .silent, asksForPrint: false))
      }
      knownSince = self.knownSince(received, budget)
    }
    let (number, completion) = floor.wakes.open(budget, fallback: outcome, asksForPrint: false)
    announce(wake, number, budget, payment: payment, knownSince: knownSince)
    floor.wakes.release(number)
    return completion
  }

  private func printOrder(
    _ orderID: String, _ wake: Wake, _ delivery: WakeDelivery, _ budget: Budget
  ) async throws(JournalError) -> Completion {
    let jobs = newJobs(for: orderID, order: wake.inlineOrder ?? [])
    let claim = payment(of: wake, delivery)
    guard !jobs.isEmpty || claim != nil else {
      return .ended(WakeCompletion(outcome: .notPrinted(Self.noPrinter), jobs: []))
    }
    await turnstile.enter()
    defer { turnstile.leave() }
    // A wake that nothing can be printed for yet may be sent again. A rejected job begins anew: the backend sends
    // another wake when it has mended the order, and nothing of it has been printed, so that it needs no mark.
    let received = try await floor.jobs.receive(
      jobs, deliveryID: jobs.isEmpty ? nil : delivery.id, cursor: nil, restartsRejected: true,
      announcing: claim)
    let payment = received.announces
    if claim != nil, payment == nil { countSilent() }
    let known = received.entries.filter { !$0.isNew }.map { JobOutcome(known: $0.job) }
    let hasNothingNew = received.replayed || known.count == received.entries.count
    if hasNothingNew {
      for name in Set(known.map(\.printer)) { await lane(name).nudge() }
    }
    let fallback: Outcome = jobs.isEmpty ? .notPrinted(Self.noPrinter) : .duplicate
    guard !hasNothingNew || payment != nil else {
      let outcome = known.map(\.outcome).max { $0.weight < $1.weight } ?? fallback
      return .ended(
        WakeCompletion(
          outcome: received.replayed ? .duplicate : outcome, jobs: known, replayed: received.replayed,
          voice: wantsVoice(wake) ? .silent : nil))
    }
    let new = received.entries.filter(\.isNew).map { JobOutcome(new: $0.job) }
    let (number, completion) = floor.wakes.open(budget, fallback: fallback, settled: known, awaited: new)
    if payment != nil || (claim == nil && wantsVoice(wake)) {
      announce(wake, number, budget, payment: payment, knownSince: knownSince(received, budget))
    } else if claim != nil {
      floor.wakes.speak(number)
      floor.wakes.note(number, voice: .silent)
    }
    await begin(received.entries, wakes: [number], budget)
    floor.wakes.release(number)
    return completion
  }

  private func printPending(
    _ wake: Wake, _ delivery: WakeDelivery, _ budget: Budget
  ) async throws(JournalError) -> Completion {
    let claim = payment(of: wake, delivery)
    var payment: PaymentKey?
    var knownSince = budget.acceptedAt
    if let id = delivery.id {
      let received = try await floor.jobs.receive(
        [], deliveryID: id, cursor: nil, restartsRejected: false, announcing: claim)
      payment = received.announces
      knownSince = self.knownSince(received, budget)
      if received.replayed {
        return .ended(
          WakeCompletion(
            outcome: .duplicate, jobs: [], replayed: true, voice: claim == nil ? nil : .silent))
      }
    }
    let (number, completion) = floor.wakes.open(budget, fallback: .queued("asking what is pending"))
    if wantsVoice(wake) {
      announce(wake, number, budget, payment: payment, knownSince: knownSince)
    }
    await pending().ask(for: number, budget)
    return completion
  }

  /// Makes pending orders into jobs and moves the cursor, for the wakes that asked; says how many are new, or nil
  /// when there is no printer for them, and then the cursor stays too.
  func receivePending(
    _ orderIDs: [String], cursor: String?, budget: Budget?, wakes: [Int]
  ) async throws(JournalError) -> Int? {
    guard !effectiveRoutes.isEmpty else { return nil }
    var jobs: [NewJob] = []
    for id in orderIDs {
      if let fault = OrderID.fault(in: id) {
        floor.ports.note(HandlerEvent(.error, "a pending order cannot be taken: \(fault)"))
      } else {
        jobs += newJobs(for: id, order: [])
      }
    }
    await turnstile.enter()
    defer { turnstile.leave() }
    let received = try await floor.jobs.receive(jobs, deliveryID: nil, cursor: cursor)
    await begin(received.entries, wakes: wakes, budget)
    return received.entries.filter(\.isNew).count
  }

  /// Lets wakes wait for the new jobs among `entries`, and puts those in their lines.
  func begin(_ entries: [Received.Entry], wakes: [Int], _ budget: Budget?) async {
    var tickets: [Ticket] = []
    for entry in entries where entry.isNew {
      let origin = budget?.acceptedAt ?? floor.now
      var ticket = Ticket(entry.job, origin: origin, budget: budget)
      ticket.timeline.received = origin.duration(to: floor.now).milliseconds
      let job = entry.job
      let outcome = JobOutcome(new: job)
      for wake in wakes { floor.wakes.add(outcome, to: wake, settled: false) }
      tickets.append(ticket)
      begunBeforeStart?.insert(job.id)
    }
    await enqueue(tickets)
  }

  /// The jobs that the routes make of an order.
  func newJobs(for orderID: String, order: [UInt8]) -> [NewJob] {
    let expiresAt = floor.policies.date() + Double(floor.policies.expiry.components.seconds)
    return effectiveRoutes.map { route in
      NewJob(
        key: JobKey(orderID: orderID, kind: route.kind), printer: route.printer, originals: route.originals,
        expiresAt: expiresAt, order: order)
    }
  }

  /// The routes, or one receipt to the first printer where there are none.
  var effectiveRoutes: [Route] {
    if !routes.isEmpty { return routes }
    return configured.first.map { [Route(printer: $0)] } ?? []
  }

  static let noPrinter = "no printer is configured; see `printd config check`"
}

extension JobOutcome {
  /// The outcome of a job for a wake that names it: for one that is known already a duplicate, unless it has ended
  /// unprinted.
  init(known job: Job) {
    let outcome: Outcome
    switch job.state {
    case .received, .fetched, .rendered, .intent, .sending, .printed, .unknown: outcome = .duplicate
    case .expired, .cancelled, .rejected: outcome = job.outcome
    }
    self.init(id: job.id, key: job.key, printer: job.printer, outcome: outcome, timeline: job.timeline)
  }

  /// What is true of a job that has just been received.
  init(new job: Job) {
    self.init(id: job.id, key: job.key, printer: job.printer, outcome: job.outcome)
  }
}
