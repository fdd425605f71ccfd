/// The work of setting one text that is not plain ASCII.
struct TextSetting {
  let typesetter: Typesetter
  var cells: [LayoutCell]
  var losses: Losses
  private(set) var traits: TextTraits = []
  private var ideographic = false
  /// The last cluster's scalar and the one before, for the rules of line breaking; 0 at a line's start.
  private var last: UInt32 = 0
  private var before: UInt32 = 0
  private var breakAllowed = false

  init(typesetter: Typesetter, cells: [LayoutCell], losses: Losses) {
    self.typesetter = typesetter
    self.cells = cells
    self.losses = losses
  }

  mutating func append(_ text: String) {
    var simple = true
    for scalar in text.unicodeScalars {
      if !ScalarClass.standsAlone(scalar.value) { simple = false }
      if scalar.value >= 0x1100, CellWidth(scalar.value) == .two { ideographic = true }
    }
    if simple {
      for scalar in text.unicodeScalars { append(scalar.value) }
    } else {
      for character in text { append(cluster: character) }
    }
  }

  private mutating func append(_ scalar: UInt32) {
    switch scalar {
    case 0x0A where last == 0x0D:
      last = 0x0A
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029:
      cells.append(LayoutCell(0x0A, width: 0, flags: LayoutCell.newline))
      (before, last, breakAllowed) = (0, scalar == 0x0D ? 0x0D : 0x0A, false)
    case 0x09, 0x20, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F: space()
    case 0x3000:
      space()
      space()
    case 0xA0, 0x2007, 0x202F: place(LayoutCell(0x20, width: 1), scalar: 0xA0)
    case 0x200B: breakAllowed = true
    case _ where ScalarClass.isControl(scalar): losses.remove(scalar)
    case _ where ScalarClass.isIgnorable(scalar): break
    default: place(scalar)
    }
  }

  private mutating func append(cluster character: Character) {
    var scalars: [UInt32] = []
    for scalar in character.unicodeScalars.map(\.value) {
      if let letter = scalars.last, let composed = Composition.composed(letter, scalar) {
        scalars[scalars.count - 1] = composed
      } else {
        scalars.append(scalar)
      }
    }
    guard let first = scalars.first else { return }
    if scalars.count == 1 || character == "\r\n" { return append(first) }
    let visible = scalars.filter { !ScalarClass.isIgnorable($0) }
    if visible.count == 1 {
      if let cell = typesetter.native(visible[0], ideographic: ideographic) {
        return place(cell, scalar: visible[0])
      }
    }
    let width = ScalarClass.clusterWidth(scalars)
    guard typesetter.draws else {
      losses.replace(first)
      // The letter without its marks says more than a question mark.
      if let cell = typesetter.native(first, ideographic: ideographic) { return place(cell, scalar: first) }
      for _ in 0..<width { place(LayoutCell(Typesetter.mark, width: 1), scalar: first) }
      return
    }
    place(LayoutCell(first, width: width, flags: LayoutCell.foreign), scalar: first)
    for scalar in scalars.dropFirst() {
      cells.append(LayoutCell(scalar, width: 0, flags: LayoutCell.foreign | LayoutCell.joined))
    }
  }

  private mutating func space() {
    cells.append(.blank)
    before = last
    last = 0x20
  }

  private mutating func place(_ scalar: UInt32) {
    if let cell = typesetter.native(scalar, ideographic: ideographic) { return place(cell, scalar: scalar) }
    if let other = Typesetter.lookAlike(scalar),
      let cell = typesetter.native(other, ideographic: ideographic)
    {
      return place(cell, scalar: other)
    }
    let width = CellWidth(scalar) == .two ? 2 : 1
    if typesetter.draws {
      place(LayoutCell(scalar, width: width, flags: LayoutCell.foreign), scalar: scalar)
    } else {
      losses.replace(scalar)
      for _ in 0..<width { place(LayoutCell(Typesetter.mark, width: 1), scalar: scalar) }
    }
  }

  private mutating func place(_ cell: LayoutCell, scalar: UInt32) {
    var cell = cell
    if last != 0, breakAllowed || ScalarClass.mayBreak(before: scalar, after: last, and: before) {
      cell.set(LayoutCell.breakBefore)
    }
    breakAllowed = false
    if cell.has(LayoutCell.kanji) { traits.insert(.kanji) }
    if cell.has(LayoutCell.foreign) { traits.insert(.foreign) }
    if cell.width == 2 { traits.insert(.wide) }
    cells.append(cell)
    before = last
    last = scalar
  }
}
