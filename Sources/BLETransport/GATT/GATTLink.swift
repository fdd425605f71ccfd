import DBus
public import ESCPOS

/// A link to a printer by GATT: print data in writes of one characteristic, answers in notifications of another.
///
/// Data goes as Write Commands, many in a connection interval, with a barrier now and then (``WriteWindow``); where the
/// characteristic, the peer or the configuration asks for it, as Write Requests, one in two intervals. The first write of a
/// link is a request wherever that is possible: its answer proves that the printer takes our data at all, while commands
/// to a printer that wants a pairing vanish without a word.
///
/// ``bytesAccepted`` counts what bluetoothd was given and has not refused: any of it may be on paper. ``bytesAcknowledged``
/// counts what is known to have reached the printer's ATT layer.
///
/// A barrier is a read of another attribute. Its answer comes from the printer's Bluetooth module even while the printer
/// itself has stopped (paper out), so that bluetoothd does not cut the link of a printer that takes no data: an
/// unanswered request costs the link after 30 s (`ATT_TIMEOUT_INTERVAL`). Write Requests have that price; a printer that is
/// set to them and stops for longer loses the link, and the job ends as unknown.
public final class GATTLink: PrinterLink, Sendable {
  /// How a link writes.
  enum Way: Equatable {
    /// Commands, with reads of these attributes as barriers, the first first.
    case commands([BarrierTarget])
    /// Commands, and the last one of a window and of a call as a request, which is the barrier.
    case commandsEndingInRequest
    /// Commands; nothing can be known of their arrival.
    case commandsUnheard
    /// Requests.
    case requests
  }

  /// An attribute whose reading is a barrier.
  struct BarrierTarget: Equatable {
    var path: String
    var interface: String
  }

  struct State {
    var window: WriteWindow
    var way: Way
    /// Whether Write Requests are taken.
    var canRequest: Bool
    /// Whether the printer has answered a write of this link, or need not.
    var isProven: Bool
    /// Whether a Write Request is out.
    var isRequesting = false
    /// Why the last request failed, until its sender has seen it.
    var requestFailure: DBusError?
    var loss: LinkError?
    var isClosed = false
    var received: [UInt8] = []
    var hasBackChannel = false
    var hasOverflowed = false
  }

  /// The most bytes of answers that wait for a reader; what comes on top is thrown away, with a line in the log.
  static let receiveLimit = 65_536
  /// Longer than bluetoothd waits for an answer of the printer before it cuts the link (30 s).
  static let answerTime = Duration.seconds(40)
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
  let isOurConnection: Bool
  let bluez: BlueZ
  let bus: DBusConnection
  let clock: any BootTimeClock
  let bell: Bell
  let state: Locked<State>

  /// What an opened link is made of.
  struct Parts {
    var printer: BluetoothPrinter
    var characteristics: PrintCharacteristics
    var chunk: Int
    var way: Way
    /// Whether we made the connection, and so end it.
    var isOurConnection: Bool
    var number: Int
  }

  init(_ parts: Parts, bluez: BlueZ, bus: DBusConnection) {
    printer = parts.printer
    chunk = parts.chunk
    device = parts.characteristics.service.device
    characteristic = parts.characteristics.write.path
    notifier = parts.characteristics.notify?.path
    number = parts.number
    isOurConnection = parts.isOurConnection
    self.bluez = bluez
    self.bus = bus
    clock = bluez.clock
    bell = Bell(clock: bluez.clock)
    let window = parts.printer.window ?? BluetoothPrinter.defaultWindow
    state = Locked(
      State(
        window: WriteWindow(limit: max(window, parts.chunk)), way: parts.way,
        canRequest: parts.characteristics.write.takesRequests, isProven: parts.printer.writeMode == .commands)
    )
  }

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
    var rest = Outgoing(bytes)
    while !rest.isEmpty {
      switch state.withLock({ $0.nextWay }) {
      case .requests:
        try await request(&rest, by: deadline)
      case .commands, .commandsUnheard:
        try await command(&rest, all: true, by: deadline)
      case .commandsEndingInRequest:
        try await command(&rest, all: false, by: deadline)
        try await request(&rest, by: deadline)
      }
    }
  }

  /// Returns once the printer's ATT layer has everything; on a link without any barrier, at once.
  public func flush(by deadline: BootInstant) async throws(LinkError) {
    try await flush(by: deadline, isClosing: false)
  }

  /// Returns the next bytes from the printer.
  public func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    let hasNews = try await bell.wait(by: deadline) {
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
    await bluez.close(self)
  }

  /// The connection has gone: every call from now on, and every one that waits, fails with `error`.
  func lose(_ error: LinkError) {
    state.withLock { $0.loss = $0.loss ?? error }
    bell.ring()
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
    bell.ring()
  }

  var closed: LinkError { LinkError(.lost, "\(printer.title): the link is closed") }

  func checkAlive() throws(LinkError) {
    let loss = state.withLock { $0.loss }
    if let loss { throw loss }
  }

  /// Throws when no new write may start.
  func check(_ deadline: BootInstant, isClosing: Bool = false) throws(LinkError) {
    try checkAlive()
    if !isClosing, state.withLock({ $0.isClosed }) { throw closed }
    if Task.isCancelled { throw .cancelled }
    guard clock.now < deadline else {
      throw LinkError(.deadline, "\(printer.title): the printer takes no data in time")
    }
  }
}

extension GATTLink.State {
  /// How the next write is to go: the first one as a request, if the characteristic takes any.
  var nextWay: GATTLink.Way {
    if !isProven, canRequest { return .requests }
    if way == .commandsEndingInRequest, !canRequest { return .commandsUnheard }
    return way
  }
}
