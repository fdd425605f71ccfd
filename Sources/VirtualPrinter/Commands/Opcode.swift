/// One ESC/POS command; the raw value is its mnemonic, as the manuals write it.
///
/// The list holds what `GS ( …` families and single commands thermal printers, their clones and python-escpos
/// know. Sources: Epson ESC/POS command reference; Custom, Citizen and Posbank manuals for the clone commands.
public enum Opcode: String, CaseIterable, Sendable {
  /// A run of characters.
  case text = "text"
  /// A run of `00`, which every printer ignores outside a command.
  case nul = "NUL"
  case bel = "BEL"
  case ht = "HT"
  case lf = "LF"
  case vt = "VT"
  case ff = "FF"
  case cr = "CR"
  case can = "CAN"

  case dleEOT = "DLE EOT"
  case dleENQ = "DLE ENQ"
  case dleDC4 = "DLE DC4"

  case escFF = "ESC FF"
  case escSpace = "ESC SP"
  case escPrintMode = "ESC !"
  case escPosition = "ESC $"
  case escUserCharacters = "ESC %"
  case escDefineCharacters = "ESC &"
  case escParenthesis = "ESC ("
  case escBitImage = "ESC *"
  case escSpacing360 = "ESC +"
  case escUnderline = "ESC -"
  case escDefaultSpacing = "ESC 2"
  case escSpacing = "ESC 3"
  case escHome = "ESC <"
  case escPeripheral = "ESC ="
  case escCancelCharacters = "ESC ?"
  case escReset = "ESC ? LF NUL"
  case escInitialize = "ESC @"
  case escSpacing60 = "ESC A"
  case escBeep = "ESC B"
  case escTabs = "ESC D"
  case escBold = "ESC E"
  case escDoubleStrike = "ESC G"
  case escFeedUnits = "ESC J"
  case escReverseFeedUnits = "ESC K"
  case escPageMode = "ESC L"
  case escFont = "ESC M"
  case escCharacterSet = "ESC R"
  case escStandardMode = "ESC S"
  case escDirection = "ESC T"
  case escUnidirectional = "ESC U"
  case escRotate = "ESC V"
  case escArea = "ESC W"
  case escRelativePosition = "ESC \\"
  case escAlign = "ESC a"
  case escPanel = "ESC c"
  case escFeedLines = "ESC d"
  case escReverseFeedLines = "ESC e"
  case escSlipWait = "ESC f"
  case escFullCut = "ESC i"
  case escPartialCut = "ESC m"
  case escPulse = "ESC p"
  case escColor = "ESC r"
  case escCodePage = "ESC t"
  case escPeripheralStatus = "ESC u"
  case escPaperStatus = "ESC v"
  case escUpsideDown = "ESC {"

  /// `FS` followed by nothing that belongs to it: the slip station of two-station printers.
  case fs = "FS"
  case fsKanjiMode = "FS !"
  case fsKanji = "FS &"
  case fsParenthesis = "FS ("
  case fsUnderline = "FS -"
  case fsKanjiOff = "FS ."
  case fsDefineKanji = "FS 2"
  case fsCancelKanji = "FS ?"
  case fsCodeSystem = "FS C"
  case fsSpacing = "FS S"
  case fsQuadruple = "FS W"
  case fsUserMemory = "FS g"
  case fsPrintImage = "FS p"
  case fsDefineImages = "FS q"

  case gsSize = "GS !"
  case gsVerticalPosition = "GS $"
  case gsDefineImage = "GS *"
  case gsParenthesis = "GS ("
  case gsPrintImage = "GS /"
  case gsGraphics8L = "GS 8 L"
  case gsMacro = "GS :"
  case gsReverse = "GS B"
  case gsCounterMode = "GS C"
  case gsCounterModeText = "GS C ;"
  case gsBitmap = "GS D"
  case gsSpeed = "GS E"
  case gsCaption = "GS H"
  case gsIdentity = "GS I"
  case gsLeftMargin = "GS L"
  case gsMotionUnits = "GS P"
  case gsVariableImage = "GS Q 0"
  case gsLineStart = "GS T"
  case gsCut = "GS V"
  case gsAreaWidth = "GS W"
  case gsRelativeVertical = "GS \\"
  case gsRunMacro = "GS ^"
  case gsStatusBack = "GS a"
  case gsSmoothing = "GS b"
  case gsPrintCounter = "GS c"
  case gsCaptionFont = "GS f"
  case gsMaintenance = "GS g"
  case gsBarcodeHeight = "GS h"
  case gsInkStatus = "GS j"
  case gsBarcode = "GS k"
  case gsStatus = "GS r"
  case gsRaster = "GS v 0"
  case gsBarcodeWidth = "GS w"
  case gsDensity = "GS |"
  case gsOnlineRecovery = "GS z 0"

  /// What no table knows.
  case unknown = "unknown"
}

extension Opcode {
  /// The byte that opens a command of several bytes.
  enum Lead: UInt8 {
    case dle = 0x10
    case esc = 0x1B
    case fs = 0x1C
    case gs = 0x1D
  }

  /// The command that `lead` and `byte` open, or nil when no printer knows one.
  static func command(_ lead: Lead, _ byte: UInt8) -> Opcode? {
    switch lead {
    case .dle: dleTable[Int(byte)]
    case .esc: escTable[Int(byte)]
    case .fs: fsTable[Int(byte)]
    case .gs: gsTable[Int(byte)]
    }
  }

  private static let dleTable = table(
    prefix: "DLE ", special: [(0x04, .dleEOT), (0x05, .dleENQ), (0x14, .dleDC4)])
  private static let escTable = table(prefix: "ESC ", special: [(0x0C, .escFF), (0x20, .escSpace)])
  private static let fsTable = table(prefix: "FS ", special: [])
  private static let gsTable = table(
    prefix: "GS ",
    special: [
      (UInt8(ascii: "8"), .gsGraphics8L), (UInt8(ascii: "Q"), .gsVariableImage),
      (UInt8(ascii: "v"), .gsRaster), (UInt8(ascii: "z"), .gsOnlineRecovery),
    ])

  /// The commands whose mnemonic is `prefix` and one printable character, and those in `special`.
  private static func table(prefix: String, special: [(UInt8, Opcode)]) -> [Opcode?] {
    var table = [Opcode?](repeating: nil, count: 256)
    for opcode in allCases {
      let name = opcode.rawValue
      guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 1 else { continue }
      guard let last = name.utf8.last else { continue }
      table[Int(last)] = opcode
    }
    for (byte, opcode) in special { table[Int(byte)] = opcode }
    return table
  }
}
