import ESCPOS

/// The paper that has come out of a printer.
///
/// Its memory is bounded: a sheet of more than ``Limits/rows`` dot lines is ended there and goes on as the next
/// one; of finished sheets the latest ``Limits/sheets`` are kept, fewer when together they are longer than
/// ``Limits/totalRows``; older ones are dropped and counted.
public struct Paper: Sendable {
  /// What is kept of what is printed.
  public enum Keeping: Sendable {
    /// Dots and text.
    case dots
    /// Text only: nothing is drawn.
    case text
    /// Nothing but the number of sheets: for load tests.
    case nothing
  }

  /// How much is kept.
  public struct Limits: Equatable, Sendable {
    /// Dot lines of one sheet; 32,000 are 4 m.
    public var rows = 32_000
    /// Finished sheets.
    public var sheets = 64
    /// Dot lines of all finished sheets together.
    public var totalRows = 400_000
    /// Entries of one sheet.
    public var entries = 8_000

    /// The limits that suit a daemon and its tests.
    public init() {}
  }

  /// What is kept.
  public let keeping: Keeping
  /// How much is kept.
  public let limits: Limits
  /// Width in dots.
  public let width: Int
  /// Dots from the head to the blade: the white top of every sheet; 0 without a cutter.
  public let blade: Int
  /// The finished sheets that are kept, oldest first.
  public private(set) var sheets: [Sheet] = []
  /// The sheet that is still in the printer.
  public private(set) var current: Sheet
  /// Finished sheets that were dropped.
  public private(set) var droppedSheets = 0
  private var keptRows = 0
  private let stride: Int

  init(width: Int, blade: Int, keeping: Keeping, limits: Limits) {
    self.width = width
    self.blade = blade
    self.keeping = keeping
    self.limits = limits
    stride = (width + 7) / 8
    current = Sheet(number: 0, width: width)
    append(blank: blade)
  }

  /// Finished sheets since the printer was made, dropped ones included.
  public var sheetCount: Int { current.number }

  /// All sheets that are kept, the one in the printer last when there is something on it.
  public var all: [Sheet] {
    current.height > blade || !current.entries.isEmpty ? sheets + [current] : sheets
  }

  /// What a person reads on all sheets.
  public var text: String { all.map(\.text).joined(separator: "\n") }

  /// Lets `image` come out of the printer, then white paper until `advance` dot lines have passed.
  ///
  /// - Parameter x: Where the image's left edge lies.
  mutating func print(_ image: DotImage?, x: Int, advance: Int) {
    for part in 0..<max(1, (advance + limits.rows - 1) / max(1, limits.rows)) {
      let start = part * limits.rows
      let count = min(limits.rows, advance - start)
      if current.height + count > limits.rows { end(with: .continues) }
      if keeping == .dots, count > 0 {
        var strip = DotImage(width: width, height: count)
        if let image, start < image.height { strip.draw(image, x: x, y: -start) }
        current.rows += strip.rows
      }
      current.height += count
    }
  }

  /// Draws over the last rows that came out, without feeding.
  mutating func overprint(_ image: DotImage, x: Int, y: Int) {
    guard keeping == .dots, current.height > 0 else { return }
    var dots = DotImage(width: width, height: current.height)
    dots.rows = current.rows
    dots.draw(image, x: x, y: y)
    current.rows = dots.rows
  }

  /// Notes what the next `height` dot lines hold.
  mutating func note(_ content: Sheet.Entry.Content, height: Int = 0) {
    guard keeping != .nothing else { return }
    if current.entries.count >= limits.entries {
      current.omittedEntries += 1
      return
    }
    if current.height + height > limits.rows, current.height > 0 { end(with: .continues) }
    current.entries.append(Sheet.Entry(content: content, y: current.height, height: height))
  }

  /// Cuts the paper at the blade, which lies ``blade`` dots behind the head: what the head printed last stays in
  /// the printer and is the top of the next sheet.
  ///
  /// - Returns: The number of the sheet that was cut off, or nil when nothing had come past the blade.
  mutating func cut(_ mode: Receipt.Cut.Mode) -> Int? {
    let end = current.height - blade
    guard end > 0 else { return nil }
    var next = Sheet(number: current.number + 1, width: width)
    next.height = blade
    if keeping == .dots {
      next.rows = Array(current.rows[(end * stride)...])
      current.rows.removeSubrange((end * stride)...)
    }
    for entry in current.entries where !entry.isMark && entry.y >= end {
      next.entries.append(Sheet.Entry(content: entry.content, y: entry.y - end, height: entry.height))
    }
    current.entries.removeAll { !$0.isMark && $0.y >= end }
    for index in current.entries.indices where current.entries[index].y > end {
      current.entries[index].y = end
    }
    current.entries.append(Sheet.Entry(content: .mark(.cut(mode)), y: end, height: 0))
    current.height = end
    finish(with: .cut(mode), next: next)
    return next.number - 1
  }

  /// Takes the finished sheets away, as a person does.
  mutating func take() -> [Sheet] {
    defer {
      sheets = []
      keptRows = 0
    }
    return sheets
  }

  /// Ends a sheet that has become too long.
  private mutating func end(with mark: Sheet.Mark) {
    finish(with: mark, next: Sheet(number: current.number + 1, width: width))
  }

  private mutating func finish(with mark: Sheet.Mark, next: Sheet) {
    current.cut = mark
    let finished = current
    current = next
    guard keeping != .nothing else {
      droppedSheets += 1
      return
    }
    sheets.append(finished)
    keptRows += finished.height
    while sheets.count > max(1, limits.sheets) || keptRows > limits.totalRows && sheets.count > 1 {
      keptRows -= sheets.removeFirst().height
      droppedSheets += 1
    }
  }

  /// White paper of `rows` dot lines.
  private mutating func append(blank rows: Int) {
    if keeping == .dots { current.rows += [UInt8](repeating: 0, count: rows * stride) }
    current.height += rows
  }
}
