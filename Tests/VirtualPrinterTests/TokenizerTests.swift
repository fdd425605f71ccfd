import ESCPOS
import Testing
import VirtualPrinter

@Suite struct TokenizerTests {
  static let commands: [(bytes: [UInt8], mnemonic: String)] = [
    ([0x0A], "LF"), ([0x1B, 0x40], "ESC @"), ([0x1B, 0x61, 1], "ESC a"), ([0x1D, 0x21, 0x77], "GS !"),
    ([0x1B, 0x24, 1, 0], "ESC $"), ([0x1B, 0x70, 0, 25, 25], "ESC p"), ([0x1B, 0x44, 8, 16, 0], "ESC D"),
    ([0x1B, 0x2A, 33, 2, 0, 1, 2, 3, 4, 5, 6], "ESC *"), ([0x1B, 0x2A, 0, 2, 0, 1, 2], "ESC *"),
    ([0x1B, 0x26, 3, 65, 66, 1, 1, 2, 3, 2, 1, 2, 3, 4, 5, 6], "ESC &"),
    ([0x1B, 0x3F, 0x0A, 0x00], "ESC ? LF NUL"),
    ([0x1B, 0x3F, 65], "ESC ?"), ([0x1B, 0x63, 0x35, 1], "ESC c 5"), ([0x1B, 0x42, 2, 4], "ESC B"),
    ([0x1B, 0x57, 0, 0, 0, 0, 0, 2, 0, 1], "ESC W"), ([0x1C, 0x26], "FS &"), ([0x1C, 0x53, 1, 1], "FS S"),
    ([0x1C, 0x70, 1, 0], "FS p"), ([0x1C, 0x71, 1, 1, 0, 1, 0] + [UInt8](repeating: 0xFF, count: 8), "FS q"),
    ([0x1C, 0x32, 0xFE, 0xA1] + [UInt8](repeating: 0x1B, count: 72), "FS 2"),
    ([0x1D, 0x6B, 2, 0x34, 0x30, 0x30, 0x36, 0x33, 0x38, 0x31, 0x33, 0x33, 0x33, 0x39, 0x33, 0], "GS k"),
    ([0x1D, 0x6B, 73, 4, 0x7B, 0x42, 0x1B, 0x00], "GS k"), ([0x1D, 0x56, 66, 0], "GS V"),
    ([0x1D, 0x56, 1], "GS V"),
    ([0x1D, 0x76, 0x30, 0, 1, 0, 2, 0, 0x1B, 0x40], "GS v 0"),
    ([0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x43, 6], "GS ( k"),
    ([0x1D, 0x38, 0x4C, 2, 0, 0, 0, 0x30, 50], "GS 8 L"),
    ([0x1D, 0x2A, 1, 1] + [UInt8](repeating: 1, count: 8), "GS *"),
    ([0x1D, 0x28, 0x48, 6, 0, 0x30, 0x30, 0x41, 0x42, 0x43, 0x44], "GS ( H"), ([0x10, 0x04, 1], "DLE EOT"),
    ([0x10, 0x14, 8, 1, 3, 20, 1, 6, 2, 8], "DLE DC4 8"), ([0x10, 0x14, 1, 0, 2], "DLE DC4 1"),
    ([0x1D, 0x43, 0x3B] + Array("1;9;1;1;1;".utf8), "GS C ;"), ([0x1D, 0x7A, 0x30, 1, 1], "GS z 0"),
  ]

  @Test("each command is one token of its whole length", arguments: commands.indices)
  func whole(index: Int) {
    let (bytes, mnemonic) = Self.commands[index]
    var tokenizer = CommandTokenizer()
    let tokens = tokenizer.tokens(of: bytes + [0x0A])
    #expect(tokens.map(\.mnemonic) == [mnemonic, "LF"])
    #expect(tokens.first?.length == bytes.count)
    #expect(tokens.first?.fault == nil)
    #expect(tokenizer.finish().isEmpty)
  }

  @Test(
    "a command that is cut off anywhere is reported as truncated, at its offset", arguments: commands.indices)
  func truncated(index: Int) {
    let bytes = Self.commands[index].bytes
    // FS alone, ESC ? n and GS k of the first form are complete commands when they are cut right.
    for count in 1..<bytes.count where !(bytes[0] == 0x1C && count == 1) && !(bytes[1] == 0x3F && count == 3)
    {
      var tokenizer = CommandTokenizer()
      let tokens = tokenizer.tokens(of: Array("ab".utf8) + bytes[..<count]) + tokenizer.finish()
      #expect(tokens.count == 2, "cut after \(count) bytes")
      #expect(tokens.last?.offset == 2)
      guard case .truncated(let missing) = tokens.last?.fault else {
        Issue.record("\(String(describing: tokens.last))")
        continue
      }
      #expect(missing >= 1)
    }
  }

  @Test("an unknown command is reported and the reading goes on behind it")
  func unknown() {
    var tokenizer = CommandTokenizer()
    let tokens = tokenizer.tokens(of: [
      0x41, 0x1B, 0x01, 0x42, 0x1B, 0x1D, 0x21, 0x00, 0x1D, 0x6B, 0x50, 0x43, 0x0A,
    ])
    #expect(tokens.map(\.offset) == [0, 1, 3, 4, 5, 8, 11, 12])
    #expect(tokens.map { $0.fault == .unknown } == [false, true, false, true, false, true, false, false])
    #expect(tokens[4].mnemonic == "GS !")
  }

  @Test("parameters outside their range are reported")
  func badParameters() {
    for bytes: [UInt8] in [
      [0x1B, 0x61, 7], [0x1D, 0x21, 0x88], [0x1D, 0x56, 9], [0x1D, 0x68, 0],
      [0x1D, 0x28, 0x6B, 2, 0, 0x31, 0x20],
      [0x1D, 0x28, 0x21, 0, 0], [0x1D, 0x6B, 67, 2, 0x34, 0x41], [0x1D, 0x76, 0x30, 9, 0, 0, 0, 0],
    ] {
      var tokenizer = CommandTokenizer()
      let tokens = tokenizer.tokens(of: bytes + [0x0A])
      guard case .ignored = tokens.first?.fault else {
        Issue.record("\(tokens)")
        continue
      }
      #expect(tokens.count == 2)
    }
  }

  @Test("a payload longer than any printer stores is read to its end, and not kept")
  func oversized() {
    var tokenizer = CommandTokenizer()
    let height = 0xFFFF
    var count = tokenizer.tokens(of: [0x1D, 0x76, 0x30, 0, 0xFF, 0, 0xFF, 0xFF]).count
    let piece = [UInt8](repeating: 0x1B, count: 255 * 257)
    for _ in 0..<height / 257 { count += tokenizer.tokens(of: piece).count }
    #expect(count == 1)
    #expect(!tokenizer.isInsideToken)
    #expect(tokenizer.offset == 8 + 255 * height)
    #expect(tokenizer.tokens(of: [0x0A]).map(\.mnemonic) == ["LF"])
  }

  @Test("real-time commands inside a payload are found, at their place")
  func realTimeInside() {
    var tokenizer = CommandTokenizer()
    let payload: [UInt8] = [0x10, 0x04, 0x01, 0x10, 0x10, 0x14, 0x01, 0x00, 0x02, 0xFF]
    let tokens = tokenizer.tokens(of: [0x1D, 0x76, 0x30, 0, 1, 0, 10, 0] + payload)
    #expect(tokens.first?.realTimeInside.map(\.offset) == [8, 12])
    #expect(tokens.first?.realTimeInside.map(\.command) == [.status(1), .pulse(pin: 2, milliseconds: 200)])
  }

  @Test("the listing has a line for each command with offset, bytes, mnemonic and meaning")
  func listingLines() {
    let lines = listing(
      of: [0x1B, 0x40] + Array("Hi".utf8) + [0x0A, 0x1D, 0x56, 66, 3, 0x1B, 0x01, 0x1B, 0x70, 0])
    #expect(lines.count == 6)
    #expect(lines[0].hasPrefix("000000   1B 40"))
    #expect(lines[1].hasSuffix("\"Hi\""))
    #expect(lines[3].hasSuffix("feed to the blade + 3, partial cut"))
    #expect(lines[4].contains("!") && lines[4].hasSuffix("unknown command"))
    #expect(lines[5].contains("cut off"))
  }
}
