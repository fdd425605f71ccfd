/// The bytes of a job, and what the printer has been told so far.
///
/// After `ESC @` the settings that text depends on count as unknown, since clones forget to reset some; each
/// is sent
/// when it is first needed and then only when it changes. That is the safe preamble, spread over the job:
/// nothing is
/// sent that nothing depends on. The line buffer is empty whenever a method returns, but for
/// ``write(_:in:)``.
struct PrintStream {
  let profile: PrinterProfile
  let repertoire: Repertoire
  let abilities: Abilities

  private(set) var bytes: [UInt8] = []
  /// Where lines, pictures and symbols end: the line buffer is empty there, and no command has begun.
  private(set) var seams: [Int] = []
  /// Blank lines that are due before the next thing on paper.
  private var pendingFeed = 0
  /// A clone swallows the first LF behind `GS v 0` (NT-5890K), so lines are fed with `ESC d` there.
  private var behindRaster = false
  private var textBegun = false
  private(set) var align: Receipt.Alignment?
  private var font: Receipt.Font?
  private var size: Size?
  private var bold: Bool?
  private var underline: Bool?
  /// Whether size and bold hold for double-byte text too.
  private var holdsForKanji = true
  private var invert = false
  private var kanjiOn: Bool?
  private var kanjiUnderline = false
  private var kanjiSystemSent = false
  private var page: Int?

  /// Times the cell's width and height.
  private struct Size: Equatable {
    var width: Int
    var height: Int

    init(_ style: Receipt.Style) {
      width = style.width
      height = style.height
    }
  }

  init(profile: PrinterProfile, repertoire: Repertoire, abilities: Abilities, capacity: Int) {
    self.profile = profile
    self.repertoire = repertoire
    self.abilities = abilities
    bytes.reserveCapacity(capacity)
    if abilities.contains(.peripheral) { bytes += Command.selectPrinter }
    bytes += Command.initialize
    // `notReset` names what ESC @ leaves alone on this printer.
    if profile.notReset.contains("GS L"), abilities.contains(.leftMargin) { bytes += Command.noLeftMargin }
    if profile.notReset.contains("GS W"), abilities.contains(.areaWidth) {
      bytes += Command.areaWidth(profile.widthDots)
    }
  }

  // MARK: Lines

  /// Feeds `lines` blank lines before whatever comes next.
  mutating func feed(lines: Int) { pendingFeed += lines }

  /// Sees to it that at least `lines` blank lines come before whatever comes next.
  mutating func leave(lines: Int) { pendingFeed = max(pendingFeed, lines) }

  /// Feeds what is due.
  mutating func flushFeed() {
    while pendingFeed > 0 {
      if !abilities.contains(.feed) || (pendingFeed < 3 && !behindRaster) {
        bytes += [UInt8](repeating: Command.lineFeed, count: pendingFeed)
        pendingFeed = 0
      } else {
        let lines = min(pendingFeed, 255)
        bytes += Command.feed(lines: lines)
        pendingFeed -= lines
      }
      behindRaster = false
    }
  }

  /// Ends the line.
  mutating func endLine() {
    bytes.append(Command.lineFeed)
    seam()
  }

  /// Notes that something has ended: what comes next does not depend on what was before.
  mutating func seam() {
    if seams.last != bytes.count { seams.append(bytes.count) }
  }

  /// Sets the alignment of the lines to come.
  mutating func align(_ wanted: Receipt.Alignment) {
    guard align != wanted, abilities.contains(.align) else { return }
    bytes += Command.align(wanted)
    align = wanted
  }

  // MARK: Style

  /// Prepares for a line of text in `style`.
  ///
  /// - Parameter kanji: Whether the line has double-byte characters. Clones do not apply `ESC !` to those,
  ///   so such
  ///   lines get the commands that hold for both.
  mutating func beginLine(style: Receipt.Style, kanji: Bool) {
    flushFeed()
    behindRaster = false
    if !textBegun { beginText(kanji: kanji) }
    if kanji, !holdsForKanji {
      (size, bold) = (nil, nil)
      holdsForKanji = true
    }
    let changes =
      (font != style.font ? 1 : 0) + (size != Size(style) ? 1 : 0) + (bold != style.bold ? 1 : 0)
      + (underline != style.underline ? 1 : 0)
    if changes > 1, !kanji, style.width <= 2, style.height <= 2, abilities.isSuperset(of: .modeParts) {
      choose(font: style.font) { Command.mode(style) }
      (size, bold, underline) = (Size(style), style.bold, style.underline)
      holdsForKanji = false
    } else if changes > 0 {
      apply(style)
    }
    if invert != style.invert, abilities.contains(.invert) {
      bytes += Command.invert(style.invert)
      invert = style.invert
    }
  }

  /// Sends the parts of `style` that differ, one command each.
  private mutating func apply(_ style: Receipt.Style) {
    if font != style.font, abilities.contains(.font) {
      choose(font: style.font) { Command.font(style.font) }
    }
    if size != Size(style), abilities.contains(.size) {
      bytes += Command.size(width: style.width, height: style.height)
      size = Size(style)
    }
    if bold != style.bold, abilities.contains(.bold) {
      bytes += Command.bold(style.bold)
      bold = style.bold
    }
    if underline != style.underline, abilities.contains(.underline) {
      bytes += Command.underline(style.underline)
      underline = style.underline
    }
  }

  /// Sends a command that chooses a font among other things.
  private mutating func choose(font wanted: Receipt.Font, by command: () -> [UInt8]) {
    bytes += command()
    if font != wanted { page = nil }  // a clone drops the page with the font (python-escpos PR 729)
    font = wanted
  }

  private mutating func beginText(kanji: Bool) {
    textBegun = true
    // Double-byte text turns its mode on itself.
    if !kanji, abilities.contains(.kanjiOff) {
      bytes += Command.kanjiOff
      kanjiOn = false
    }
    if abilities.contains(.international) { bytes += Command.internationalUSA }
    if abilities.contains(.spacing) { bytes += Command.defaultSpacing }
  }

  // MARK: Characters

  /// Writes the cells of `range`, none of them foreign, into the line.
  mutating func write(_ cells: [LayoutCell], in range: Range<Int>) {
    for index in range {
      let cell = cells[index]
      if cell.scalar < 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: cell.scalar))
      } else if cell.has(LayoutCell.kanji) {
        writeKanji(cell.scalar)
      } else {
        writePage(cells, index, range.upperBound)
      }
    }
  }

  private mutating func writeKanji(_ scalar: UInt32) {
    if kanjiOn != true {
      bytes += Command.kanjiOn
      kanjiOn = true
      if let system = profile.kanji?.codeSystem, !kanjiSystemSent {
        bytes += Command.kanjiSystem(UInt8(clamping: system))
        kanjiSystemSent = true
      }
    }
    if kanjiUnderline != (underline ?? false), abilities.contains(.kanjiUnderline) {
      kanjiUnderline = underline ?? false
      bytes += Command.kanjiUnderline(kanjiUnderline)
    }
    let code = repertoire.kanjiCode(scalar)
    if code > 0xFFFF {
      bytes.append(UInt8(truncatingIfNeeded: code >> 24))
      bytes.append(UInt8(truncatingIfNeeded: code >> 16))
    }
    bytes.append(UInt8(truncatingIfNeeded: code >> 8))
    bytes.append(UInt8(truncatingIfNeeded: code))
  }

  private mutating func writePage(_ cells: [LayoutCell], _ index: Int, _ end: Int) {
    if kanjiOn != false, abilities.contains(.kanjiOff) {
      bytes += Command.kanjiOff
      kanjiOn = false
    }
    let scalar = cells[index].scalar
    var candidates = repertoire.pageSet(scalar)
    if let page, candidates & 1 << UInt64(page) != 0 {
      bytes.append(repertoire.pages[page].byte(for: scalar))
      return
    }
    // The page that serves the longest way ahead; the first in the profile's order where several do.
    for next in cells[index + 1..<end] where next.scalar >= 0x80 && !next.has(LayoutCell.kanji) {
      let common = candidates & repertoire.pageSet(next.scalar)
      if common == 0 { break }
      candidates = common
    }
    let chosen = candidates.trailingZeroBitCount
    guard chosen < repertoire.pages.count else { return }
    bytes += Command.codePage(repertoire.slots[chosen])
    page = chosen
    bytes.append(repertoire.pages[chosen].byte(for: scalar))
  }

  // MARK: Blocks

  /// Appends a command that needs an empty line buffer, which it has.
  mutating func block(_ command: [UInt8]) {
    flushFeed()
    behindRaster = false
    bytes += command
  }

  /// Appends a command that has nothing to do with the paper.
  mutating func aside(_ command: [UInt8]) { bytes += command }

  /// Appends raster commands.
  mutating func raster(_ bands: RasterBands, align wanted: Receipt.Alignment) {
    flushFeed()
    // An image as wide as the paper stands the same under every alignment.
    if bands.isTrimmed || bands.byteWidth * 8 < profile.widthDots { align(wanted) }
    seam()
    let start = bytes.count
    bytes += bands.bytes
    for end in bands.ends { seams.append(start + end) }
    behindRaster = true
  }
}
