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

  /// A one-dimensional barcode.
  public struct Barcode: Equatable, Sendable {
    /// The symbologies that receipts use.
    public enum Symbology: String, Codable, Sendable, CaseIterable {
      /// EAN-13: 12 digits, or 13 with a right check digit.
      case ean13
      /// CODE128: any ASCII.
      case code128
    }

    /// Where the human readable digits stand.
    public enum Caption: String, Codable, Sendable, CaseIterable {
      /// Nowhere.
      case none
      /// Above the bars.
      case above
      /// Below the bars.
      case below
      /// Above and below.
      case both
    }

    /// The symbology.
    public var symbology: Symbology
    /// What a scanner reads.
    public var data: String
    /// Height of the bars in dots, 1 through 255.
    public var height: Int
    /// Width of a module in dots, 1 through 6; made smaller when the bars would not fit the paper.
    public var moduleWidth: Int
    /// Where the digits stand.
    public var caption: Caption
    /// Where the bars stand.
    public var align: Alignment

    /// Creates a barcode.
    public init(
      _ symbology: Symbology, _ data: String, height: Int = 64, moduleWidth: Int = 2,
      caption: Caption = .below,
      align: Alignment = .center
    ) {
      self.symbology = symbology
      self.data = data
      self.height = height
      self.moduleWidth = moduleWidth
      self.caption = caption
      self.align = align
    }
  }

  /// A QR code.
  public struct QRCode: Equatable, Sendable {
    /// How much of the code may be damaged.
    public enum Correction: String, Codable, Sendable, CaseIterable {
      /// 7 %.
      case l
      /// 15 %.
      case m
      /// 25 %.
      case q
      /// 30 %.
      case h
    }

    /// What a scanner reads, as UTF-8.
    public var data: String
    /// Width of a module in dots, 1 through 16; made smaller when the code would not fit the paper.
    public var moduleSize: Int
    /// Error correction.
    public var correction: Correction
    /// Where the code stands.
    public var align: Alignment

    /// Creates a QR code.
    public init(
      _ data: String, moduleSize: Int = 6, correction: Correction = .m, align: Alignment = .center
    ) {
      self.data = data
      self.moduleSize = moduleSize
      self.correction = correction
      self.align = align
    }
  }

  /// A picture; scaled down to the paper when wider, never up.
  public struct Image: Equatable, Sendable {
    /// Where the picture's bytes come from.
    public enum Source: Equatable, Hashable, Sendable {
      /// The bytes of a PNG or JPEG file; in JSON `data`, base64.
      case data([UInt8])
      /// A name in the image folder of the configuration; in JSON `name`, without "/" and "..".
      case named(String)
    }

    /// How grey becomes black and white.
    public enum Dither: String, Codable, Sendable, CaseIterable {
      /// Error diffusion, for photographs.
      case diffusion
      /// Black below the middle, for logos and line art.
      case threshold
    }

    /// The picture.
    public var source: Source
    /// Width on paper in dots, or nil for the picture's own.
    public var width: Int?
    /// How grey becomes dots.
    public var dither: Dither
    /// Where it stands.
    public var align: Alignment

    /// Creates a picture.
    public init(
      _ source: Source, width: Int? = nil, dither: Dither = .diffusion, align: Alignment = .center
    ) {
      self.source = source
      self.width = width
      self.dither = dither
      self.align = align
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
