import ESCPOS
import PrintTestKit
import Synchronization
import WakeHandler

/// A printer with its link and its conversation, that does as told.
final class PrinterDouble: LinkOpener, Sendable {
  /// What it does with a job's bytes.
  enum Sending: Sendable {
    case takesAll
    /// The link goes after this many bytes.
    case loses(after: Int)
    /// Takes this many bytes, then none until the deadline.
    case stalls(after: Int)
  }

  /// What it says behind a job.
  enum Fence: Sendable {
    case proven
    case unconfirmed
    /// Nothing until the deadline; then that, with this known of it.
    case missing(PrinterStatus)
    case lost
    /// Nothing until ``PrinterDouble/confirm()``, or until the deadline.
    case late(PrinterStatus)
    /// Nothing, whatever the deadline, until the question is called off.
    case deaf
  }

  /// What it does in turn; the last of each list stays.
  struct Script: Sendable {
    var opens: [LinkError.Code?] = []
    var gates: [PrinterConversation.Gate] = []
    var gateErrors: [LinkError.Code?] = []
    var sending: [Sending] = []
    var fences: [Fence] = []
    /// Whether its link opens only once it has appeared, also when the opening was called off.
    var isSlow = false
    /// Whether it does not answer before the deadline, unless the opening is called off.
    var isSilent = false
    /// Whether somebody can tell when it is worth another try.
    var isVisible = false
    /// NUL bytes that a gate in vain has sent.
    var nuls = 0
    /// What happens while it answers at the gate.
    var atGate: (@Sendable () -> Void)?
  }

  private struct State {
    var script = Script()
    var paper: [String] = []
    var accepted: [UInt8] = []
    var opened = 0
    var closed = 0
    var isConfirmed = false
    var sightings: AsyncStream<Presence>.Continuation?
    var drains: [Bool] = []
    var link: LinkDouble?
  }

  let name: String
  private let state = Mutex(State())
  private let bell = EventLog()
  private let log: EventLog
  private let clock: ManualClock

  init(_ name: String, log: EventLog, clock: ManualClock) {
    self.name = name
    self.log = log
    self.clock = clock
  }

  /// What is on the paper, a job a line.
  var paper: [String] { state.withLock(\.paper) }
  /// Every byte that a link took.
  var accepted: String { state.withLock { String(decoding: $0.accepted, as: UTF8.self) } }
  var opened: Int { state.withLock(\.opened) }
  var closed: Int { state.withLock(\.closed) }

  /// Whether each gate was allowed to fill up a raster.
  var drains: [Bool] { state.withLock(\.drains) }

  /// Changes what it does from now on.
  func script(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }
  /// Confirms the job that waits for it.
  func confirm() {
    state.withLock { $0.isConfirmed = true }
    bell.say("confirmed")
  }
  /// Ends the wait for an answer.
  fileprivate func interrupt() { bell.say("confirmed") }

  /// Lets a slow printer open its link.
  func appear() { bell.say("there") }

  func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    log.say("open \(name)")
    let isSilent = state.withLock(\.script.isSilent)
    if isSilent {
      do { try await clock.sleep(until: deadline, tolerance: nil) } catch {
        log.say("called off \(name)")
        throw LinkError(.cancelled, "cancelled")
      }
      throw LinkError(.unreachable, "the printer is off")
    }
    let (failure, isSlow) = state.withLock { state -> (LinkError.Code?, Bool) in
      let failure = state.script.opens.first ?? nil
      if state.script.opens.count > 1 { state.script.opens.removeFirst() }
      if failure == nil { state.opened += 1 }
      return (failure, state.script.isSlow)
    }
    if isSlow { await Task { await bell.until("there") }.value }
    if let failure { throw LinkError(failure, "the printer is off") }
    let link = LinkDouble { [self] in
      state.withLock { $0.closed += 1 }
      log.say("close \(name)")
    }
    state.withLock { $0.link = link }
    return link
  }

  /// Lets whoever looks out for it see it, or know that it is due to be called.
  func show(_ sign: Presence = .seen) { _ = state.withLock { $0.sightings?.yield(sign) } }

  func presence() -> AsyncStream<Presence>? {
    guard state.withLock(\.script.isVisible) else { return nil }
    let (stream, sightings) = AsyncStream.makeStream(of: Presence.self)
    state.withLock { $0.sightings = sightings }
    sightings.onTermination = { [log, name] _ in log.say("unwatch \(name)") }
    log.say("watch \(name)")
    return stream
  }

  /// Lets the link go that is open.
  func vanish() { state.withLock(\.link)?.go() }

  /// One conversation.
  func converse() -> any ConversationPort { ConversationDouble(self) }

  fileprivate var nuls: Int { state.withLock(\.script.nuls) }

  fileprivate func gate(
    by deadline: BootInstant, drains: Bool
  ) async throws(LinkError) -> PrinterConversation.Gate {
    let (gate, error) = state.withLock { state -> (PrinterConversation.Gate, LinkError.Code?) in
      state.drains.append(drains)
      if let error = state.script.gateErrors.first ?? nil {
        if state.script.gateErrors.count > 1 { state.script.gateErrors.removeFirst() }
        return (.silent, error)
      }
      if state.script.gateErrors.count > 1 { state.script.gateErrors.removeFirst() }
      let gate = state.script.gates.first ?? .ready(PrinterStatus())
      if state.script.gates.count > 1 { state.script.gates.removeFirst() }
      return (gate, nil)
    }
    state.withLock(\.script.atGate)?()
    if let error { throw LinkError(error, "the link is gone") }
    log.say("gate \(name)")
    if case .busy = gate { try await sleep(until: deadline) }
    return gate
  }

  fileprivate func send(
    _ bytes: [UInt8], by deadline: BootInstant, firstByte: @Sendable () -> Void
  ) async throws(LinkError) -> Int {
    let sending = state.withLock { state -> Sending in
      let sending = state.script.sending.first ?? .takesAll
      if state.script.sending.count > 1 { state.script.sending.removeFirst() }
      return sending
    }
    let taken: Int
    switch sending {
    case .takesAll: taken = bytes.count
    case .loses(let count), .stalls(let count): taken = min(count, bytes.count)
    }
    if taken > 0 { firstByte() }
    state.withLock { state in
      state.accepted += bytes.prefix(taken)
      if taken == bytes.count { state.paper.append(String(decoding: bytes, as: UTF8.self)) }
    }
    log.say("sent \(String(decoding: bytes.prefix(taken), as: UTF8.self))")
    return taken
  }

  fileprivate func end(of sending: Sending, by deadline: BootInstant) async throws(LinkError) {
    if case .stalls = sending { try await sleep(until: deadline) }
  }

  private func sleep(until deadline: BootInstant) async throws(LinkError) {
    do { try await clock.sleep(until: deadline, tolerance: nil) } catch {
      throw LinkError(.cancelled, "the task was cancelled")
    }
  }

  fileprivate func nextSending() -> Sending {
    state.withLock { $0.script.sending.first ?? .takesAll }
  }

  fileprivate func fence(by deadline: BootInstant) async throws(LinkError) -> PrinterConversation.Fence {
    let fence = state.withLock { state -> Fence in
      let fence = state.script.fences.first ?? .proven
      if case .late = fence { return fence }
      if state.script.fences.count > 1 { state.script.fences.removeFirst() }
      return fence
    }
    log.say("fence \(name)")
    switch fence {
    case .proven: return .proven
    case .unconfirmed: return .unconfirmed
    case .lost: throw LinkError(.lost, "the printer is gone")
    case .deaf:
      try await sleep(until: BootInstant(nanoseconds: .max))
      return .missing(PrinterStatus())
    case .missing(let status):
      try await sleep(until: deadline)
      return .missing(status)
    case .late(let status):
      let alarm = Task { [clock, bell] in
        try await clock.sleep(until: deadline, tolerance: nil)
        bell.say("confirmed")
      }
      let count = bell.count(of: "confirmed")
      await withTaskCancellationHandler {
        guard !state.withLock(\.isConfirmed), !Task.isCancelled else { return }
        await Task { [bell] in await bell.until("confirmed", count + 1) }.value
      } onCancel: {
        interrupt()
      }
      alarm.cancel()
      if Task.isCancelled { throw LinkError(.cancelled, "the task was cancelled") }
      return state.withLock(\.isConfirmed) ? .proven : .missing(status)
    }
  }
}

private final class ConversationDouble: ConversationPort, Sendable {
  private let printer: PrinterDouble
  private let taken = Mutex(0)

  init(_ printer: PrinterDouble) { self.printer = printer }

  var nulsSent: Int { printer.nuls }
  let openQuestions = 0
  let joining = PrinterConversation.Joining.unknown

  func gate(by deadline: BootInstant, drains: Bool) async throws(LinkError) -> PrinterConversation.Gate {
    try await printer.gate(by: deadline, drains: drains)
  }

  func send(
    _ bytes: [UInt8], seams: [Int], by deadline: BootInstant, firstByte: @Sendable () -> Void
  ) async throws(LinkError) {
    let sending = printer.nextSending()
    let count = try await printer.send(bytes, by: deadline, firstByte: firstByte)
    taken.withLock { $0 = count }
    try await printer.end(of: sending, by: deadline)
    guard count < bytes.count else { return }
    if case .stalls = sending { throw LinkError(.deadline, "the printer takes nothing") }
    throw LinkError(.lost, "the printer is gone")
  }

  func fence(by deadline: BootInstant) async throws(LinkError) -> PrinterConversation.Fence {
    try await printer.fence(by: deadline)
  }

  var jobBytesAccepted: Int { taken.withLock { $0 } }
  var status: PrinterStatus { PrinterStatus() }

  /// Ends whoever waits for a late answer.
  func end() async { printer.interrupt() }
}
