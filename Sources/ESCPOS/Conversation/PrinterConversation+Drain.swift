extension PrinterConversation {
  /// NUL bytes of the first step of a drain; each step is twice as long, up to what the printer takes in a second.
  private static let firstStep = 256
  /// How long the link may hold back NUL bytes before the printer counts as full.
  private static let pressureTime = Duration.seconds(1)
  /// The least that the raster of a profile is taken for.
  private static let leastRaster = 4_096

  /// Fills up whatever the printer still waits for, until it says anything.
  ///
  /// No step is sent before the printer has had the time for the one before by its profile, so that a slow one is never
  /// left with more NUL bytes ahead of it than it takes in a second. A link that does not take them in time shows a
  /// printer that is full and not hungry: it gets no more, and is waited for.
  ///
  /// - Returns: Whether it said anything; false when the longest raster that its profile allows would be full by now, or
  ///   the deadline has come.
  /// - Throws: ``LinkError`` with `.lost` or `.cancelled`.
  func drain(by deadline: BootInstant) async throws(LinkError) -> Bool {
    let before = replies
    let second = max(1, profile.bytesPerSecond)
    var step = min(Self.firstStep, second)
    while nulsSent < longestRaster, clock.now < deadline {
      let count = min(step, longestRaster - nulsSent)
      guard let sent = try await fill(count, by: deadline) else {
        return try await wait(until: deadline, for: { replies != before })
      }
      let taken = max(Self.replyTime, time(toTake: sent))
      let next = min(deadline, clock.now.advanced(by: taken))
      if try await wait(until: next, for: { replies != before }) {
        try await settle(by: deadline)
        forgetQuestions()
        return true
      }
      step = min(step * 2, second)
    }
    return false
  }

  /// Sends NUL bytes and a question behind them; gives the bytes sent, or nil when the link does not take them in time.
  private func fill(_ count: Int, by deadline: BootInstant) async throws(LinkError) -> Int? {
    var bytes = [UInt8](repeating: 0, count: count) + ledger.probe(profile.fence)
    if profile.status.dleEOT, !isAlive {
      parser.asked(1)
      bytes += [0x10, 0x04, 0x01]
    }
    let before = link.bytesAccepted
    defer { nulsSent += min(count, max(0, link.bytesAccepted - before)) }
    do throws(LinkError) {
      try await put(bytes, by: min(deadline, clock.now.advanced(by: Self.pressureTime)))
      return bytes.count
    } catch {
      guard error.code == .deadline else { throw error }
      return nil
    }
  }

  /// Sends `bytes` behind what an earlier call owes; what the link does not take before the deadline is owed then, for half a
  /// question would swallow what comes next.
  ///
  /// - Parameter isAhead: Whether the answer to a question in them shows that they have arrived.
  func put(_ bytes: [UInt8], isAhead: Bool = false, by deadline: BootInstant) async throws(LinkError) {
    owed += bytes
    guard !owed.isEmpty else { return }
    let before = link.bytesAccepted
    do throws(LinkError) {
      if isAhead {
        try await link.sendAhead(owed[...], by: deadline)
      } else {
        try await link.send(owed[...], by: deadline)
      }
      owed = []
    } catch {
      owed.removeFirst(min(owed.count, max(0, link.bytesAccepted - before)))
      throw error
    }
  }

  /// Bytes of the longest `GS v 0` that the renderer sends to this printer.
  private var longestRaster: Int {
    let rows = profile.raster?.maximumRows ?? 0
    return max(Self.leastRaster, 8 + rows * ((profile.widthDots + 7) / 8))
  }
}
