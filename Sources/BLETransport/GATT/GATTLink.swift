import DBus
public import ESCPOS
import Threads

/// A link to a printer by GATT: print data in writes of one characteristic, answers in notifications of another.
///
/// Data goes as Write Commands, many in a connection interval, and as Write Requests where ``WriteRule`` says so. The first
/// write of a link is a request wherever that is possible: its answer proves that the printer takes our data at all, while
/// commands to a printer that wants a pairing vanish without a word.
///
/// ``bytesAccepted`` counts what bluetoothd was given and has not refused: any of it may be on paper. ``bytesAcknowledged``
/// counts what is known to have reached the printer's ATT layer.
///
/// An unanswered request costs the link after 30 s (`ATT_TIMEOUT_INTERVAL` of bluetoothd). So a printer that has stopped for
/// longer loses it with a request out, and the job ends as unknown; the other choice, to send on, would lose bytes in the
/// middle of a receipt that is then confirmed. Barriers are reads of another attribute, which the printer's Bluetooth
/// module answers even while the printer itself has stopped; they cost no link.
public final class GATTLink: PrinterLink, Sendable {
  struct State {
    var window: WriteWindow
    var rule: WriteRule
    var pace: WritePace?
    var proofs = ExpectedProofs()
    var loss: LinkError?
    var isClosed = false
    var received: [UInt8] = []
    var hasBackChannel = false
    var hasOverflowed = false
    var nextID = 0
    /// Writes whose answers are waited for.
    var flying: [Int: DBusPendingCall] = [:]
    /// The last run of commands, until its answer is waited for.
    var run: DBusPendingCall?
    /// Whether we made the connection, and so end it.
    var isOurConnection: Bool
    /// Whether the connection has ended; one that is there later is another.
    var isConnectionOver = false
    /// Whether a request that is not answered over a pairing may still be one that bluetoothd has forgotten.
    var mayBeForgotten: Bool
  }

  /// The most bytes of answers that wait for a reader; what comes on top is thrown away, with a line in the log.
  static let receiveLimit = 65_536
  /// Longer than bluetoothd waits for an answer of the printer before it cuts the link (30 s).
  static let answerTime = Duration.seconds(40)
  /// How long after the end of a connection an answer may still come.
  static let lastAnswerTime = Duration.seconds(1)
  /// How long ``close()`` lets the last bytes go out, behind its caller's back.
  static let closingTime = Duration.seconds(2)

  /// The printer.
  public let printer: BluetoothPrinter
  /// The most bytes of one write on this link.
  public let chunk: Int
  let device: String
  let characteristic: String
  let notifier: String?
  let number: Int
  let bluez: BlueZ
  let bus: DBusConnection
  let clock: any BootTimeClock
  /// Rings for whoever sends.
  let bell: Bell
  /// Rings for whoever receives.
  let inbox: Bell
  let state: Locked<State>

  /// What an opened link is made of.
  struct Parts {
    var printer: BluetoothPrinter
    var characteristics: PrintCharacteristics
    var chunk: Int
    var rule: WriteRule
    /// Whether we made the connection, and so end it.
    var isOurConnection: Bool
    /// Whether the printer was paired before its first write.
    var isPaired: Bool
    var number: Int
  }

  init(_ parts: Parts, bluez: BlueZ, bus: DBusConnection) {
    printer = parts.printer
    chunk = parts.chunk
    device = parts.characteristics.service.device
    characteristic = parts.characteristics.write.path
    notifier = parts.characteristics.notify?.path
    number = parts.number
    self.bluez = bluez
    self.bus = bus
    clock = bluez.clock
    bell = Bell(clock: bluez.clock)
    inbox = Bell(clock: bluez.clock)
    let window = max(parts.chunk, printer.window ?? BluetoothPrinter.radioWindow)
    let burst = max(parts.chunk, printer.window ?? BluetoothPrinter.burst)
    let speed = printer.bytesPerSecond ?? BluetoothPrinter.usualSpeed
    let pace = printer.writeMode == .commands ? nil : WritePace(rate: speed, burst: burst)
    state = Locked(
      State(
        window: WriteWindow(limit: window), rule: parts.rule, pace: pace,
        isOurConnection: parts.isOurConnection, mayBeForgotten: !parts.isPaired))
  }

  /// Whether the printer is disconnected when the link is closed.
  var isOurConnection: Bool { state.withLock { $0.isOurConnection } }

  /// Bytes that bluetoothd was given and has not refused.
  public var bytesAccepted: Int { state.withLock { $0.window.accepted } }

  /// Bytes that are known to have reached the printer's ATT layer.
  public var bytesAcknowledged: Int { state.withLock { $0.window.acknowledged } }

  /// Whether the printer's notifications are on.
  public var hasBackChannel: Bool { state.withLock { $0.hasBackChannel } }

  /// Sends `bytes`; returns once bluetoothd has taken the last of them, or the printer has, where they go as requests.
  ///
  /// - Throws: ``LinkError``: `.deadline`, `.lost`, `.cancelled`; `.busy` when another program has acquired the
  ///   characteristic; `.refused` when the printer wants a pairing.
  public func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await send(Outgoing(bytes), by: deadline)
  }

  /// Sends `bytes`; the last of them need not go as a request to tell that all have arrived.
  ///
  /// - Throws: ``LinkError``, as ``send(_:by:)``.
  public func sendAhead(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await send(Outgoing(bytes, isAhead: true), by: deadline)
  }

  /// The most bytes of one write.
  public var writeLimit: Int? { chunk }

  private func send(_ bytes: Outgoing, by deadline: BootInstant) async throws(LinkError) {
    var rest = bytes
    while !rest.isEmpty {
      let now = try check(deadline)
      let (step, parts) = next(rest, at: now)
      switch step {
      case .command: try await sendCommands(parts, &rest, at: now, by: deadline)
      case .request: try await request(&rest, by: deadline)
      case .wait: try await room(for: rest.chunk(chunk).count, by: deadline)
      case .pause: try await pause(by: deadline)
      case .prove: try await proof(for: rest.chunk(chunk).count, at: now, by: deadline)
      }
    }
  }

  /// Returns once the printer's ATT layer has everything; on a link without any barrier, at once.
  public func flush(by deadline: BootInstant) async throws(LinkError) {
    try await flush(by: deadline, isClosing: false)
  }

  /// Returns the next bytes from the printer.
  public func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    let hasNews = try await inbox.wait(by: deadline) {
      state.withLock { !$0.received.isEmpty || $0.loss != nil || $0.isClosed }
    }
    let bytes = state.withLock { state in
      defer { state.received = [] }
      return state.received
    }
    guard bytes.isEmpty else { return bytes }
    guard hasNews else { throw LinkError(.deadline, "\(printer.title): no answer in time") }
    try checkAlive()
    throw closed
  }

  /// Closes the link and returns at once.
  ///
  /// Behind the caller's back the last bytes are let out (``closingTime``), and the printer is disconnected if this link had
  /// connected it, so that a phone can have it. That takes bluetoothd some two seconds, for which the next opening waits.
  public func close() async {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    bell.ring()
    inbox.ring()
    await bluez.close(self)
  }

  /// The connection has gone: every call from now on, and every one that waits, fails with `error`.
  ///
  /// - Parameter isConnectionOver: False when the link alone is lost, and its connection may live.
  func lose(_ error: LinkError, isConnectionOver: Bool = false) {
    let isFirst = state.withLock { state in
      state.isConnectionOver = state.isConnectionOver || isConnectionOver
      defer { state.loss = state.loss ?? error }
      return state.loss == nil
    }
    bell.ring()
    inbox.ring()
    if isFirst { giveUpWrites() }
  }

  /// Ends the waits for the answers of writes; what bluetoothd had to say of them is mostly there before the loss is.
  private func giveUpWrites() {
    Task { [self] in
      try? await clock.sleep(for: Self.lastAnswerTime)
      for write in state.withLock({ $0.flying.values }) { write.giveUp() }
    }
  }

  /// Waits for a write's answer, and not much longer than the connection lives.
  @discardableResult
  func answer(of write: DBusPendingCall) async throws(DBusError) -> [DBusValue] {
    let (id, isLost) = state.withLock { state in
      state.nextID += 1
      state.flying[state.nextID] = write
      return (state.nextID, state.loss != nil)
    }
    defer { state.withLock { $0.flying[id] = nil } }
    if isLost { giveUpWrites() }
    return try await write.values()
  }

  /// Takes what the printer has sent by itself.
  func take(_ value: [UInt8]) {
    let overflows = state.withLock { state in
      state.received += value.prefix(Self.receiveLimit - state.received.count)
      defer { state.hasOverflowed = state.hasOverflowed || state.received.count == Self.receiveLimit }
      return state.received.count == Self.receiveLimit && !state.hasOverflowed
    }
    if overflows {
      bluez.note("\(printer.title): answers that nobody reads; from now on they are thrown away")
    }
    inbox.ring()
  }

  var closed: LinkError { LinkError(.lost, "\(printer.title): the link is closed") }

  func checkAlive() throws(LinkError) {
    let loss = state.withLock { $0.loss }
    if let loss { throw loss }
  }

  /// Throws when no new write may start.
  ///
  /// - Returns: The instant that it was asked at.
  @discardableResult
  func check(_ deadline: BootInstant, isClosing: Bool = false) throws(LinkError) -> BootInstant {
    try checkAlive()
    if !isClosing, state.withLock({ $0.isClosed }) { throw closed }
    if Task.isCancelled { throw .cancelled }
    let now = clock.now
    guard now < deadline else {
      throw LinkError(.deadline, "\(printer.title): the printer takes no data in time")
    }
    return now
  }
}
