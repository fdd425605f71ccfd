public import ESCPOS
import PrintJobs

extension WakeHandler {
  /// Whether the wake's payment is to be said, as far as the wake goes.
  func wantsVoice(_ wake: Wake) -> Bool { wake.announceRequested && floor.ports.announcer != nil }

  /// What is announced once; nil where nothing is to be said, or where nothing tells one payment from another.
  ///
  /// A wake about something else than a payment claims none: the order's payment is still to come.
  func payment(of wake: Wake, _ delivery: WakeDelivery) -> PaymentClaim? {
    guard wantsVoice(wake), wake.isPayment else { return nil }
    if let orderID = wake.orderID {
      return isRefund(wake)
        ? PaymentClaim(refundOf: orderID, id: wake.refundID, amount: wake.amount)
        : PaymentClaim(orderID: orderID, id: wake.paymentID, amount: wake.amount)
    }
    return delivery.id.map { PaymentClaim(deliveryID: $0) }
  }

  /// Whether the wake's money went back, by the shop's own ways of paying as well.
  private func isRefund(_ wake: Wake) -> Bool {
    wake.isRefund || wake.payType.map { floor.policies.refundPayTypes.contains($0.lowercased()) } ?? false
  }

  /// When a payment was first heard of: when its voice was first asked for. That its order was printed before says nothing of
  /// that, since it may have been paid later.
  func knownSince(_ received: Received, _ budget: Budget) -> BootInstant {
    received.firstAskedAt.map { min(floor.instant(of: $0), budget.acceptedAt) } ?? budget.acceptedAt
  }

  /// Says a payment beside the print, for a wake that is open; neither waits for the other.
  ///
  /// One that has not ended when the wake's budget is over is noted as ``VoiceEnd/expired``; its own end is noted when it
  /// comes.
  func announce(
    _ wake: Wake, _ number: Int, _ budget: Budget, payment: PaymentKey?, knownSince: BootInstant
  ) {
    guard let announcer = floor.ports.announcer else { return }
    floor.wakes.speak(number)
    floor.voices.open()
    if let payment { floor.voices.begin(payment) }
    let end: @Sendable (VoiceEnd, _ isFirst: Bool) async -> Void = { [floor] end, isFirst in
      if isFirst { floor.tally.count { $0.announcements[end.word, default: 0] += 1 } }
      guard let payment else { return }
      do {
        try await floor.jobs.announced(payment, end)
      } catch {
        floor.ports.note(
          HandlerEvent(.error, "the end of an announcement (\(end.word)) cannot be noted: \(error)"))
      }
      floor.voices.end(payment)
    }
    // True when it came before the announcement's own end.
    let alarm = Task { [floor] in
      do { try await floor.clock.sleep(until: budget.completion, tolerance: nil) } catch { return false }
      await end(.expired, true)
      return true
    }
    Task { [floor] in
      let said = await announcer.announce(
        wake, payment: payment, knownSince: knownSince, by: budget.completion)
      if let reason = said.reason {
        floor.ports.note(
          HandlerEvent(.warning, "a payment was not announced: \(reason)", order: wake.orderID))
      }
      floor.wakes.note(number, voice: said)
      alarm.cancel()
      await end(said, await !alarm.value)
      floor.voices.close()
    }
  }

  /// Waits until the end of every announcement is in the journal, or for the deadline; to be called when the voice has
  /// stopped, before the journal is closed.
  public func announcementsEnded(by deadline: BootInstant) async {
    await floor.voices.wait(for: nil, until: deadline)
  }

  /// A payment that was announced before is not said again.
  func countSilent() {
    floor.tally.count { $0.announcements[VoiceEnd.silent.word, default: 0] += 1 }
  }
}
