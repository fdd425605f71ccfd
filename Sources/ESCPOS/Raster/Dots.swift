/// Black and white dots, a byte for eight of them, most significant bit left, 1 = black: the form of `GS v 0`.
public struct DotImage: Equatable, Sendable {
  /// Width in dots.
  public let width: Int
  /// Height in dots.
  public let height: Int
  /// Bytes in a row: `(width + 7) / 8`; the bits beyond the width are 0.
  public let stride: Int
  /// The rows from top to bottom, `stride * height` bytes.
  public var rows: [UInt8]

  /// Creates a white image.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    self.stride = (width + 7) / 8
    self.rows = [UInt8](repeating: 0, count: stride * height)
  }

  /// The dot at `x`, `y`; outside the image it is white, and setting it does nothing.
  public subscript(x: Int, y: Int) -> Bool {
    get {
      guard x >= 0, y >= 0, x < width, y < height else { return false }
      return rows[y * stride + x >> 3] & (0x80 >> UInt8(x & 7)) != 0
    }
    set {
      guard x >= 0, y >= 0, x < width, y < height else { return }
      let bit: UInt8 = 0x80 >> UInt8(x & 7)
      if newValue { rows[y * stride + x >> 3] |= bit } else { rows[y * stride + x >> 3] &= ~bit }
    }
  }
}

/// Grey levels, a byte a dot, 0 = black, 255 = white; transparent parts have been laid on white.
public struct GrayImage: Equatable, Sendable {
  /// Width in dots.
  public let width: Int
  /// Height in dots.
  public let height: Int
  /// The rows from top to bottom, `width * height` bytes.
  public var levels: [UInt8]

  /// Creates an image; `levels` must hold `width * height` bytes.
  public init(width: Int, height: Int, levels: [UInt8]) {
    precondition(levels.count == width * height, "levels do not match the size")
    self.width = width
    self.height = height
    self.levels = levels
  }
}

/// Draws what a printer cannot draw itself.
///
/// `TextRaster` implements it with Pango, Zint and gdk-pixbuf. The renderer asks only for what the printer's
/// profile lacks, so a receipt that the printer can print natively never comes here.
public protocol DotSource: Sendable {
  /// Draws one line of text (shaped, in visual order) in cells of the printer.
  ///
  /// The line is `columns × cell width × style.width` dots wide and `cell height × style.height` dots high, with
  /// the text at the left, or at the right when `align` says so; it is squeezed, never cut, when the glyphs are wider.
  ///
  /// - Parameters:
  ///   - columns: The width in columns of the style's font, at its size.
  ///   - style: Bold, underline, invert, sizes and font.
  /// - Throws: ``RenderError`` when no font has the characters or the drawing fails.
  func dots(
    text: String, columns: Int, cell: CellSize, style: Receipt.Style, align: Receipt.Alignment
  ) throws(RenderError) -> DotImage

  /// Draws a barcode with its caption and quiet zones, at most `maximumWidth` dots wide.
  func dots(barcode: Receipt.Barcode, maximumWidth: Int) throws(RenderError) -> DotImage

  /// Draws a QR code with its quiet zone, at most `maximumWidth` dots wide.
  func dots(qr: Receipt.QRCode, maximumWidth: Int) throws(RenderError) -> DotImage

  /// Decodes a picture and scales it: to `width` when given, and down to `maximumWidth` in any case.
  func gray(
    image: Receipt.Image.Source, width: Int?, maximumWidth: Int
  ) throws(RenderError) -> GrayImage
}

/// The size of a printer's character cell in dots.
public struct CellSize: Equatable, Hashable, Sendable, Codable {
  /// Dots across.
  public var width: Int
  /// Dots down.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
