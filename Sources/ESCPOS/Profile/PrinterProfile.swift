/// What one model of printer has: nothing that is not in its profile is sent to it.
///
/// Profiles are data (`profiles.json`); the JSON form is described by `Docs/schema/profiles.schema.json`.
public struct PrinterProfile: Equatable, Sendable, Codable {
  /// The name used in the configuration: `generic-80`.
  public var name: String
  /// What it stands for, for people.
  public var title: String
  /// Where the facts come from and what was chosen in doubt; nil when there is nothing to say.
  public var notes: String?
  /// Dots across the head: 384 for most 58 mm printers, 576 for 80 mm.
  public var widthDots: Int
  /// Columns and cell of font A.
  public var fontA: Font
  /// Columns and cell of font B, when the printer has it.
  public var fontB: Font?
  /// The code pages of `ESC t n`: slot number to the encoding's iconv name (`CP437`, `CP858`, `CP1252`).
  public var codePages: [CodePage]
  /// Double-byte text (`FS &`), when the printer has it.
  public var kanji: Kanji?
  /// `GS v 0` raster images, when the printer has them.
  public var raster: Raster?
  /// Symbologies of `GS k` that the printer draws itself.
  public var barcodes: [Receipt.Barcode.Symbology]
  /// QR codes of `GS ( k`, when the printer draws them itself.
  public var qr: QR?
  /// The cutter, when there is one.
  public var cutter: Cutter?
  /// Whether `ESC p` opens a drawer.
  public var drawer: Bool
  /// How the printer beeps.
  public var beep: Beep?
  /// Plain commands that this printer does not know, by mnemonic (`ESC =`); never sent to it.
  public var withoutCommands: [String]
  /// Settings that `ESC @` leaves as they are on this printer, by mnemonic (`GS L`, `GS W`); set anew for
  /// each job.
  public var notReset: [String]
  /// Which questions the printer answers over a link with a back channel.
  public var status: Status
  /// How the end of the print is proven.
  public var fence: Fence
  /// Bytes a second that the printer takes from its buffer when it prints text; for pacing and for the drain
  /// time
  /// that stands in for a fence where there is none.
  public var bytesPerSecond: Int
  /// How long a link without a job is kept open, in seconds, where the model asks for another time than usual; 0
  /// through 3600.
  public var idleSeconds: Int?
  /// How bytes are written over BLE, where the model asks for another way than usual.
  public var writeMode: WriteMode?
  /// The most bytes of one write over BLE, where the model takes less than it says; ``chunks``.
  public var chunk: Int?

  /// What ``chunk`` may be: an ATT write without an MTU of its own, through the longest value of an attribute.
  public static let chunks = 20...512

  /// How bytes are written to a BLE printer.
  public enum WriteMode: String, Codable, CaseIterable, Sendable {
    /// Commands as far as the printer surely has room, then requests; requests alone where the characteristic asks for it.
    case auto
    /// Commands, for a printer that keeps up with the radio.
    case command
    /// Requests only: each is acknowledged, and slow.
    case request
  }

  /// A font of the printer.
  public struct Font: Equatable, Sendable, Codable {
    /// Columns on the whole width at size 1.
    public var columns: Int
    /// Dots of a cell.
    public var cell: CellSize
  }

  /// One code page.
  public struct CodePage: Equatable, Sendable, Codable {
    /// The `n` of `ESC t n`.
    public var slot: Int
    /// The iconv name of its encoding.
    public var encoding: String
  }

  /// Double-byte text.
  public struct Kanji: Equatable, Sendable, Codable {
    /// The encoding: `GB18030`, `GBK`, `SHIFT_JIS`, `BIG5` or `EUC-KR`.
    public var encoding: Encoding
    /// The longest code in bytes that the firmware takes: 2, or 4 where it knows all of GB18030.
    public var maximumBytes: Int
    /// The `n` of `FS C n`, where the code system must be chosen.
    public var codeSystem: Int?
    /// The encodings of double-byte printers.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
      /// Mainland China.
      case gb18030 = "GB18030"
      /// Japan.
      case shiftJIS = "SHIFT_JIS"
      /// Taiwan.
      case big5 = "BIG5"
      /// Korea.
      case eucKR = "EUC-KR"
    }
  }

  /// Raster images.
  public struct Raster: Equatable, Sendable, Codable {
    /// The most rows that one `GS v 0` may carry, 1 through 4095.
    public var maximumRows: Int
  }

  /// QR codes.
  public struct QR: Equatable, Sendable, Codable {
    /// The most bytes that the printer stores.
    public var maximumBytes: Int
    /// The widest module in dots.
    public var maximumModule: Int
  }

  /// The cutter.
  public struct Cutter: Equatable, Sendable, Codable {
    /// The cuts it makes.
    public var modes: [Receipt.Cut.Mode]
    /// How the cut is asked for.
    public var command: Command
    /// Lines of default spacing from the print line to the blade, fed first where the command does not feed;
    /// 0 through 40.
    public var feedLines: Int
    /// Forms of the cut command.
    public enum Command: String, Sendable, Codable {
      /// `GS V 65|66 0`: feeds to the blade by itself.
      case feedAndCut
      /// `ESC d n` and `GS V 0|1`: for printers that do not know the form with feed.
      case cutOnly
    }
  }

  /// Ways to beep.
  public enum Beep: String, Sendable, Codable {
    /// `ESC B n t`, on Chinese printers.
    case escB
    /// `ESC ( A`, on Epson printers with a buzzer.
    case escParenA
    /// `BEL`.
    case bel
  }

  /// What the printer answers.
  public struct Status: Equatable, Sendable, Codable {
    /// Real-time status, `DLE EOT 1…4`.
    public var dleEOT: Bool
    /// Automatic status back, `GS a n`.
    public var asb: Bool
  }

  /// Proof that everything before it is on paper.
  public enum Fence: String, Sendable, Codable {
    /// `GS ( H` function 48: the printer echoes an identifier once the print before it is done.
    case processID
    /// `GS r 1`: paper status, answered in turn behind the print data.
    case paperStatus
    /// None: the link's own barrier and the drain time must do, and the outcome says `unconfirmed`.
    case none
  }

  /// Whether the printer knows the command with this mnemonic.
  public func knows(_ mnemonic: String) -> Bool {
    !withoutCommands.contains(mnemonic)
  }
}
