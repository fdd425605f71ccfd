/// The state of the printer's body, and how well or badly it behaves; settable at any time.
public struct Behaviour: Equatable, Sendable {
  /// What stops a printer until it is told to go on.
  public enum Fault: Equatable, Sendable {
    /// Something that `DLE ENQ` cures (a jam that was cleared).
    case recoverable
    /// The cutter is stuck; `DLE ENQ` cures it.
    case cutter
    /// Voltage or head: nothing cures it.
    case unrecoverable
    /// The head is hot; it cools by itself.
    case autoRecoverable
  }

  /// What becomes of a connection request.
  public enum Opening: Equatable, Sendable {
    /// It is taken, unless another host has the printer.
    case accepts
    /// The printer is off or away.
    case unreachable
    /// Another host holds the printer.
    case busy
    /// It will not talk to us.
    case refused
  }

  /// What happens to bytes that find the receive buffer full.
  public enum Overflow: Equatable, Sendable {
    /// The sender waits: TCP windows, RFCOMM credits, DTR.
    case waits
    /// They are lost, as on links without flow control.
    case losesBytes
  }

  /// The deviations of clones, measured on a NT-5890K.
  public enum Quirk: String, CaseIterable, Sendable {
    /// `ESC J` does nothing.
    case ignoresFeedUnits
    /// `GS V 66 n` does nothing, and `GS V 65 n` feeds n and does not cut.
    case knowsNoFeedingCut
    /// `ESC $` does nothing once the line has printable data.
    case ignoresPositionInLine
    /// `ESC \` with a negative distance does nothing.
    case ignoresBackwardMove
    /// Exactly one LF right after `GS v 0` is swallowed.
    case swallowsLineFeedAfterRaster
    /// The rows of an 8-dot `ESC *` lie at 1 dot instead of 3.
    case printsColumnImagesFlat
    /// `GS H`, `GS h` and `GS w` are reset after a barcode of the first form.
    case resetsBarcodeSettings
    /// `GS k` 75 through 78 do nothing.
    case knowsNoDataBar
    /// `ESC @` keeps margins and print width.
    case keepsMarginsOnInitialize
    /// `ESC @` does not choose code page 0.
    case keepsCodePageOnInitialize
    /// `ESC M` chooses code page 0.
    case losesCodePageOnFont
    /// Double-byte text is on after power-on and `ESC @`.
    case startsInKanjiMode
    /// Vertical motion units are half dots: not a clone's deviation but the way of Epson's 203-dpi models.
    case feedsHalfDots
    /// `GS ( k` prints its tail as text.
    case knowsNo2DCodes
    /// `GS ( H` prints its tail as text.
    case knowsNoProcessID
  }

  // MARK: The body

  /// The roll.
  public var paper = PaperSupply.present
  /// The cover.
  public var coverOpen = false
  /// Switched offline by its button.
  public var offline = false
  /// What has stopped it.
  public var fault: Fault?
  /// Whether the drawer is open (pin 3 of its connector is high).
  public var drawerOpen = false
  /// Dot lines until the roll is empty, counted down by printing and feeding; nil for a roll without end.
  public var paperLeft: Int?

  /// How much paper there is.
  public enum PaperSupply: Equatable, Sendable {
    /// Enough.
    case present
    /// Nearly at its end.
    case nearEnd
    /// At its end; printing has stopped.
    case end
  }

  // MARK: The conversation

  /// Whether the printer answers; false for one that stays mute on a link that could carry answers.
  public var answers = true
  /// Bytes a second that are printed; nil for at once.
  public var bytesPerSecond: Int?
  /// The receive buffer in bytes.
  public var bufferSize = 4096
  /// What happens when it is full.
  public var overflow = Overflow.waits

  // MARK: The link

  /// What becomes of a connection request.
  public var opening = Opening.accepts
  /// Whether the link can carry answers at all.
  public var hasBackChannel = true
  /// How long a connection takes.
  public var openingDelay = Duration.zero
  /// Bytes after which a link is lost, counted from its opening; nil for never. The answers to these bytes are lost too.
  public var linkLostAfter: Int?

  /// The clone's deviations.
  public var quirks: Set<Quirk> = []

  /// A good printer with paper in it.
  public init() {}

  /// Whether it prints: closed, with paper, without fault, and not switched offline.
  public var isOnline: Bool { !coverOpen && !offline && fault == nil && paper != .end }
}
