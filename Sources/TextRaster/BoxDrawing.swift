import ESCPOS

/// The lines of U+2500…U+257F and the blocks of U+2580…U+259F, drawn from edge to edge so that neighbours join; nil for
/// all other characters.
///
/// What a line character consists of is read from its name: `BOX DRAWINGS DOWN LIGHT AND RIGHT HEAVY`.
/// Source: the code charts "Box Drawing" and "Block Elements" of The Unicode Standard.
func boxDrawing(_ character: Unicode.Scalar, cell: CellSize) -> DotImage? {
  switch character.value {
  case 0x2500...0x257F: BoxPen(cell).lines(named: character.properties.name ?? "")
  case 0x2580...0x259F: BlockPen(cell).block(character.value)
  default: nil
  }
}

/// Draws lines into one cell.
private struct BoxPen {
  private enum Weight {
    case none, light, heavy, double
  }

  private struct Arms {
    var left = Weight.none
    var right = Weight.none
    var up = Weight.none
    var down = Weight.none
  }

  private var dots: DotImage
  /// Dots of a light line; a heavy or double one takes three times as many.
  private let thin: Int

  init(_ cell: CellSize) {
    dots = DotImage(width: cell.width, height: cell.height)
    thin = max(1, min(cell.width, cell.height) / 10)
  }

  func lines(named name: String) -> DotImage {
    let words = name.split(separator: " ").map(String.init)
    var pen = self
    if words.contains("DIAGONAL") {
      pen.diagonals(
        falling: words.contains("CROSS") || name.contains("UPPER LEFT"),
        rising: words.contains("CROSS") || name.contains("UPPER RIGHT"))
    } else if words.contains("ARC") {
      pen.arc(right: words.contains("RIGHT"), down: words.contains("DOWN"))
    } else {
      pen.draw(Self.arms(words))
      if let dash = words.firstIndex(of: "DASH"), dash > 0 {
        let counts = ["DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4]
        pen.cut(into: counts[words[dash - 1]] ?? 2, across: words.contains("HORIZONTAL"))
      }
    }
    return pen.dots
  }

  /// The arms that a name describes: groups joined by AND, each with directions and, unless it is the same as
  /// before, a weight.
  private static func arms(_ words: [String]) -> Arms {
    var arms = Arms()
    var weight = Weight.light
    for group in words.split(separator: "AND") {
      let isDash = group.contains("DASH")
      if group.contains("LIGHT") || group.contains("SINGLE") { weight = .light }
      if group.contains("HEAVY") { weight = .heavy }
      if group.contains("DOUBLE"), !isDash { weight = .double }
      for word in group {
        if word == "LEFT" || word == "HORIZONTAL" { arms.left = weight }
        if word == "RIGHT" || word == "HORIZONTAL" { arms.right = weight }
        if word == "UP" || word == "VERTICAL" { arms.up = weight }
        if word == "DOWN" || word == "VERTICAL" { arms.down = weight }
      }
    }
    return arms
  }

  /// The dots that a line in the middle of `length` covers, the gap of a double one included.
  private func band(_ weight: Weight, _ length: Int) -> Range<Int> {
    let start = (length - thin) / 2
    return switch weight {
    case .none: start..<start
    case .light: start..<start + thin
    case .heavy, .double: start - thin..<start + 2 * thin
    }
  }

  private func wider(_ first: Weight, _ second: Weight) -> Weight {
    if first == .none || first == .light && second != .none { return second }
    return first
  }

  /// Fills all arms as far as the far side of what crosses them, then opens the gaps of the double ones.
  private mutating func draw(_ arms: Arms) {
    let (width, height) = (dots.width, dots.height)
    var columns = band(wider(arms.up, arms.down), width)
    var rows = band(wider(arms.left, arms.right), height)
    if columns.isEmpty { columns = band(.light, width) }
    if rows.isEmpty { rows = band(.light, height) }
    fill(0..<columns.upperBound, band(arms.left, height))
    fill(columns.lowerBound..<width, band(arms.right, height))
    fill(band(arms.up, width), 0..<rows.upperBound)
    fill(band(arms.down, width), rows.lowerBound..<height)

    let middleRow = band(.light, height)
    let middleColumn = band(.light, width)
    let across = gap(arms.left, arms.right, crossing: (arms.up, arms.down), middle: middleColumn)
    if arms.left == .double { fill(0..<across.end, middleRow, false) }
    if arms.right == .double { fill(across.start..<width, middleRow, false) }
    let along = gap(arms.up, arms.down, crossing: (arms.left, arms.right), middle: middleRow)
    if arms.up == .double { fill(middleColumn, 0..<along.end, false) }
    if arms.down == .double { fill(middleColumn, along.start..<height, false) }
  }

  /// How far the gap of a double arm reaches: through the middle, unless a single line crosses there.
  private func gap(
    _ first: Weight, _ second: Weight, crossing: (Weight, Weight), middle: Range<Int>
  ) -> (end: Int, start: Int) {
    let doubleCrosses = crossing.0 == .double || crossing.1 == .double
    let singleEndsHere = first == second && (crossing.0 == .none || crossing.1 == .none)
    return doubleCrosses || singleEndsHere
      ? (middle.upperBound, middle.lowerBound) : (middle.lowerBound, middle.upperBound)
  }

  private mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ black: Bool = true) {
    for y in rows { for x in columns { dots[x, y] = black } }
  }

  private mutating func cut(into count: Int, across: Bool) {
    let length = across ? dots.width : dots.height
    for index in 1...count {
      let end = index * length / count
      let gap = end - max(1, length / count / 3)..<end
      if across { fill(gap, 0..<dots.height, false) } else { fill(0..<dots.width, gap, false) }
    }
  }

  /// A rounded corner: the two arms, and between them a curve that is tangent to both.
  private mutating func arc(right: Bool, down: Bool) {
    let (width, height) = (dots.width, dots.height)
    let (column, row) = (band(.light, width), band(.light, height))
    let radius = min(width, height) / 2 - thin
    let steps = max(1, radius * 8)
    for step in 0...steps {
      let t = Double(step) / Double(steps)
      let beside = Int((Double(radius) * t * t).rounded())
      let below = Int((Double(radius) * (1 - t) * (1 - t)).rounded())
      let x = right ? column.lowerBound + beside : column.lowerBound - beside
      let y = down ? row.lowerBound + below : row.lowerBound - below
      fill(x..<x + thin, y..<y + thin)
    }
    fill(right ? column.lowerBound + radius..<width : 0..<column.upperBound - radius, row)
    fill(column, down ? row.lowerBound + radius..<height : 0..<row.upperBound - radius)
  }

  private mutating func diagonals(falling: Bool, rising: Bool) {
    for y in 0..<dots.height {
      let x = y * dots.width / dots.height
      if falling { fill(x..<x + thin + 1, y..<y + 1) }
      if rising { fill(dots.width - x - thin - 1..<dots.width - x, y..<y + 1) }
    }
  }
}

/// Draws block elements into one cell.
private struct BlockPen {
  private var dots: DotImage

  init(_ cell: CellSize) {
    dots = DotImage(width: cell.width, height: cell.height)
  }

  func block(_ character: UInt32) -> DotImage {
    var pen = self
    let (width, height) = (dots.width, dots.height)
    let (middle, centre) = (width / 2, height / 2)
    switch character {
    case 0x2580: pen.fill(0..<width, 0..<centre)
    case 0x2581...0x2588: pen.fill(0..<width, height - Int(character - 0x2580) * height / 8..<height)
    case 0x2589...0x258F: pen.fill(0..<Int(0x2590 - character) * width / 8, 0..<height)
    case 0x2590: pen.fill(middle..<width, 0..<height)
    case 0x2591: pen.shade { $0 % 2 == 0 && $1 % 2 == 0 }
    case 0x2592: pen.shade { ($0 + $1) % 2 == 0 }
    case 0x2593: pen.shade { $0 % 2 == 0 || $1 % 2 == 0 }
    case 0x2594: pen.fill(0..<width, 0..<max(1, height / 8))
    case 0x2595: pen.fill(width - max(1, width / 8)..<width, 0..<height)
    default:
      // Of U+2596…U+259F; bits from the highest: upper left, upper right, lower left, lower right.
      let quadrants: [UInt8] = [
        0b0010, 0b0001, 0b1000, 0b1011, 0b1001, 0b1110, 0b1101, 0b0100, 0b0110, 0b0111,
      ]
      let set = quadrants[Int(character - 0x2596)]
      if set & 8 != 0 { pen.fill(0..<middle, 0..<centre) }
      if set & 4 != 0 { pen.fill(middle..<width, 0..<centre) }
      if set & 2 != 0 { pen.fill(0..<middle, centre..<height) }
      if set & 1 != 0 { pen.fill(middle..<width, centre..<height) }
    }
    return pen.dots
  }

  private mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>) {
    for y in rows { for x in columns { dots[x, y] = true } }
  }

  private mutating func shade(_ isBlack: (Int, Int) -> Bool) {
    for y in 0..<dots.height { for x in 0..<dots.width { dots[x, y] = isBlack(x, y) } }
  }
}
