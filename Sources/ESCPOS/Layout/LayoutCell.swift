/// One scalar of laid-out text with all that wrapping and printing need to know, in four bytes.
///
/// A grapheme cluster is one leading cell, which carries the cluster's width, and the cells joined to it.
struct LayoutCell: Equatable, Sendable {
  private(set) var bits: UInt32

  /// Printed in double-byte mode.
  static let kanji: UInt32 = 1 << 23
  /// Only a ``DotSource`` can print it.
  static let foreign: UInt32 = 1 << 24
  /// Belongs to the cluster of the cell before.
  static let joined: UInt32 = 1 << 25
  /// A line may end before it.
  static let breakBefore: UInt32 = 1 << 26
  /// A space, which vanishes where a line is broken.
  static let space: UInt32 = 1 << 27
  /// The end of a line.
  static let newline: UInt32 = 1 << 28

  /// Creates a cell of `width` columns, 0 through 2.
  init(_ scalar: UInt32, width: Int, flags: UInt32 = 0) {
    bits = scalar | UInt32(truncatingIfNeeded: width) << 21 | flags
  }

  /// A blank that fills up a line.
  static let blank = LayoutCell(0x20, width: 1, flags: space)

  /// The character.
  var scalar: UInt32 { bits & 0x1F_FFFF }
  /// The columns of the cluster on its leading cell, 0 on the others.
  var width: Int { Int(bits >> 21 & 3) }
  /// Whether any of `flags` is set.
  func has(_ flags: UInt32) -> Bool { bits & flags != 0 }
  /// Sets `flags`.
  mutating func set(_ flags: UInt32) { bits |= flags }
}

/// What a text asks of the printer.
struct TextTraits: OptionSet {
  let rawValue: UInt8
  /// It has double-byte characters.
  static let kanji = TextTraits(rawValue: 1)
  /// It has characters that must be drawn.
  static let foreign = TextTraits(rawValue: 2)
  /// It has clusters of two columns.
  static let wide = TextTraits(rawValue: 4)
}
