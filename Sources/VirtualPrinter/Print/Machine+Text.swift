import ESCPOS
import TextRaster

extension Machine {
  /// The width of the printing area in dots.
  var areaWidth: Int {
    if let page { return page.areaWidth }
    return max(1, min(modes.areaWidth ?? paper.width, paper.width - modes.leftMargin))
  }

  var cursor: Int { line.cursor }

  mutating func moveTo(_ x: Int) {
    guard x >= 0, x <= areaWidth else { return }
    line.cursor = x
  }

  /// The cell of the font chosen, and of double-byte characters.
  var cell: CellSize { modes.isFontB ? profile.fontB?.cell ?? profile.fontA.cell : profile.fontA.cell }
  var kanjiCell: CellSize { CellSize(width: 2 * profile.fontA.cell.width, height: profile.fontA.cell.height) }

  /// Places a run of characters, wrapping where the area ends.
  mutating func place(text: ArraySlice<UInt8>) {
    for byte in text {
      if modes.kanji || !partialCharacter.isEmpty {
        placeDoubleByte(byte)
      } else {
        placeSingleByte(byte)
      }
    }
  }

  private mutating func placeSingleByte(_ byte: UInt8) {
    if modes.userCharacters, let dots = userCharacters[byte] { return place(userCharacter: dots, byte) }
    let character = byte < 0x80 ? modes.ascii(byte) : upperHalf[Int(byte - 0x80)]
    place(character, isKanji: false)
  }

  /// Takes one byte in double-byte mode: it begins, continues or ends a character, or stands for itself.
  private mutating func placeDoubleByte(_ byte: UInt8) {
    partialCharacter.append(byte)
    while let first = partialCharacter.first {
      switch decodeKanji(partialCharacter) {
      case .more: return
      case .character(let character):
        let code = partialCharacter.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        partialCharacter.removeAll(keepingCapacity: true)
        place(character, isKanji: true, userDots: userKanji[code])
      case .none:
        partialCharacter.removeFirst()
        placeSingleByte(first)
      }
    }
  }

  /// Places one character cell.
  mutating func place(_ character: Unicode.Scalar, isKanji: Bool, userDots: DotImage? = nil) {
    let size = isKanji ? modes.kanjiSize : modes.size
    let cell = isKanji ? kanjiCell : cell
    let (upright, tall) = (cell.width * size.width, cell.height * size.height)
    let left = isKanji ? modes.kanjiSpacing.left * size.width : 0
    let right = (isKanji ? modes.kanjiSpacing.right : modes.spacing) * size.width
    let width = left + (modes.rotated ? tall : upright) + right
    wrap(before: width - right)
    let dots =
      paper.keeping == .dots
      ? cellDots(
        character, cell: cell, isKanji: isKanji, size: size, left: left, width: width, userDots: userDots)
      : nil
    line.place(
      Line.Item(
        x: line.cursor, width: width, height: modes.rotated ? upright : tall, character: character, dots: dots
      ),
      advance: width)
  }

  private mutating func place(userCharacter dots: DotImage, _ byte: UInt8) {
    let scaled = dots.scaled(modes.size.width, modes.size.height)
    wrap(before: scaled.width)
    line.place(
      Line.Item(
        x: line.cursor, width: scaled.width, height: scaled.height, character: Unicode.Scalar(byte),
        dots: scaled),
      advance: scaled.width + modes.spacing * modes.size.width)
  }

  /// Prints the line first when `width` dots do not fit on it any more.
  mutating func wrap(before width: Int) {
    guard line.cursor + width > areaWidth, line.cursor > 0 else { return }
    printLine()
  }

  /// The dots of a cell with everything the modes make of it.
  private mutating func cellDots(
    _ character: Unicode.Scalar, cell: CellSize, isKanji: Bool, size: Modes.Size, left: Int, width: Int,
    userDots: DotImage?
  ) -> DotImage {
    let bold = modes.bold || modes.doubleStrike
    let underline = isKanji ? modes.kanjiUnderline : modes.underline
    var key =
      UInt64(character.value) | (isKanji ? 1 << 21 : 0) | (modes.isFontB ? 1 << 22 : 0) | (bold ? 1 << 23 : 0)
    key |= UInt64(size.width - 1) << 24 | UInt64(size.height - 1) << 27 | UInt64(underline & 3) << 30
    key |= (modes.reverse ? 1 << 32 : 0) | (modes.rotated ? 1 << 33 : 0)
    key |= UInt64(left & 0x7FF) << 34 | UInt64(width & 0xFFF) << 45
    if userDots == nil, let cached = cellCache[key] { return cached }

    let glyph = userDots ?? glyphs.glyph(character, cell: cell, bold: bold)
    var upright = glyph.scaled(size.width, size.height)
    if modes.rotated { upright = upright.turned() }
    var dots = DotImage(width: width, height: upright.height)
    dots.draw(upright, x: left, y: 0)
    if underline > 0, !modes.rotated, !modes.reverse {
      dots.fill(x: 0..<width, y: dots.height - underline..<dots.height)
    }
    if modes.reverse { dots.fill(x: 0..<width, y: 0..<dots.height, inverting: true) }
    if userDots == nil {
      if cellCache.count >= 8192 { cellCache.removeAll() }
      cellCache[key] = dots
    }
    return dots
  }

  /// `HT`: to the next tab stop; past the last one nothing happens.
  mutating func tab() {
    let column = (cell.width + modes.spacing) * modes.size.width
    guard let stop = modes.tabs.first(where: { $0 * column > line.cursor }) else { return }
    moveTo(min(stop * column, areaWidth))
  }

  /// The longest feed of one command in dots: 1016 mm (Epson command reference, "ESC d", notes).
  static let longestFeed = 8128

  /// Prints the line and feeds: `advance` dots from its top, or the line spacing, but never less than its height.
  mutating func printLine(advance: Int? = nil) {
    let feed = max(min(advance ?? modes.lineSpacing, Self.longestFeed), line.height)
    defer { line.clear() }
    guard page == nil else {
      let (line, text) = (line, line.text(column: profile.fontA.cell.width, indent: 0))
      page?.place(line, text: text, advance: feed)
      return
    }
    guard !line.isEmpty else { return emit(nil, x: 0, advance: feed) }
    let indent = line.indent(modes.alignment, in: areaWidth)
    noteText(indent: indent + modes.leftMargin)
    guard paper.keeping == .dots else { return emit(nil, x: 0, advance: feed) }
    var dots = line.dots(width: max(1, areaWidth - indent))
    guard modes.upsideDown else { return emit(dots, x: modes.leftMargin + indent, advance: feed) }
    var area = DotImage(width: areaWidth, height: dots.height)
    area.draw(dots, x: indent, y: 0)
    dots = area.upsideDown()
    emit(dots, x: modes.leftMargin, advance: feed)
  }

  private mutating func noteText(indent: Int) {
    guard paper.keeping != .nothing else { return }
    let narrow = line.items.contains { $0.width == profile.fontB?.cell.width && $0.character != nil }
    let column = narrow ? profile.fontB?.cell.width ?? profile.fontA.cell.width : profile.fontA.cell.width
    if let text = line.text(column: max(1, column), indent: indent) {
      paper.note(.text(text), height: line.height)
    }
    for item in line.items where item.character == nil {
      paper.note(.image(width: item.width, height: item.height), height: item.height)
    }
  }

  // MARK: Paper

  /// Lets a strip come out, as far as there is paper.
  mutating func emit(_ image: DotImage?, x: Int, advance: Int) {
    let strip = Strip(image: image, x: x, advance: advance)
    guard halted.isEmpty, body.paper != .end else {
      halted.append(strip)
      return
    }
    print(strip)
  }

  private mutating func print(_ strip: Strip) {
    guard let left = body.paperLeft, left < strip.advance else {
      paper.print(strip.image, x: strip.x, advance: strip.advance)
      if let left = body.paperLeft { body.paperLeft = left - strip.advance }
      return
    }
    paper.print(strip.image, x: strip.x, advance: left)
    halted.insert(
      Strip(image: strip.image?.rows(from: left), x: strip.x, advance: strip.advance - left), at: 0)
    let before = body
    body.paperLeft = 0
    body.paper = .end
    events.append(.paperOut)
    tellChange(since: before)
  }

  /// Prints what waited for paper.
  mutating func resume() {
    while body.isOnline, !halted.isEmpty { print(halted.removeFirst()) }
  }

  /// `GS V`, `ESC i`, `ESC m`.
  mutating func cut(_ token: Token) {
    guard line.isEmpty, page == nil else {
      return events.append(.ignored(token.mnemonic, "the line is not empty"))
    }
    let feeds = token.opcode == .gsCut && CommandPrefix.cutFeeds.contains(token[2])
    if feeds, has(.knowsNoFeedingCut) {
      if token[2] == 65 { emit(nil, x: 0, advance: vertical(Int(token[3]))) }
      return
    }
    if feeds { emit(nil, x: 0, advance: paper.blade + vertical(Int(token[3]))) }
    guard let cutter = profile.cutter, let other = cutter.modes.first else {
      return events.append(.ignored(token.mnemonic, "this model has no cutter"))
    }
    let isFull =
      token.opcode == .escFullCut || token.opcode == .gsCut && [0, 48, 65, 97, 103].contains(token[2])
    let wanted: Receipt.Cut.Mode = isFull ? .full : .partial
    let mode = cutter.modes.contains(wanted) ? wanted : other
    guard halted.isEmpty else { return }
    if let number = paper.cut(mode) { events.append(.cut(sheet: number, mode)) }
  }
}
