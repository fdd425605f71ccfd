import ESCPOS
import Synchronization

/// Opens links to a virtual printer in the same process.
struct VirtualLinkOpener: LinkOpener {
  let printer: VirtualPrinter

  func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    let ready = printer.clock.now.advanced(by: printer.behaviour.openingDelay)
    if ready > printer.clock.now {
      do {
        try await printer.clock.sleep(until: min(ready, deadline), tolerance: nil)
      } catch {
        throw LinkError(.cancelled, "the connection was given up")
      }
    }
    guard ready <= deadline else {
      throw LinkError(.deadline, "the printer has not answered in time; is it in range?")
    }
    return try VirtualLink(printer)
  }
}

/// A link to a virtual printer in the same process.
final class VirtualLink: PrinterLink {
  let hasBackChannel: Bool
  private let printer: VirtualPrinter
  private let session: Int
  private let change: Change
  private let accepted = Mutex(0)

  init(_ printer: VirtualPrinter) throws(LinkError) {
    let change = Change(clock: printer.clock)
    self.change = change
    self.printer = printer
    hasBackChannel = printer.behaviour.hasBackChannel
    session = try printer.attach { change.happened() }
  }

  deinit { printer.detach(session: session) }

  var bytesAccepted: Int { accepted.withLock { $0 } }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    var rest = bytes
    while !rest.isEmpty {
      let seen = change.count
      let offer = printer.offer(rest, session: session)
      accepted.withLock { $0 += offer.taken }
      rest = rest.dropFirst(offer.taken)
      guard !offer.isLost else { throw LinkError(.lost, "the printer has dropped the link") }
      if !rest.isEmpty { try await change.next(after: seen, by: deadline) }
    }
  }

  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    while true {
      let seen = change.count
      let (bytes, isLost) = printer.takeReplies(session: session)
      guard !isLost else { throw LinkError(.lost, "the printer has dropped the link") }
      if hasBackChannel, !bytes.isEmpty { return bytes }
      try await change.next(after: seen, by: deadline)
    }
  }

  /// What the printer has accepted has left this host.
  func flush(by deadline: BootInstant) async throws(LinkError) {}

  func close() async { printer.detach(session: session) }
}

/// A count of changes that tasks can wait for.
private final class Change: Sendable {
  private struct State {
    var count = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<LinkError?, Never>] = [:]
  }

  private let state = Mutex(State())
  private let clock: any BootTimeClock

  init(clock: any BootTimeClock) { self.clock = clock }

  var count: Int { state.withLock { $0.count } }

  func happened() {
    let waiters = state.withLock { state in
      state.count += 1
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume(returning: nil) }
  }

  /// Returns once something has changed since the count was `seen`.
  func next(after seen: Int, by deadline: BootInstant) async throws(LinkError) {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let late = LinkError(.deadline, "the printer has not taken or sent anything in time")
    let timer = Task { [clock, weak self] in
      try? await clock.sleep(until: deadline, tolerance: nil)
      if !Task.isCancelled { self?.end(id, with: late) }
    }
    defer { timer.cancel() }
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<LinkError?, Never>) in
        let now = state.withLock { state -> LinkError?? in
          if Task.isCancelled { return .some(LinkError(.cancelled, "the wait was given up")) }
          if state.count != seen { return .some(nil) }
          if clock.now >= deadline { return .some(late) }
          state.waiters[id] = waiter
          return nil
        }
        if let now { waiter.resume(returning: now) }
      }
    } onCancel: {
      end(id, with: LinkError(.cancelled, "the wait was given up"))
    }
    if let error { throw error }
  }

  private func end(_ id: Int, with error: LinkError) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: error)
  }
}
