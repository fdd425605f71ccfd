/// The newest answer to each question about a printer's state, and what they say together.
///
/// Bits: Epson command reference, "DLE EOT", "GS a", "GS r".
public struct StatusBoard: Equatable, Sendable {
  private var offline: Bool?
  private var coverOpen: Bool?
  /// `DLE EOT 2` bit 5: printing has stopped for want of paper, whatever the sensors say.
  private var stoppedForPaper: Bool?
  /// `DLE EOT 2` bit 6.
  private var errorStop: Bool?
  /// `DLE EOT 3` bits 2, 3, 5 and 6: recoverable, cutter, unrecoverable, recovering by itself.
  private var errorCause: Bool?
  private var sensor: PrinterStatus.Paper?

  /// Creates a board with nothing on it.
  public init() {}

  /// Notes what a reply says of the printer's state, if it does.
  public mutating func note(_ reply: ReplyParser.Reply) {
    switch reply {
    case .realTime(1, let byte):
      offline = byte & 0x08 != 0
    case .realTime(2, let byte):
      coverOpen = byte & 0x04 != 0
      stoppedForPaper = byte & 0x20 != 0
      errorStop = byte & 0x40 != 0
    case .realTime(3, let byte):
      errorCause = byte & 0x6C != 0
    case .realTime(4, let byte):
      sensor = Self.paper(nearEnd: byte & 0x0C != 0, end: byte & 0x60 != 0)
    case .automatic(let frame) where frame.count == 4:
      offline = frame[0] & 0x08 != 0
      coverOpen = frame[0] & 0x20 != 0
      stoppedForPaper = nil
      errorStop = nil
      errorCause = frame[1] & 0x6C != 0
      sensor = Self.paper(nearEnd: frame[2] & 0x03 != 0, end: frame[2] & 0x0C != 0)
    case .transmitted(let byte):
      // GS r is answered only while printing goes on.
      stoppedForPaper = nil
      sensor = Self.paper(nearEnd: byte & 0x03 != 0, end: byte & 0x0C != 0)
    case .realTime, .automatic, .processID, .buffersCleared, .block, .xon, .xoff:
      break
    }
  }

  /// What the answers say together.
  public var status: PrinterStatus {
    var status = PrinterStatus()
    status.online = offline.map { !$0 }
    status.coverOpen = coverOpen
    status.paper = stoppedForPaper == true ? .end : sensor
    status.error = errorStop == true || errorCause == true ? true : errorCause ?? errorStop
    return status
  }

  private static func paper(nearEnd: Bool, end: Bool) -> PrinterStatus.Paper {
    end ? .end : nearEnd ? .nearEnd : .present
  }
}
