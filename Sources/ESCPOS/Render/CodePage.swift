/// A single-byte code page: which byte of `ESC t n` text stands for a character.
///
/// A few pages are left out on purpose: CP851 and CP853 differ from printer to printer, and the
/// right-to-left,
/// Thai and Vietnamese pages hold letters that need shaping, which only a ``DotSource`` does.
struct CodePage: Sendable {
  /// The iconv name: `CP858`.
  let name: String
  /// The characters of 80 through FF, without the gaps.
  let characters: String.UnicodeScalarView
  private let bytes: [UInt8]

  /// The scalars that any page holds lie below this one, but for half-width katakana.
  static let limit: UInt32 = 0x2600
  private static let katakana: ClosedRange<UInt32> = 0xFF61...0xFF9F

  /// The byte for a scalar of U+0080 or more; 0 when the page has none.
  func byte(for scalar: UInt32) -> UInt8 {
    if scalar < Self.limit { return bytes[Int(scalar)] }
    guard name == "KATAKANA", Self.katakana.contains(scalar) else { return 0 }
    return UInt8(scalar - Self.katakana.lowerBound + 0xA1)
  }

  /// The names of the known pages.
  static let names = upperHalves.map(\.name)

  /// The page with an iconv name, or nil when it is unknown.
  static func named(_ name: String) -> CodePage? {
    all.first { $0.name == name }
  }

  private static let all: [CodePage] = upperHalves.map { name, characters in
    var bytes = [UInt8](repeating: 0, count: Int(limit))
    var byte: UInt8 = 0x7F
    for scalar in characters.unicodeScalars {
      byte += 1
      if scalar.value < limit, bytes[Int(scalar.value)] == 0 { bytes[Int(scalar.value)] = byte }
    }
    let scalars = characters.unicodeScalars.filter { $0.value != 0xFFFD }
    return CodePage(name: name, characters: String.UnicodeScalarView(scalars), bytes: bytes)
  }
}
