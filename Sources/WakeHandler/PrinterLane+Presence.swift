import ESCPOS

extension PrinterLane {
  /// How long after a try a sighting counts, by how many sightings in a row were in vain: a printer that is seen and
  /// cannot be reached must not keep the radio busy, and one that is back is printed on within 5 s. Likewise for one that is
  /// not ready and lets its link go again and again.
  private static let pauses: [Duration] = [0, 1, 2, 4].map { .seconds($0) }

  /// Looks out for the printer, or ceases to.
  func watch(_ isWanted: Bool) {
    guard isWanted else {
      lookout?.cancel()
      lookout = nil
      return
    }
    guard lookout == nil, let presence = setup?.opener.presence() else { return }
    lookout = Task { [weak self] in
      for await sign in presence { await self?.look(sign) }
    }
  }

  /// Tries the printer at once, or a little later when it was seen in vain before. Where nobody can see it, its opener
  /// has made the pause, which does not grow.
  private func look(_ sign: Presence) {
    guard lookout?.isCancelled == false else { return }
    let pause = sign == .seen ? Self.pauses[min(sightingsInVain, Self.pauses.count - 1)] : .zero
    if retry(after: pause) { isSighted = sign == .seen }
  }

  /// Tries a printer that was not ready, and whose link has gone since.
  func retryWithoutLink() {
    let pause = Self.pauses[min(linksGone, Self.pauses.count - 1)]
    linksGone += 1
    retry(after: pause)
  }

  /// Lets the next try be `pause` after the last one, or at once where that is over.
  ///
  /// - Returns: Whether that is sooner than the back-off has it.
  @discardableResult
  private func retry(after pause: Duration) -> Bool {
    guard let retryAt, let failedAt else { return false }
    let next = max(floor.now, failedAt.advanced(by: pause))
    guard next < retryAt else { return false }
    self.retryAt = next
    bell.ring()
    return true
  }
}
