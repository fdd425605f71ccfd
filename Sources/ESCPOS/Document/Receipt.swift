/// What is printed: a list of blocks from top to bottom.
///
/// The JSON form is described by `Docs/schema/receipt.schema.json`. Unknown keys and wrong types are refused with
/// the path of the fault.
public struct Receipt: Equatable, Sendable {
  /// The blocks in printing order.
  public var blocks: [Block]

  /// Creates a receipt.
  public init(blocks: [Block]) {
    self.blocks = blocks
  }

  /// One block of a receipt. In JSON an object whose `type` names the case: `{"type": "text", "text": "Hello"}`.
  public enum Block: Equatable, Sendable {
    /// A paragraph, wrapped at words.
    case text(Text)
    /// A line of cells side by side, each wrapped inside its own width.
    case columns(Columns)
    /// A line across the paper.
    case rule(Rule)
    /// A one-dimensional barcode.
    case barcode(Barcode)
    /// A QR code.
    case qr(QRCode)
    /// A picture.
    case image(Image)
    /// Blank lines.
    case feed(Feed)
    /// A cut, after the feed from head to blade.
    case cut(Cut)
    /// A pulse to the cash drawer.
    case drawer(Drawer)
    /// A beep.
    case beep(Beep)
  }

  /// Where a block stands on the line.
  public enum Alignment: String, Codable, Sendable, CaseIterable {
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
  }

  /// The printer's fonts: A is 12 × 24 dots, B is 9 × 17.
  public enum Font: String, Codable, Sendable, CaseIterable {
    /// 12 × 24 dots.
    case a
    /// 9 × 17 dots.
    case b
  }

  /// How text looks.
  public struct Style: Equatable, Hashable, Sendable {
    /// Emphasised.
    public var bold = false
    /// Underlined.
    public var underline = false
    /// White on black.
    public var invert = false
    /// Times the cell's width, 1 through 8.
    public var width = 1
    /// Times the cell's height, 1 through 8.
    public var height = 1
    /// The font.
    public var font = Font.a

    /// The plain style: font A, size 1 × 1.
    public init() {}

    /// Creates a style.
    public init(
      bold: Bool = false, underline: Bool = false, invert: Bool = false, width: Int = 1, height: Int = 1,
      font: Font = .a
    ) {
      self.bold = bold
      self.underline = underline
      self.invert = invert
      self.width = width
      self.height = height
      self.font = font
    }
  }

  /// A paragraph; line breaks in it are kept. JSON: `text`, `align`, and the style keys `bold`, `underline`,
  /// `invert`, `width`, `height`, `font` on the same object.
  public struct Text: Equatable, Sendable {
    /// What is printed.
    public var text: String
    /// Where it stands.
    public var align: Alignment
    /// How it looks.
    public var style: Style

    /// Creates a paragraph.
    public init(_ text: String, align: Alignment = .left, style: Style = Style()) {
      self.text = text
      self.align = align
      self.style = style
    }
  }

  /// Cells side by side. JSON: `cells` and the style keys.
  public struct Columns: Equatable, Sendable {
    /// One cell.
    public struct Cell: Equatable, Sendable {
      /// What is printed in the cell.
      public var text: String
      /// Where it stands inside its width.
      public var align: Alignment
      /// Its width in columns of the block's font at size 1, or nil to share what the fixed ones leave.
      public var width: Int?

      /// Creates a cell.
      public init(_ text: String, align: Alignment = .left, width: Int? = nil) {
        self.text = text
        self.align = align
        self.width = width
      }
    }

    /// The cells from left to right; at least one.
    public var cells: [Cell]
    /// How all of them look.
    public var style: Style

    /// Creates a line of cells.
    public init(_ cells: [Cell], style: Style = Style()) {
      self.cells = cells
      self.style = style
    }
  }

  /// A line across the paper.
  public struct Rule: Equatable, Sendable {
    /// How the line is drawn.
    public enum Style: String, Codable, Sendable, CaseIterable {
      /// `-`
      case single
      /// `=`
      case double
      /// `. .`
      case dotted
    }

    /// How it is drawn.
    public var style: Style

    /// Creates a rule.
    public init(_ style: Style = .single) {
      self.style = style
    }
  }

  /// Blank lines.
  public struct Feed: Equatable, Sendable {
    /// How many lines, 1 through 255.
    public var lines: Int

    /// Creates a feed.
    public init(lines: Int = 1) {
      self.lines = lines
    }
  }

  /// A cut.
  public struct Cut: Equatable, Sendable {
    /// How far the blade goes.
    public enum Mode: String, Codable, Sendable, CaseIterable {
      /// Through.
      case full
      /// All but a bridge.
      case partial
    }

    /// How far the blade goes; a printer with only the other kind uses that.
    public var mode: Mode

    /// Creates a cut.
    public init(_ mode: Mode = .full) {
      self.mode = mode
    }
  }

  /// A pulse that opens the cash drawer.
  public struct Drawer: Equatable, Sendable {
    /// The connector pin, 2 or 5.
    public var pin: Int
    /// The pulse in milliseconds, 2 through 510.
    public var milliseconds: Int

    /// Creates a pulse.
    public init(pin: Int = 2, milliseconds: Int = 100) {
      self.pin = pin
      self.milliseconds = milliseconds
    }
  }

  /// Beeps.
  public struct Beep: Equatable, Sendable {
    /// How often, 1 through 9.
    public var times: Int

    /// Creates beeps.
    public init(times: Int = 1) {
      self.times = times
    }
  }
}
