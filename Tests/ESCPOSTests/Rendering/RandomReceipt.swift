import ESCPOS

/// Receipts that no person would write, the same for the same seed.
struct RandomReceipt {
  private var random: SeededGenerator

  private static let alphabets = [
    Array("abcdefghij KLMNOP 0123456789 .,:;-/()%#{}$~"), Array("äöüßéèêçñ ÄÖÜ øåÆ € £ ¥ · ½"),
    Array("ąęłżśćńČřžďő € "), Array("Ελληνικά Ωμέγα ϊΰ"), Array("Привет Ёлка №"), Array("宫保鸡丁结账单，。（）￥：×→…“”"),
    Array("ありがとうカナｱｲｳー「」"), Array("영수증 합계"), Array("مرحبا بالعالم"), Array("สวัสดีครับน้ำ"), Array("नमस्ते क्षत्रिय"),
    Array("😀👨‍👩‍👧🇩🇪👍🏽❤️"), Array("e\u{301}a\u{308}q\u{323}\u{307}"),
    Array("\u{1B}\u{1D}\u{1C}\u{10}\u{4}\u{7F}\u{9B}\u{0}\u{202E}\u{2066}\t\n"),
    Array("𠮷㐂龻㍿"), Array("—–‘’“”•−"),
  ]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func receipt() -> Receipt {
    Receipt(blocks: (0..<number(1...6)).map { _ in block() })
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func text(upTo limit: Int) -> String {
    var text = ""
    for _ in 0..<number(0...3) {
      let alphabet = Self.alphabets[number(0...Self.alphabets.count - 1)]
      for _ in 0..<number(0...limit) { text.append(alphabet[number(0...alphabet.count - 1)]) }
      if number(0...2) > 0 { text += " " }
    }
    return text
  }

  private mutating func style() -> Receipt.Style {
    Receipt.Style(
      bold: number(0...3) == 0, underline: number(0...4) == 0, invert: number(0...5) == 0,
      width: number(0...2) == 0 ? number(1...8) : 1, height: number(0...3) == 0 ? number(1...8) : 1,
      font: number(0...3) == 0 ? .b : .a)
  }

  private mutating func align() -> Receipt.Alignment { Receipt.Alignment.allCases[number(0...2)] }

  private mutating func block() -> Receipt.Block {
    switch number(0...13) {
    case 0...4: return .text(.init(text(upTo: 60), align: align(), style: style()))
    case 5...8:
      let cells = (0..<number(1...(number(0...9) == 0 ? 40 : 5))).map { _ in
        Receipt.Columns.Cell(
          text(upTo: 20), align: align(),
          width: number(0...1) == 0 ? nil : number(1...(number(0...5) == 0 ? 200 : 16)))
      }
      return .columns(.init(cells, style: style()))
    case 9: return .rule(.init(Receipt.Rule.Style.allCases[number(0...2)]))
    case 10: return .feed(.init(lines: number(1...6)))
    case 11: return number(0...1) == 0 ? .cut(.init(.partial)) : .drawer(.init(pin: 5))
    case 12:
      let digits = (0..<number(1...30)).map { _ in "0123456789"[number(0...9)] }
      return .barcode(.init(.code128, "A" + String(digits), moduleWidth: number(1...6), align: align()))
    default: return .qr(.init("q" + text(upTo: 60), moduleSize: number(1...16), align: align()))
    }
  }
}

extension String {
  fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}

extension Receipt {
  /// The characters that must be on paper, in no order: all but spaces, controls and what has no look.
  var visibleScalars: [Unicode.Scalar] {
    var texts: [String] = []
    for block in blocks {
      switch block {
      case .text(let text): texts.append(text.text)
      case .columns(let columns): texts += columns.cells.map(\.text)
      default: break
      }
    }
    return texts.flatMap(\.visibleScalars).sorted()
  }
}

extension String {
  /// The scalars that show, in one spelling where a printer's character set has another.
  var visibleScalars: [Unicode.Scalar] {
    let alike: [Unicode.Scalar: Unicode.Scalar] = [
      "“": "\"", "”": "\"", "‘": "'", "’": "'", "—": "-", "–": "-", "−": "-", "•": "·", "－": "-",
    ]
    let composed = self.map { character -> String in
      for whole in "éäü" where character == whole { return String(whole) }
      return String(character)
    }.joined()
    return composed.unicodeScalars.filter {
      !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        && $0.properties.generalCategory != .control
    }.map { alike[$0] ?? $0 }
  }
}
