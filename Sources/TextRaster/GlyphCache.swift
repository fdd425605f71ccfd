import ESCPOS

/// Glyphs that were drawn before, at most `capacity` of them.
///
/// Two generations stand in for a list by age: what is asked for moves to the young one, and when that is full the
/// old one is forgotten.
struct GlyphCache {
  /// What a glyph is drawn from.
  struct Key: Hashable {
    var character: Unicode.Scalar
    var cell: CellSize
    var bold: Bool
  }

  private let capacity: Int
  private var young: [Key: DotImage] = [:]
  private var old: [Key: DotImage] = [:]

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// How many glyphs are kept.
  var count: Int { young.count + old.count }

  /// The glyph of `key`, or nil when it is not kept.
  mutating func glyph(_ key: Key) -> DotImage? {
    if let glyph = young[key] { return glyph }
    guard let glyph = old.removeValue(forKey: key) else { return nil }
    keep(glyph, for: key)
    return glyph
  }

  /// Keeps a glyph, and forgets those not asked for in a long time.
  mutating func keep(_ glyph: DotImage, for key: Key) {
    if young.count >= capacity / 2 {
      old = young
      young = [:]
    }
    young[key] = glyph
  }
}
