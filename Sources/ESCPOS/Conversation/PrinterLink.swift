/// An ordered byte stream to a printer and back, with deadlines and a count of what the other side took.
///
/// One task sends and one task receives at a time; both may run side by side. A link does not understand what
/// it carries: status, fences and replies are the business of ``PrinterConversation``.
public protocol PrinterLink: AnyObject, Sendable {
  /// Bytes that the link has accepted since it was opened.
  ///
  /// Zero means that nothing can be on paper; anything else means that something may be.
  var bytesAccepted: Int { get }

  /// Whether the printer can answer over this link at all.
  var hasBackChannel: Bool { get }

  /// Sends `bytes` in order and returns once the link has accepted the last of them.
  ///
  /// Acceptance is not paper. After an error ``bytesAccepted`` says how many went before it.
  ///
  /// - Throws: ``LinkError``: `.deadline` when the time ran out between writes, `.lost` when the link is gone.
  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError)

  /// Sends `bytes` as ``send(_:by:)`` does, but need not wait for the peer's word for the last of them: more is sent at once,
  /// or what is sent is a question, whose answer shows more.
  ///
  /// - Throws: ``LinkError``, as ``send(_:by:)``.
  func sendAhead(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError)

  /// The most bytes that go to the printer in one write, where the link cuts what it is given; nil where it does not.
  var writeLimit: Int? { get }

  /// Returns the next bytes from the printer: at least one, in the order they came, cut anywhere.
  ///
  /// - Throws: ``LinkError``: `.deadline` when none came in time (nothing is lost; ask again), `.lost` when the
  ///   link is gone.
  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8]

  /// Returns once every accepted byte has left this host, as far as the link can tell (a TCP send queue that is
  /// empty, an ATT write that was answered).
  func flush(by deadline: BootInstant) async throws(LinkError)

  /// Closes the link after what it accepted has been handed over; a second call does nothing.
  func close() async

  /// The most bytes that go out without the printer's word for them, where its word makes the link faster; nil where it does
  /// not.
  var proofWindow: Int? { get }

  /// The printer has taken all before the next job, which it has told by an answer in its turn.
  func trustProofs()

  /// A question will be sent, whose answer proves that the printer has taken the first `position` bytes (as
  /// ``bytesAccepted`` counts) out of its buffers; `end` is the count when all of the question has been sent.
  func expectProof(of position: Int, askedBy end: Int)

  /// The printer has taken the first `position` accepted bytes out of its buffers.
  func prove(upTo position: Int)
}

extension PrinterLink {
  /// Sends them as any others.
  public func sendAhead(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await send(bytes, by: deadline)
  }

  /// Nothing is cut.
  public var writeLimit: Int? { nil }

  /// The printer's word changes nothing.
  public var proofWindow: Int? { nil }

  /// Does nothing.
  public func trustProofs() {}

  /// Does nothing.
  public func expectProof(of position: Int, askedBy end: Int) {}

  /// Does nothing.
  public func prove(upTo position: Int) {}
}

/// Opens links to one printer.
public protocol LinkOpener: Sendable {
  /// Opens a link; at most one is open to a printer at a time.
  ///
  /// - Throws: ``LinkError`` with `.unreachable` (off or away: worth trying again), `.busy` (another host has
  ///   it), `.refused` (it will not talk to us until somebody acts) or `.deadline`.
  func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink

  /// Says each time that opening is worth another try while the stream is read, or nil where nobody can know (a network
  /// printer, a file).
  ///
  /// It is asked for while ``open(by:)`` fails since the printer is off or away, and dropped when that is over: whoever
  /// scans for it stops then.
  func presence() -> AsyncStream<Presence>?
}

/// Why it is worth trying again to open a link to a printer that was off or away.
public enum Presence: Equatable, Sendable {
  /// It was seen, or what it is reached by is back. A hint: opening may still fail, and is tried less often then.
  case seen
  /// Nobody can see it, and the rest that it is given after each try is over: opening is the only way to know.
  case due
}

extension LinkOpener {
  /// Nobody can see the printer.
  public func presence() -> AsyncStream<Presence>? { nil }
}

/// Why a link could not be opened or used.
public struct LinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure; each asks for another reaction.
  public enum Code: String, Sendable {
    /// The time given ran out; the link may still be good.
    case deadline
    /// The printer is off, away or not listening: try again later.
    case unreachable
    /// Another host holds the printer: try again later.
    case busy
    /// The printer refuses us until a person acts (pairing, address, permission).
    case refused
    /// The link was open and is gone.
    case lost
    /// The task was cancelled.
    case cancelled
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened and what to do, for a person; no order data.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}
