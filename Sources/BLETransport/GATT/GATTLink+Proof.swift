import ESCPOS
import Threads

extension GATTLink {
  /// How long the printer may take for an answer to a question in the job, beside the time for what it has in its buffer by
  /// its profile: connection events of a slow link, and their repetitions.
  private static let proofTime = Duration.milliseconds(300)
  /// Longer is no wait for an answer any more, and requests do the rest.
  private static let longestProofTime = Duration.milliseconds(1_500)

  /// The most bytes of commands that a printer has before it which has stopped; nil where requests are not what holds up the
  /// link, or nothing is heard of the printer.
  public var proofWindow: Int? {
    state.withLock { state in
      let rule = state.rule
      guard state.hasBackChannel, rule.takesCommands, rule.takesRequests, !rule.onlyRequests else {
        return nil
      }
      return state.pace?.burst
    }
  }

  private var wideBurst: Int { max(chunk, printer.window ?? BluetoothPrinter.provenBurst) }

  /// Makes the ``proofWindow`` wider from now on.
  public func trustProofs() {
    guard proofWindow != nil else { return }
    state.withLock { $0.pace?.widen(to: wideBurst) }
  }

  /// Notes a question in the job; while its answer is expected, it is waited for before bytes go as requests.
  public func expectProof(of position: Int, askedBy end: Int) {
    state.withLock { state in
      state.proofs.expect(position, askedBy: end)
      state.pace?.isAwaited = true
    }
  }

  /// Makes room for as many bytes as the printer has taken out of its buffers.
  public func prove(upTo position: Int) {
    state.withLock { state in
      guard position <= state.window.accepted else { return }
      state.proofs.arrive(position)
      state.window.acknowledge(upTo: position)
      state.pace?.prove(ahead: state.window.accepted - position)
      state.pace?.isAwaited = state.proofs.areOpen
    }
    bell.ring()
  }

  /// Waits for an answer of the printer that makes room for `count` bytes, for a time in which it comes unless the printer
  /// stands still or does not answer. The link may be lost then, and the deadline over.
  func proof(
    for count: Int, at start: BootInstant, by deadline: BootInstant
  ) async throws(LinkError) {
    // The job goes on, however long the wait and whatever was before it: only the printer makes room.
    let pace = state.withLock { state in
      state.pace?.answer(at: start)
      return state.pace
    }
    guard let pace else { return }
    let usual = Self.proofTime + .seconds(Double(pace.burst) / Double(pace.rate))
    let patience = start.advanced(by: min(usual, Self.longestProofTime))
    let hasCome = try await bell.wait(by: min(deadline, patience)) {
      state.withLock { state in
        (state.pace?.room(at: start) ?? 0) >= count || state.loss != nil || state.isClosed
      }
    }
    let end = clock.now
    state.withLock { state in
      if !hasCome { state.proofs.disappoint() }
      state.pace?.answer(at: end)
    }
  }
}
