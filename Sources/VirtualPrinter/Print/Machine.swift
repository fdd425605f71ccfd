import ESCPOS
import TextRaster

/// The printer's inside: modes, line, paper and answers. One command at a time.
///
/// Whoever holds it guards it: it lives in the lock of ``VirtualPrinter``.
struct Machine {
  let profile: PrinterProfile
  let glyphs: any GlyphSource
  let symbols: any SymbolSource
  var body: Behaviour
  var modes = Modes()
  var line = Line()
  var page: Page?
  var paper: Paper
  /// Bytes that wait to be read by the host.
  var replies: [UInt8] = []
  /// What has happened and was not told yet.
  var events: [PrinterEvent] = []

  /// The slot of `ESC t` and its upper 128 characters.
  var codePage: Int
  var upperHalf: [Unicode.Scalar]
  /// The first bytes of a double-byte character that was cut.
  var partialCharacter: [UInt8] = []
  var kanjiConverter: CodePageTable.Converter?
  var jisConverter: CodePageTable.Converter?
  var kanjiCache: [UInt32: Unicode.Scalar] = [:]
  var cellCache: [UInt64: DotImage] = [:]
  var userCharacters: [UInt8: DotImage] = [:]
  var userKanji: [UInt32: DotImage] = [:]
  var storedImages: [DotImage] = []
  var downloadedImage: DotImage?
  var storedGraphics: [UInt16: DotImage] = [:]
  /// What `GS ( L` or `GS 8 L` stored and function 50 prints.
  var graphics: DotImage?
  var symbolStore = SymbolStore()
  /// What found no paper, and comes out when there is some.
  var halted: [Strip] = []

  /// A piece of the print: dots at `x`, then white up to `advance` dot lines.
  struct Strip {
    var image: DotImage?
    var x: Int
    var advance: Int
  }

  /// `ESC =`: whether the printer is the one spoken to.
  var isSelected = true
  /// `GS a`: the classes of change that are told.
  var statusBack: UInt8 = 0
  /// `GS ( H` function 49: 0 off, 1 notice, 2 notice with cause.
  var offlineNotice: UInt8 = 0
  /// `GS ( D`: functions of `DLE DC4` that are switched off.
  var disabledRealTime: Set<UInt8> = []
  var isPoweredOff = false
  /// The last command was `GS v 0`.
  var isAfterRaster = false
  /// Commands carried out, faulty ones included.
  var commandCount = 0

  init(
    profile: PrinterProfile, glyphs: any GlyphSource, symbols: any SymbolSource, behaviour: Behaviour,
    keeping: Paper.Keeping, limits: Paper.Limits
  ) {
    self.profile = profile
    self.glyphs = glyphs
    self.symbols = symbols
    body = behaviour
    let blade = (profile.cutter?.feedLines ?? 0) * Modes.defaultLineSpacing
    paper = Paper(width: profile.widthDots, blade: blade, keeping: keeping, limits: limits)
    codePage = 0
    upperHalf = []
    chooseCodePage(0)
    if let kanji = profile.kanji {
      kanjiConverter = CodePageTable.Converter(
        kanji.encoding == .shiftJIS ? "CP932" : kanji.encoding.rawValue)
      if kanji.encoding == .shiftJIS { jisConverter = CodePageTable.Converter("EUC-JP") }
    }
    powerOn()
  }

  /// Sets back what power-on sets back; the paper stays.
  mutating func powerOn() {
    initialize(keepingMargins: false)
    statusBack = 0
    offlineNotice = 0
    disabledRealTime = []
    isSelected = true
    userCharacters = [:]
    userKanji = [:]
    downloadedImage = nil
    graphics = nil
    symbolStore = SymbolStore()
    isPoweredOff = false
  }

  /// `ESC @`.
  mutating func initialize(keepingMargins: Bool) {
    let (margin, area) = (modes.leftMargin, modes.areaWidth)
    modes = Modes()
    if keepingMargins { (modes.leftMargin, modes.areaWidth) = (margin, area) }
    modes.kanji = body.quirks.contains(.startsInKanjiMode) && profile.kanji != nil
    if !body.quirks.contains(.keepsCodePageOnInitialize) { chooseCodePage(0) }
    line.clear()
    page = nil
    partialCharacter = []
  }

  func has(_ quirk: Behaviour.Quirk) -> Bool { body.quirks.contains(quirk) }

  /// Carries out one command.
  mutating func execute(_ token: Token) {
    commandCount += 1
    report(token)
    let isAfterRaster = isAfterRaster
    self.isAfterRaster = false
    guard isSelected || token.opcode == .escPeripheral else { return }
    guard token.fault == nil else { return }
    if token.opcode != .text { partialCharacter = [] }
    switch token.opcode {
    case .text: place(text: token.bytes)
    case .lf:
      if isAfterRaster, has(.swallowsLineFeedAfterRaster) { return }
      printLine()
    case .ht: tab()
    case .ff: printPage(leaving: true)
    case .escFF: printPage(leaving: false)
    case .can: page?.clear()
    case .bel: mark(.beep(times: 1))
    case .escBeep: mark(.beep(times: Int(token[2])))
    case .escPulse: kick(pin: token[2] & 1 == 0 ? 2 : 5, milliseconds: Int(token[3]) * 2)
    case .gsCut, .escFullCut, .escPartialCut: cut(token)
    case .escInitialize: initialize(keepingMargins: has(.keepsMarginsOnInitialize))
    case .escReset: powerOn()
    case .escPeripheral: isSelected = token[2] & 1 == 1
    case .escBitImage, .gsRaster, .gsVariableImage, .gsGraphics8L, .gsDefineImage, .gsPrintImage,
      .fsDefineImages,
      .fsPrintImage, .gsBitmap, .escDefineCharacters, .fsDefineKanji:
      image(token)
    case .gsBarcode: printBarcode(token)
    case .gsParenthesis, .escParenthesis: function(token)
    case .gsStatus, .gsIdentity, .gsStatusBack, .escPeripheralStatus, .escPaperStatus, .gsInkStatus:
      answer(token)
    default: set(token)
    }
  }

  private mutating func report(_ token: Token) {
    if let fault = token.fault { events.append(.fault(token.mnemonic, offset: token.offset, fault)) }
    guard token.opcode != .text, token.length > 4 else { return }
    for (offset, command) in token.realTimeInside {
      events.append(.realTimeInside(token.mnemonic, offset: offset, command))
    }
  }

  /// `GS ( …` and `ESC ( …`: functions by letter.
  private mutating func function(_ token: Token) {
    switch (token.opcode, token[2]) {
    case (.gsParenthesis, UInt8(ascii: "k")):
      if has(.knowsNo2DCodes) { return place(text: token.bytes.dropFirst(5).filter { $0 >= 0x20 }[...]) }
      symbolFunction(token)
    case (.gsParenthesis, UInt8(ascii: "L")): graphicsFunction(token, at: 5)
    case (.gsParenthesis, UInt8(ascii: "H")):
      if has(.knowsNoProcessID) { return place(text: token.bytes.dropFirst(5).filter { $0 >= 0x20 }[...]) }
      processFunction(token)
    case (.gsParenthesis, UInt8(ascii: "D")):
      var index = 6
      while index + 1 < token.bytes.count {
        if token[index + 1] & 1 == 0 {
          disabledRealTime.insert(token[index])
        } else {
          disabledRealTime.remove(token[index])
        }
        index += 2
      }
    case (.escParenthesis, UInt8(ascii: "A")): mark(.beep(times: max(1, Int(token[7]))))
    default: break
    }
  }

  mutating func mark(_ mark: Sheet.Mark) {
    paper.note(.mark(mark))
    events.append(.mark(mark))
  }

  mutating func kick(pin: Int, milliseconds: Int) {
    guard profile.drawer else { return }
    mark(.drawer(pin: pin, milliseconds: milliseconds))
  }
}
