/// The characters that one printer has, and how it is told to print them.
struct Repertoire: Sendable {
  /// The code pages in the profile's order, which is the order of preference.
  let pages: [CodePage]
  /// The `n` of `ESC t n` for each page.
  let slots: [UInt8]
  private let pageSets: [UInt64]
  private let kanji: DoubleByte?

  /// The most code pages of a profile.
  static let maximumPages = 64

  /// Reads a profile; pages with unknown names, which its decoding refuses, are left out.
  init(_ profile: PrinterProfile) {
    var pages: [CodePage] = []
    var slots: [UInt8] = []
    for page in profile.codePages.prefix(Self.maximumPages) {
      guard let table = CodePage.named(page.encoding), let slot = UInt8(exactly: page.slot) else { continue }
      pages.append(table)
      slots.append(slot)
    }
    var sets = [UInt64](repeating: 0, count: Int(CodePage.limit))
    for (index, page) in pages.enumerated() {
      for scalar in page.characters where scalar.value < CodePage.limit {
        sets[Int(scalar.value)] |= 1 << UInt64(index)
      }
    }
    self.pages = pages
    self.slots = slots
    pageSets = sets
    kanji = profile.kanji.map(DoubleByte.init)
  }

  /// The pages that have a scalar: bit n stands for `pages[n]`.
  func pageSet(_ scalar: UInt32) -> UInt64 {
    if scalar < CodePage.limit { return pageSets[Int(scalar)] }
    guard (0xFF61...0xFF9F).contains(scalar), let index = pages.firstIndex(where: { $0.name == "KATAKANA" })
    else { return 0 }
    return 1 << UInt64(index)
  }

  /// The double-byte code of a scalar, 0 when the printer has none.
  func kanjiCode(_ scalar: UInt32) -> UInt32 { kanji?.code(for: scalar) ?? 0 }
}
