import ESCPOS

extension Machine {
  /// Commands that only set something.
  mutating func set(_ token: Token) {
    let n = token[2]
    let isOn = n & 1 == 1
    switch token.opcode {
    case .escBold: modes.bold = isOn
    case .escDoubleStrike: modes.doubleStrike = isOn
    case .escUnderline: modes.underline = Int(n % 48)
    case .gsReverse: modes.reverse = isOn
    case .escRotate: modes.rotated = n % 48 != 0
    case .escFont: chooseFont(n)
    case .escPrintMode: setPrintMode(n)
    case .gsSize:
      modes.size = Modes.Size(width: Int(n >> 4) + 1, height: Int(n & 7) + 1)
      modes.kanjiSize = modes.size
    case .escSpace: modes.spacing = horizontal(Int(n))
    case .escAlign where line.isEmpty: modes.alignment = [.left, .center, .right][Int(n % 48)]
    case .escUpsideDown where line.isEmpty: modes.upsideDown = isOn
    case .gsLeftMargin where line.isEmpty: modes.leftMargin = min(horizontal(token.pair(2)), paper.width - 1)
    case .gsAreaWidth where line.isEmpty: modes.areaWidth = horizontal(token.pair(2))
    case .escDefaultSpacing: modes.lineSpacing = Modes.defaultLineSpacing
    case .escSpacing: modes.lineSpacing = vertical(Int(n))
    case .escSpacing60: modes.lineSpacing = Int(n) * dotsPerInch / 60
    case .escSpacing360: modes.lineSpacing = Int(n) * dotsPerInch / 360
    case .escCodePage: chooseCodePage(Int(n))
    case .escCharacterSet: modes.characterSet = n
    case .escTabs: modes.tabs = token.parameters.filter { $0 != 0 }.map(Int.init)
    case .escUserCharacters: modes.userCharacters = isOn
    case .escCancelCharacters: userCharacters[n] = nil
    case .fsCancelKanji: userKanji[UInt32(n) << 8 | UInt32(token[3])] = nil
    case .gsMotionUnits:
      modes.horizontalUnit = n == 0 ? nil : Double(dotsPerInch) / Double(n)
      modes.verticalUnit = token[3] == 0 ? nil : Double(dotsPerInch) / Double(token[3])
    case .gsBarcodeHeight: modes.barcode.height = Int(n)
    case .gsBarcodeWidth: modes.barcode.module = n >= 68 ? Int(n - 66) : Int(n)
    case .gsCaption: modes.barcode.caption = n % 48
    case .gsCaptionFont: modes.barcode.captionInFontB = isOn
    default: setKanjiOrMove(token)
    }
  }

  private mutating func setKanjiOrMove(_ token: Token) {
    let n = token[2]
    switch token.opcode {
    case .fsKanji: modes.kanji = profile.kanji != nil
    case .fsKanjiOff: modes.kanji = false
    case .fsKanjiMode:
      modes.kanjiSize = Modes.Size(width: n & 4 != 0 ? 2 : 1, height: n & 8 != 0 ? 2 : 1)
      modes.kanjiUnderline = n & 0x80 != 0 ? max(1, modes.kanjiUnderline) : 0
    case .fsUnderline: modes.kanjiUnderline = Int(n % 48)
    case .fsQuadruple: modes.kanjiSize = n & 1 == 1 ? Modes.Size(width: 2, height: 2) : Modes.Size()
    case .fsSpacing: modes.kanjiSpacing = (horizontal(Int(n)), horizontal(Int(token[3])))
    case .fsCodeSystem: modes.codeSystem = n % 48
    case .escPosition:
      if has(.ignoresPositionInLine), !line.isEmpty { return }
      moveTo(horizontal(token.pair(2)))
    case .escRelativePosition:
      let distance = Int(Int16(truncatingIfNeeded: token.pair(2)))
      if distance < 0, has(.ignoresBackwardMove) { return }
      moveTo(cursor + (distance < 0 ? -horizontal(-distance) : horizontal(distance)))
    case .escFeedUnits:
      if has(.ignoresFeedUnits) { return }
      printLine(advance: vertical(Int(n)))
    case .escFeedLines:
      printLine(advance: Int(n) * modes.lineSpacing)
    case .escPageMode where line.isEmpty && page == nil: page = Page(width: paper.width)
    case .escStandardMode: page = nil
    case .escDirection: page?.turn(to: n % 48)
    case .escArea:
      let (x, y) = (horizontal(token.pair(2)), vertical(token.pair(4)))
      let (width, height) = (horizontal(token.pair(6)), vertical(token.pair(8)))
      page?.setArea(x: x, y: y, width: width, height: height)
    case .gsVerticalPosition:
      let y = vertical(token.pair(2))
      page?.move(toY: y)
    case .gsRelativeVertical:
      let distance = Int(Int16(truncatingIfNeeded: token.pair(2)))
      let dots = distance < 0 ? -vertical(-distance) : vertical(distance)
      page?.move(byY: dots)
    default: break
    }
  }

  /// `ESC ! n`: sets font, bold, size and underline of single-byte text at once.
  private mutating func setPrintMode(_ n: UInt8) {
    modes.isFontB = n & 1 != 0 && profile.fontB != nil
    modes.bold = n & 0x08 != 0
    modes.size = Modes.Size(width: n & 0x20 != 0 ? 2 : 1, height: n & 0x10 != 0 ? 2 : 1)
    modes.underline = n & 0x80 != 0 ? max(1, modes.underline) : 0
  }

  private mutating func chooseFont(_ n: UInt8) {
    modes.isFontB = (n % 48 == 1 || n == 98) && profile.fontB != nil
    if has(.losesCodePageOnFont) { chooseCodePage(0) }
  }

  /// `ESC t n`; a slot that the printer does not have changes nothing.
  mutating func chooseCodePage(_ slot: Int) {
    guard let page = profile.codePages.first(where: { $0.slot == slot }) else {
      guard slot == 0 else { return events.append(.unknownCodePage(slot)) }
      codePage = 0
      upperHalf = CodePageTable.upperHalf(of: "CP437") ?? []
      return
    }
    codePage = slot
    upperHalf =
      CodePageTable.upperHalf(of: page.encoding)
      ?? [Unicode.Scalar](repeating: CodePageTable.undefined, count: 128)
  }

  // MARK: Motion units

  /// Dots of an inch: 180 on heads of 512 dots, 203 on the others.
  var dotsPerInch: Int { paper.width == 512 ? 180 : 203 }

  /// Horizontal motion units as dots.
  func horizontal(_ units: Int) -> Int {
    modes.horizontalUnit.map { Int(Double(units) * $0) } ?? units
  }

  /// Vertical motion units as dots.
  func vertical(_ units: Int) -> Int {
    modes.verticalUnit.map { Int(Double(units) * $0) } ?? (has(.feedsHalfDots) ? units / 2 : units)
  }
}
