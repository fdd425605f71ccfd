/// Letters with combining marks as the single characters that code pages have.
enum Composition {
  /// The single character for `letter` followed by `mark`, or nil when Unicode has none below U+0530.
  static func composed(_ letter: UInt32, _ mark: UInt32) -> UInt32? {
    table[UInt64(letter) << 32 | UInt64(mark)]
  }

  private static let table: [UInt64: UInt32] = {
    var table: [UInt64: UInt32] = [:]
    for (mark, letters) in pairs {
      var letter: UInt32?
      for scalar in letters.unicodeScalars {
        if let known = letter {
          table[UInt64(known) << 32 | UInt64(mark)] = scalar.value
          letter = nil
        } else {
          letter = scalar.value
        }
      }
    }
    return table
  }()
}
