import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// Bytes from nowhere: nothing crashes, hangs or grows, and how the stream was cut does not matter.
@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
  /// Random numbers that are the same in every run.
  struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// Noise with many lead bytes, commands of the tables and small numbers, so that commands come about.
  static func noise(_ count: Int, _ random: inout Random) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: bytes.append(UInt8.random(in: 0...255, using: &random))
      case 1...3:
        bytes.append([0x1B, 0x1C, 0x1D, 0x10].randomElement(using: &random) ?? 0)
        bytes.append(UInt8.random(in: 0x20...0x7F, using: &random))
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          bytes.append(UInt8.random(in: 0...3, using: &random))
        }
      case 4...6:
        bytes += TokenizerTests.commands.randomElement(using: &random)?.bytes ?? []
      case 7: bytes += [0x1D, 0x28, [0x6B, 0x4C, 0x48, 0x44].randomElement(using: &random) ?? 0]
      case 8: bytes += Array("Text 12.50 ".utf8)
      default: for _ in 0..<8 { bytes.append(UInt8.random(in: 0...255, using: &random)) }
      }
    }
    return bytes
  }

  private func pieces(_ bytes: [UInt8], _ random: inout Random) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...9, using: &random)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  @Test("tokens tile the input, and are the same however it is cut", arguments: 0..<60)
  func tiling(seed: Int) {
    var random = Random(state: UInt64(seed))
    let bytes = Self.noise(3000, &random)
    var whole = CommandTokenizer()
    let tokens = whole.tokens(of: bytes) + whole.finish()
    var offset = 0
    for token in tokens {
      #expect(token.offset == offset && token.length > 0)
      #expect(token.fault == .oversized || Array(token.bytes) == Array(bytes[offset..<offset + token.length]))
      offset += token.length
    }
    #expect(offset == bytes.count)
    var cut = CommandTokenizer()
    var others: [Token] = []
    for piece in pieces(bytes, &random) { others += cut.tokens(of: Array(piece)) }
    #expect(others + cut.finish() == tokens)
    #expect(listing(of: bytes).count >= tokens.count)
  }

  @Test("the paper and the answers are the same however the stream is cut", arguments: 0..<24)
  func cutAnywhere(seed: Int) throws {
    var random = Random(state: UInt64(1000 + seed))
    // Power off and overflow belong to other tests.
    let bytes = Self.noise(1500, &random)
    let change: (inout Behaviour) -> Void = { $0.bufferSize = 1 << 20 }
    let one = try Profiles.printer(nil, change)
    let other = try Profiles.printer(nil, change)
    one.feed(bytes)
    for piece in pieces(bytes, &random) { other.feed(piece) }
    one.finish()
    other.finish()
    #expect(one.paper.all == other.paper.all)
    #expect(one.commandCount == other.commandCount)
  }

  @Test(
    "pure noise on every kind of paper, with quirks, ends and stays small",
    arguments: [
      Paper.Keeping.dots, .text, .nothing,
    ])
  func noise(keeping: Paper.Keeping) throws {
    var random = Random(state: 7)
    var limits = Paper.Limits()
    limits.rows = 2000
    limits.sheets = 4
    limits.totalRows = 6000
    limits.entries = 100
    for _ in 0..<8 {
      let printer = try Profiles.printer(keeping: keeping, limits: limits) { body in
        body.quirks = Set(Behaviour.Quirk.allCases.filter { _ in Bool.random(using: &random) })
        body.overflow = .losesBytes
        body.paperLeft = Bool.random(using: &random) ? Int.random(in: 1...4000, using: &random) : nil
      }
      for _ in 0..<20 {
        printer.feed(Self.noise(2000, &random))
        printer.set { $0.paper = .present }
        #expect(printer.bufferedBytes <= printer.behaviour.bufferSize)
      }
      printer.finish()
      let paper = printer.paper
      #expect(paper.sheets.count <= 4)
      #expect(paper.all.allSatisfy { $0.height <= 2000 && $0.entries.count <= 102 })
      #expect(paper.sheets.reduce(0) { $0 + $1.height } <= 6000)
      #expect(printer.takeReplies().count <= 16_384)
    }
  }
}
