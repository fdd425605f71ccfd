// The blocks that are drawn: barcode, QR code, picture.

extension Receipt {
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
}
