import ESCPOS

/// What has been placed on the line that is not printed yet.
struct Line {
  /// A character or a picture in its place.
  struct Item {
    /// Dots from the left edge of the printing area.
    var x: Int
    var width: Int
    var height: Int
    /// What a person reads; nil for a picture.
    var character: Unicode.Scalar?
    var dots: DotImage?
  }

  var items: [Item] = []
  /// Where the next item goes, in dots from the left edge of the printing area.
  var cursor = 0
  /// The rightmost dot reached.
  private(set) var extent = 0
  /// The tallest item.
  private(set) var height = 0

  var isEmpty: Bool { items.isEmpty }

  mutating func place(_ item: Item, advance: Int) {
    items.append(item)
    cursor = item.x + advance
    extent = max(extent, item.x + item.width)
    height = max(height, item.height)
  }

  mutating func clear() {
    items.removeAll(keepingCapacity: true)
    cursor = 0
    extent = 0
    height = 0
  }

  /// Where the line begins when it stands at `alignment` in an area of `width` dots.
  func indent(_ alignment: Receipt.Alignment, in width: Int) -> Int {
    switch alignment {
    case .left: 0
    case .center: max(0, (width - extent) / 2)
    case .right: max(0, width - extent)
    }
  }

  /// The line's dots, items standing on its base.
  func dots(width: Int) -> DotImage {
    var image = DotImage(width: width, height: height)
    for item in items {
      guard let dots = item.dots else { continue }
      image.draw(dots, x: item.x, y: height - item.height)
    }
    return image
  }

  /// The items from left to right; they are placed so unless a command has moved back.
  private var inOrder: [Item] {
    zip(items, items.dropFirst()).allSatisfy { $0.x <= $1.x } ? items : items.sorted { $0.x < $1.x }
  }

  /// The characters, each word at its column, none lost; nil when the line has none.
  ///
  /// - Parameters:
  ///   - column: The width of a column in dots.
  ///   - indent: Dots from the left edge of the paper to the line's first.
  func text(column: Int, indent: Int) -> String? {
    guard items.contains(where: { $0.character != nil }) else { return nil }
    var text = String.UnicodeScalarView()
    var columns = 0
    /// Where the last character ends, and the spaces since.
    var end = 0
    var spaces = 0
    var lastSpace = Int.min
    for item in inOrder {
      guard let character = item.character else { continue }
      if character == " " || character == "\u{3000}" {
        spaces += 1
        lastSpace = item.x
        if spaces == 1, item.x <= end + column / 2, !text.isEmpty { end = item.x + item.width }
        continue
      }
      // A character printed over a space takes its place.
      if item.x <= lastSpace { spaces -= 1 }
      if text.isEmpty || item.x > end + column / 2 {
        let target = (indent + item.x + column / 2) / column
        let gap = max(target - columns, text.isEmpty ? 0 : min(spaces, 1))
        for _ in 0..<max(0, gap) { text.append(" ") }
        columns += max(0, gap)
      } else if spaces > 0 {
        text.append(" ")
        columns += 1
      }
      // A wide line of a frame is drawn across its columns; other wide characters stand at the first of theirs.
      let times = character.isHorizontalLine ? max(1, (item.width + column / 2) / column) : 1
      for _ in 0..<times { text.append(character) }
      columns += character.isWide ? 2 : times
      end = item.x + item.width
      spaces = 0
      lastSpace = Int.min
    }
    return String(text)
  }
}

extension Unicode.Scalar {
  /// Whether it is a horizontal line, which looks the same when it is repeated.
  fileprivate var isHorizontalLine: Bool {
    switch value {
    case 0x2500, 0x2501, 0x2504, 0x2505, 0x2508, 0x2509, 0x2550: true
    default: false
    }
  }

  /// Whether a terminal shows it in two columns, as double-byte characters are.
  var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
