import Documents
import ESCPOS
import FoundationEssentials
import PrintTestKit
import Testing

@Suite("Receipts as documents")
struct DocumentTests {
  private func read(_ json: String) throws(DocumentFault) -> Receipt {
    try DocumentReader.read(Receipt.self, from: Array(json.utf8))
  }

  @Test("what is written is read again, whatever the receipt", arguments: 0..<200)
  func roundTrip(seed: Int) throws {
    var random = Seeded(state: UInt64(seed))
    let receipt = Receipt.random(using: &random)
    let bytes = try JSONEncoder().encode(receipt)
    #expect(try DocumentReader.read(Receipt.self, from: Array(bytes)) == receipt)
  }

  @Test("defaults are left out when written")
  func defaults() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let receipt = Receipt(blocks: [
      .text(Receipt.Text("a")), .columns(Receipt.Columns([Receipt.Columns.Cell("b")])), .rule(Receipt.Rule()),
      .barcode(Receipt.Barcode(.code128, "c")), .qr(Receipt.QRCode("d")), .image(Receipt.Image(.named("e"))),
      .feed(Receipt.Feed()), .cut(Receipt.Cut()), .drawer(Receipt.Drawer()), .beep(Receipt.Beep()),
    ])
    let json = String(decoding: try encoder.encode(receipt), as: UTF8.self)
    #expect(
      json == """
        {"blocks":[{"text":"a","type":"text"},{"cells":[{"text":"b"}],"type":"columns"},{"type":"rule"},\
        {"data":"c","symbology":"code128","type":"barcode"},{"data":"d","type":"qr"},\
        {"name":"e","type":"image"},{"type":"feed"},{"type":"cut"},{"type":"drawer"},{"type":"beep"}]}
        """)
    #expect(try read(json) == receipt)
  }

  @Test("the shortest documents mean the defaults")
  func shortest() throws {
    let receipt = try read(#"{"blocks": [{"type": "text", "text": "Hello", "width": 2}, {"type": "cut"}]}"#)
    #expect(
      receipt.blocks == [
        .text(Receipt.Text("Hello", style: Receipt.Style(width: 2))), .cut(Receipt.Cut(.full)),
      ])
  }

  @Test("limits hold: blocks and bytes of text")
  func limits() {
    let block = #"{"type": "feed"}"#
    func blocks(_ count: Int) -> String {
      #"{"blocks": ["# + Array(repeating: block, count: count).joined(separator: ",") + "]}"
    }
    #expect(throws: Never.self) { try read(blocks(5_000)) }
    #expect(throws: DocumentFault(path: "blocks", message: "is too long: at most 5000 are allowed")) {
      try read(blocks(5_001))
    }
    // 30,000 characters of three bytes: the limit is one of bytes.
    let long = String(repeating: "收", count: 30_000)
    #expect(
      throws: DocumentFault(
        path: "blocks[0].text", message: "is too long: 90000 bytes, at most 65536 are allowed")
    ) {
      try read(#"{"blocks": [{"type": "text", "text": ""# + long + #""}]}"#)
    }
  }

  @Test("base64 is read as it is written, for every length", arguments: 0..<64)
  func base64(length: Int) throws {
    var random = Seeded(state: UInt64(length))
    let bytes = (0...length).map { _ in UInt8.random(in: 0...255, using: &random) }
    let receipt = Receipt(blocks: [.image(Receipt.Image(.data(bytes)))])
    let json = String(decoding: try JSONEncoder().encode(receipt), as: UTF8.self)
    #expect(json.contains(Data(bytes).base64EncodedString().replacing("/", with: "\\/")))
    #expect(try read(json) == receipt)
  }

  @Test("base64 with bits beyond its last byte is refused")
  func looseBase64() {
    #expect(throws: DocumentFault.self) { try read(#"{"blocks": [{"type": "image", "data": "AB=="}]}"#) }
  }
}

extension Receipt {
  /// A receipt of blocks of all kinds.
  static func random(using random: inout Seeded) -> Receipt {
    Receipt(blocks: (0..<Int.random(in: 0...30, using: &random)).map { _ in Block.random(using: &random) })
  }
}

extension Receipt.Block {
  private static func random(_ count: ClosedRange<Int>, using random: inout Seeded) -> String {
    let letters = ["a", "Ж", "收", "\n", "\"", "\\", "\u{1B}", "🍜", " ", "é", "\u{202E}", "/"]
    return (0..<Int.random(in: count, using: &random)).map { _ in letters.randomElement(using: &random) ?? ""
    }.joined()
  }

  static func random(using random: inout Seeded) -> Receipt.Block {
    func pick<Word: CaseIterable>(_ type: Word.Type, _ fallback: Word) -> Word {
      Array(type.allCases).randomElement(using: &random) ?? fallback
    }
    func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let style = Receipt.Style(
      bold: Bool.random(using: &random), underline: Bool.random(using: &random),
      invert: Bool.random(using: &random),
      width: int(1...8), height: int(1...8), font: pick(Receipt.Font.self, .a))
    let align = pick(Receipt.Alignment.self, .left)
    switch int(0...9) {
    case 0: return .text(.init(Self.random(0...40, using: &random), align: align, style: style))
    case 1:
      let cells = (0..<int(1...32)).map { _ in
        Receipt.Columns.Cell(
          Self.random(0...9, using: &random), align: pick(Receipt.Alignment.self, .left),
          width: Bool.random(using: &random) ? int(1...255) : nil)
      }
      return .columns(.init(cells, style: style))
    case 2: return .rule(.init(pick(Receipt.Rule.Style.self, .single)))
    case 3:
      return .barcode(
        .init(
          pick(Receipt.Barcode.Symbology.self, .ean13), Self.random(1...20, using: &random),
          height: int(1...255),
          moduleWidth: int(1...6), caption: pick(Receipt.Barcode.Caption.self, .none), align: align))
    case 4:
      return .qr(
        .init(
          Self.random(1...100, using: &random), moduleSize: int(1...16),
          correction: pick(Receipt.QRCode.Correction.self, .l), align: align))
    case 5:
      let source: Receipt.Image.Source =
        Bool.random(using: &random)
        ? .named("logo \(int(0...99)).png") : .data((0...int(0...50)).map { _ in UInt8(int(0...255)) })
      return .image(
        .init(
          source, width: Bool.random(using: &random) ? int(1...4_096) : nil,
          dither: pick(Receipt.Image.Dither.self, .threshold), align: align))
    case 6: return .feed(.init(lines: int(1...255)))
    case 7: return .cut(.init(pick(Receipt.Cut.Mode.self, .full)))
    case 8: return .drawer(.init(pin: Bool.random(using: &random) ? 2 : 5, milliseconds: int(2...510)))
    default: return .beep(.init(times: int(1...9)))
    }
  }
}
