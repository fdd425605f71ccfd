public import ESCPOS
import Synchronization
public import TextRaster

/// A printer that does not exist: it takes ESC/POS bytes, prints on ``Paper``, answers, and misbehaves when told.
///
/// What belongs to the printer (paper, modes, a raster that has half arrived) outlives its links, as in real ones.
/// All calls may be made from any thread.
public final class VirtualPrinter: Sendable {
  /// The model.
  public let profile: PrinterProfile
  let clock: any BootTimeClock
  private let state: Mutex<State>

  private struct State {
    var reception: Reception
    var session: Session?
    var nextSession = 1
    /// Whether the change being made concerns a host that waits.
    var hasNews = true
    var isDraining = false
    var drainedAt = BootInstant(nanoseconds: 0)
    var listeners: [Int: AsyncStream<PrinterEvent>.Continuation] = [:]
    var nextListener = 0
  }

  /// The host that holds the printer.
  private struct Session {
    var id: Int
    var bytesTaken = 0
    var changed: @Sendable () -> Void
  }

  /// Creates a printer with paper in it.
  ///
  /// - Parameters:
  ///   - profile: The model: width, fonts, code pages, cutter.
  ///   - glyphs: Draws its characters.
  ///   - symbols: Draws its barcodes and 2D codes.
  ///   - clock: Times a slow drain and a slow connection.
  ///   - behaviour: Its state and manners at the start.
  ///   - keeping: What is kept of the paper.
  ///   - limits: How much is kept.
  public init(
    profile: PrinterProfile, glyphs: any GlyphSource, symbols: any SymbolSource,
    clock: any BootTimeClock = BootClock(), behaviour: Behaviour = Behaviour(),
    keeping: Paper.Keeping = .dots,
    limits: Paper.Limits = Paper.Limits()
  ) {
    self.profile = profile
    self.clock = clock
    state = Mutex(
      State(
        reception: Reception(
          Machine(
            profile: profile, glyphs: glyphs, symbols: symbols, behaviour: behaviour, keeping: keeping,
            limits: limits))))
  }

  // MARK: The body

  /// The paper as it is now.
  public var paper: Paper { state.withLock { $0.reception.machine.paper } }

  /// The state of the body and its manners.
  public var behaviour: Behaviour { state.withLock { $0.reception.machine.body } }

  /// Bytes in the receive buffer, not printed yet.
  public var bufferedBytes: Int { state.withLock { $0.reception.buffer.count } }

  /// Bytes that the command being received still lacks, by its own header: more than 0 in mid-raster.
  public var missingBytes: Int { state.withLock { $0.reception.tokenizer.missing } }

  /// Commands and runs of text carried out since the printer was made.
  public var commandCount: Int { state.withLock { $0.reception.machine.commandCount } }

  /// Takes the finished sheets out of the tray.
  public func takeSheets() -> [Sheet] {
    state.withLock { $0.reception.machine.paper.take() }
  }

  /// Changes the body or the manners: `printer.set { $0.coverOpen = true }`. New paper is put in by setting `paper`.
  public func set(_ change: (inout Behaviour) -> Void) {
    update { state in
      let before = state.reception.machine.body
      change(&state.reception.machine.body)
      if state.reception.machine.body.paper != .end, state.reception.machine.body.paperLeft == 0 {
        state.reception.machine.body.paperLeft = nil
      }
      state.reception.machine.tellChange(since: before)
      state.reception.machine.resume()
      if state.reception.machine.body.bytesPerSecond == nil { state.reception.drain() }
    }
  }

  /// Switches the printer off and on: buffers and modes are lost, the paper stays.
  public func powerCycle() {
    update { state in
      state.reception.clearBuffers()
      state.reception.machine.powerOn()
    }
    breakLink()
  }

  /// Breaks the link from outside, as when the host walks out of range.
  public func breakLink() {
    update { state in
      guard state.session != nil else { return }
      state.session = nil
      state.reception.machine.events.append(.linkLost)
    }
  }

  // MARK: Bytes without a link

  /// Takes bytes as they come from a file.
  ///
  /// - Returns: How many were taken; fewer than given when the receive buffer is full and its overflow waits.
  @discardableResult
  public func feed(_ bytes: some Sequence<UInt8>) -> Int {
    let bytes = Array(bytes)
    var taken = 0
    update { taken = $0.reception.take(bytes[...]) }
    return taken
  }

  /// Ends the input: a command that is cut off is reported, and a line without LF is printed.
  public func finish() {
    update { $0.reception.finish() }
  }

  /// What the printer has answered and nobody has read; for use without a link.
  public func takeReplies() -> [UInt8] {
    state.withLock { state in
      defer { state.reception.machine.replies = [] }
      return state.reception.machine.replies
    }
  }

  /// What happens from now on; the latest 4,096 events are kept for a listener that is slow.
  public func events() -> AsyncStream<PrinterEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PrinterEvent.self, bufferingPolicy: .bufferingNewest(4096))
    let id = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  /// Opens links to this printer in the same process.
  public func opener() -> any LinkOpener { VirtualLinkOpener(printer: self) }

  // MARK: Sessions

  /// Lets a host in.
  ///
  /// - Parameter changed: Called after anything has changed that the host may wait for; it must not block.
  /// - Returns: The session's number.
  func attach(_ changed: @escaping @Sendable () -> Void) throws(LinkError) -> Int {
    let result = state.withLock { state -> Result<Int, LinkError> in
      switch state.reception.machine.body.opening {
      case .unreachable:
        return .failure(LinkError(.unreachable, "the printer does not answer; is it switched on?"))
      case .refused: return .failure(LinkError(.refused, "the printer refuses this host"))
      case .busy: return .failure(LinkError(.busy, "another host holds the printer"))
      case .accepts: break
      }
      guard state.session == nil else { return .failure(LinkError(.busy, "another host holds the printer")) }
      let id = state.nextSession
      state.nextSession += 1
      state.session = Session(id: id, changed: changed)
      state.reception.machine.replies = []
      state.reception.machine.events.append(.linkOpened)
      return .success(id)
    }
    if case .success = result { update { _ in } }
    return try result.get()
  }

  /// What came of bytes that a host offered.
  struct Offer {
    var taken: Int
    var isLost: Bool
  }

  /// Takes what fits of the bytes that a host offers.
  func offer(_ bytes: ArraySlice<UInt8>, session: Int) -> Offer {
    var offer = Offer(taken: 0, isLost: true)
    update { state in
      guard let current = state.session, current.id == session else { return }
      let left = state.reception.machine.body.linkLostAfter.map { max(0, $0 - current.bytesTaken) }
      let taken = state.reception.take(bytes.prefix(left ?? bytes.count))
      state.session?.bytesTaken += taken
      let breaks = taken == left || state.reception.machine.isPoweredOff
      if breaks {
        state.session = nil
        state.reception.machine.events.append(.linkLost)
      }
      // What was taken was taken: only a host with more to send learns of the loss at once.
      offer = Offer(taken: taken, isLost: breaks && taken < bytes.count)
      // A host that offers and finds no room must not wake itself.
      state.hasNews = taken > 0 || breaks
    }
    return offer
  }

  /// The answers that wait for a session, and whether it is lost.
  func takeReplies(session: Int) -> (bytes: [UInt8], isLost: Bool) {
    state.withLock { state in
      guard state.session?.id == session else { return ([], true) }
      defer { state.reception.machine.replies = [] }
      return (state.reception.machine.replies, false)
    }
  }

  /// Ends a session; a second call does nothing.
  func detach(session: Int) {
    update { state in
      guard state.session?.id == session else { return }
      state.session = nil
      state.reception.machine.events.append(.linkClosed)
    }
  }

  // MARK: Changes

  /// Makes a change, then tells listeners and host, and sees to the drain.
  private func update(_ change: (inout State) -> Void) {
    let (tell, starts) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      let session = state.session
      state.hasNews = true
      change(&state)
      for event in state.reception.machine.events {
        for listener in state.listeners.values { listener.yield(event) }
      }
      state.reception.machine.events.removeAll(keepingCapacity: true)
      let starts =
        !state.isDraining && state.reception.canDrain && state.reception.machine.body.bytesPerSecond != nil
      if starts {
        state.isDraining = true
        state.drainedAt = clock.now
      }
      return (state.hasNews ? (state.session ?? session)?.changed : nil, starts)
    }
    tell?()
    if starts { startDraining() }
  }

  /// Prints at the printer's pace until the buffer is empty or printing stops.
  private func startDraining() {
    Task { [weak self, clock] in
      while let wait = self?.nextDrain() {
        do { try await clock.sleep(until: wait, tolerance: nil) } catch { return }
        self?.drainWhatIsDue()
      }
    }
  }

  /// When the next bytes are printed: at most 10 ms of them at a time; nil when there is nothing to print.
  private func nextDrain() -> BootInstant? {
    state.withLock { state in
      guard let rate = state.reception.machine.body.bytesPerSecond, rate > 0, state.reception.canDrain else {
        state.isDraining = false
        return nil
      }
      let bytes = min(state.reception.buffer.count, max(1, rate / 100))
      return state.drainedAt.advanced(by: Self.time(of: bytes, at: rate))
    }
  }

  private func drainWhatIsDue() {
    update { state in
      guard let rate = state.reception.machine.body.bytesPerSecond, rate > 0 else {
        return state.reception.drain()
      }
      let elapsed = state.drainedAt.duration(to: clock.now).wholeNanoseconds
      let due = Int(min(Double(elapsed) * Double(rate) / 1e9, 1e12) + 1e-6)
      guard due > 0 else { return }
      state.drainedAt = state.drainedAt.advanced(by: Self.time(of: due, at: rate))
      state.reception.drain(due)
    }
  }

  private static func time(of bytes: Int, at rate: Int) -> Duration {
    .nanoseconds(Int64((Double(bytes) * 1e9 / Double(rate)).rounded(.up)))
  }
}
