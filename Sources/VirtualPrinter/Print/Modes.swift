import ESCPOS

/// What the commands have set and `ESC @` sets back.
struct Modes {
  var isFontB = false
  var bold = false
  var doubleStrike = false
  /// Thickness in dots: 0, 1 or 2.
  var underline = 0
  var reverse = false
  var upsideDown = false
  var rotated = false
  /// Times the cell, for single-byte and double-byte text: `ESC !` sets the one, `FS !` the other, `GS !` both.
  var size = Size()
  var kanjiSize = Size()
  var kanjiUnderline = 0
  /// Dots on the right of a character at size 1, and on both sides of a double-byte one.
  var spacing = 0
  var kanjiSpacing = (left: 0, right: 0)
  var alignment = Receipt.Alignment.left
  /// Dots from line to line.
  var lineSpacing = Modes.defaultLineSpacing
  var leftMargin = 0
  /// The width of the printing area, or nil for all that the margin leaves.
  var areaWidth: Int?
  /// Dots of a motion unit; nil for the model's own.
  var horizontalUnit: Double?
  var verticalUnit: Double?
  var characterSet: UInt8 = 0
  var kanji = false
  var codeSystem: UInt8 = 0
  /// Tab stops in columns.
  var tabs = Modes.defaultTabs
  var userCharacters = false
  var barcode = BarcodeSettings()

  static let defaultLineSpacing = 30
  static let defaultTabs = (1...32).map { $0 * 8 }

  struct Size: Equatable {
    var width = 1
    var height = 1
  }

  struct BarcodeSettings: Equatable {
    /// Dots.
    var height = 162
    /// Dots of a module.
    var module = 3
    var caption: UInt8 = 0
    var captionInFontB = false
  }
}

extension Modes {
  /// `ESC R n`: what stands at the twelve places 23 24 40 5B 5C 5D 5E 60 7B 7C 7D 7E.
  /// Source: Epson command reference, "International character sets".
  static let characterSets: [UInt8: [Unicode.Scalar]] = [
    1: set("#$à°ç§^`éùè¨"), 2: set("#$§ÄÖÜ^`äöüß"), 3: set("£$@[\\]^`{|}~"), 4: set("#$@ÆØÅ^`æøå~"),
    5: set("#¤ÉÄÖÅÜéäöåü"), 6: set("#$@°\\é^ùàòèì"), 7: set("₧$@¡Ñ¿^`¨ñ}~"), 8: set("#$@[¥]^`{|}~"),
    9: set("#¤ÉÆØÅÜéæøåü"), 10: set("#$ÉÆØÅÜéæøåü"), 11: set("#$á¡Ñ¿é`íñóú"), 12: set("#$á¡Ñ¿éüíñóú"),
    13: set("#$@[₩]^`{|}~"), 14: set("#$ŽŠĐĆČžšđćč"), 15: set("#¥@[\\]^`{|}~"),
  ]

  private static let places: [UInt8] = [
    0x23, 0x24, 0x40, 0x5B, 0x5C, 0x5D, 0x5E, 0x60, 0x7B, 0x7C, 0x7D, 0x7E,
  ]

  private static func set(_ characters: String) -> [Unicode.Scalar] { Array(characters.unicodeScalars) }

  /// The character of an ASCII byte in the international set chosen.
  func ascii(_ byte: UInt8) -> Unicode.Scalar {
    guard byte != 0x7F else { return "⌂" }
    guard characterSet != 0, let place = Self.places.firstIndex(of: byte) else { return Unicode.Scalar(byte) }
    return Self.characterSets[characterSet]?[place] ?? Unicode.Scalar(byte)
  }
}
