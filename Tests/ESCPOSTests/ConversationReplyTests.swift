import ESCPOS
import Testing

/// Numbers that are the same in every run.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite("Replies of a printer")
struct ConversationReplyTests {
  @Test("each kind of reply is known by its bits")
  func kinds() {
    var parser = ReplyParser()
    for question in 1...4 { parser.asked(question) }
    let bytes: [UInt8] =
      [0x16, 0x11, 0x10, 0x00, 0x0C, 0x00] + [0x37, 0x22, 0x41, 0x7E, 0x20, 0x35, 0x00] + [0x32, 0x13]
      + [0x37, 0x25, 0x00] + [0x5F] + Array("TM-m30".utf8) + [0x00] + [0x12, 0x0C, 0x72]
      + [0x37, 0x23, 0x30, 0x00] + [0x3B, 0x31, 0x00]
    #expect(
      parser.read(bytes) == [
        .realTime(question: 1, 0x16), .xon, .automatic([0x10, 0x00, 0x0C, 0x00]),
        .processID([0x41, 0x7E, 0x20, 0x35]), .realTime(question: 2, 0x32), .xoff, .buffersCleared,
        .block(0x5F, Array("TM-m30".utf8)), .realTime(question: 3, 0x12), .transmitted(0x0C),
        .realTime(question: 4, 0x72), .block(0x37, [0x23, 0x30]), .block(0x3B, [0x31]),
      ])
    #expect(parser.strayBytes == 0)
    #expect(parser.questions.isEmpty)
  }

  @Test("a real-time answer that nobody asked for is stray")
  func unasked() {
    var parser = ReplyParser()
    #expect(parser.read([0x12, 0x16]) == [])
    #expect(parser.strayBytes == 2)
    parser.asked(3)
    #expect(parser.read([0x12, 0x12]) == [.realTime(question: 3, 0x12)])
    #expect(parser.strayBytes == 3)
    parser.asked(1)
    parser.forgetQuestions()
    #expect(parser.read([0x12]) == [])
  }

  @Test("noise is counted and does not swallow what follows it")
  func noise() {
    var parser = ReplyParser()
    parser.asked(1)
    parser.asked(2)
    // A lone block byte, a lone status-back byte, bytes with the high bit.
    #expect(parser.read([0x5F, 0x16]) == [.realTime(question: 1, 0x16)])
    #expect(parser.read([0x10, 0x12]) == [.realTime(question: 2, 0x12)])
    #expect(parser.read([0x80, 0xFF, 0x93]) == [])
    #expect(parser.strayBytes == 5)
  }

  @Test("a block without end is given up after its limit")
  func endlessBlock() {
    var parser = ReplyParser()
    let endless = [0x5F] + [UInt8](repeating: 0xE5, count: 100_000)
    #expect(parser.read(endless) == [])
    #expect(parser.read([0x00]) == [.transmitted(0x00)])
    #expect(parser.strayBytes == endless.count)
  }

  @Test("an identifier with a byte outside 20–7E is no proof")
  func badIdentifier() {
    var parser = ReplyParser()
    let replies = parser.read([0x37, 0x22, 0x41, 0xC1, 0x42, 0x43, 0x00])
    #expect(!replies.contains { if case .processID = $0 { true } else { false } })
    #expect(parser.read([0x37, 0x22, 0x41, 0x42, 0x43, 0x00]) == [.block(0x37, [0x22, 0x41, 0x42, 0x43])])
  }

  @Test("any mixture of replies means the same wherever it is cut", arguments: 0..<200)
  func cuts(seed: Int) {
    var random = Seeded(state: UInt64(seed))
    var bytes: [UInt8] = []
    var questions: [Int] = []
    var expected: [ReplyParser.Reply] = []
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let (piece, reply) = Self.reply(using: &random)
      bytes += piece
      if case .realTime(let question, _) = reply { questions.append(question) }
      expected.append(reply)
    }
    var parser = ReplyParser()
    for question in questions { parser.asked(question) }
    var heard: [ReplyParser.Reply] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = min(rest.count, Int.random(in: 1...(seed % 3 == 0 ? 1 : 9), using: &random))
      heard += parser.read(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    #expect(heard == expected)
    #expect(parser.strayBytes == 0)
  }

  @Test(
    "bytes of any kind are taken without harm, and whole answers after silence still count",
    arguments: 0..<100)
  func fuzz(seed: Int) {
    var random = Seeded(state: UInt64(seed) &+ 1_000_000)
    let bytes = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var whole = ReplyParser()
    var single = ReplyParser()
    let atOnce = whole.read(bytes)
    let oneByOne = bytes.flatMap { single.read([$0]) }
    #expect(atOnce == oneByOne)
    #expect(whole.strayBytes == single.strayBytes)
    // Nothing that can be open stays open beyond the longest block.
    _ = whole.read([UInt8](repeating: 0xFF, count: ReplyParser.maximumBlock))
    #expect(
      whole.read([0x37, 0x22, 0x41, 0x42, 0x43, 0x44, 0x00]).last == .processID([0x41, 0x42, 0x43, 0x44]))
  }

  private static func reply(using random: inout Seeded) -> ([UInt8], ReplyParser.Reply) {
    func free(_ fixed: UInt8, _ mask: UInt8) -> UInt8 {
      UInt8.random(in: 0...255, using: &random) & ~mask | fixed
    }
    func printable(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let byte = free(0x12, 0x93)
      return ([byte], .realTime(question: Int.random(in: 1...4, using: &random), byte))
    case 1:
      let frame = [free(0x10, 0x93)] + (0..<3).map { _ in free(0, 0x90) }
      return (frame, .automatic(frame))
    case 2:
      let byte = free(0, 0x90)
      return ([byte], .transmitted(byte))
    case 3:
      let identifier = printable(4)
      return ([0x37, 0x22] + identifier + [0], .processID(identifier))
    case 4: return ([0x37, 0x25, 0x00], .buffersCleared)
    case 5: return ([0x11], .xon)
    case 6: return ([0x13], .xoff)
    default:
      let text = printable(Int.random(in: 0...60, using: &random))
      let first: UInt8 = [0x5F, 0x3D, 0x3B, 0x35, 0x53].randomElement(using: &random) ?? 0x5F
      return ([first] + text + [0], .block(first, text))
    }
  }
}
