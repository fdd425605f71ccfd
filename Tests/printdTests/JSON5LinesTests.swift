import Documents
import ESCPOS
import Testing

@testable import printd

@Suite("A value's line is found in any JSON5 text")
struct JSON5LinesTests {
  @Test(
    "In any document with any comments, white space and quotes every path has its line", arguments: 0..<400)
  func anyDocument(seed: Int) throws {
    var writer = JSON5Writer(seed: UInt64(seed))
    writer.document()
    let text = Array(writer.text.utf8)
    try DocumentReader.check(seed % 5 == 0 ? Array(text.dropFirst(3)) : text, json5: true)
    #expect(!writer.lines.isEmpty)
    for (path, line) in writer.lines {
      #expect(JSON5Lines.line(of: path, in: text) == line, "\(path) in:\n\(writer.text)")
    }
  }

  @Test("A path that is not there has the line of the nearest thing around it")
  func nearest() {
    let text = Array("{\n  a: {\n    b: 1,\n  },\n}".utf8)
    #expect(JSON5Lines.line(of: "a.c", in: text) == 2)
    #expect(JSON5Lines.line(of: "a.b.c[3]", in: text) == 3)
    #expect(JSON5Lines.line(of: "z", in: text) == 1)
  }

  @Test("Text that is not JSON5, cut off anywhere, is survived")
  func cutOff() {
    let text = Array("{ /* c */ a: [1, 'x\\'y', {b: \"\\\\\"}], // d\n 'e': {} }".utf8)
    for count in 0...text.count { _ = JSON5Lines.line(of: "a[2].b", in: Array(text[..<count])) }
  }
}

/// Writes documents of any shape and knows the line of each value.
private struct JSON5Writer {
  private(set) var text = ""
  private(set) var lines: [(path: String, line: Int)] = []
  private var state: UInt64
  private let lineEnd: String
  private var line = 1

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    lineEnd = ["\n", "\r\n", "\r"][Int(seed % 3)]
    if seed % 5 == 0 { text = "\u{FEFF}" }
  }

  private mutating func pick(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(count))
  }

  mutating func document() {
    blank()
    object("", depth: 0)
    blank()
  }

  private mutating func blank() {
    for _ in 0..<pick(3) {
      switch pick(6) {
      case 0: newLine()
      case 1:
        text += ["// to the end, } ] : ' \"", "//", "// /* */"][pick(3)]
        newLine()
      case 2: text += ["/* { [ \" */", "/**/", "/* // ' */"][pick(3)]
      case 3:
        text += "/* two"
        newLine()
        text += " lines */"
      default: text += [" ", "\t", "  "][pick(3)]
      }
    }
  }

  private mutating func newLine() {
    text += lineEnd
    line += 1
  }

  private mutating func object(_ path: String, depth: Int) {
    text += "{"
    let keys = ["name", "a1", "$_", "größe", "link", "x y", "é'\\\""].prefix(pick(6) + (depth == 0 ? 1 : 0))
    for (index, key) in keys.enumerated() {
      blank()
      let inner = path.isEmpty ? key : "\(path).\(key)"
      let isBare = key.utf8.allSatisfy { (0x30...0x7A).contains($0) || $0 == 0x24 } && pick(2) == 0
      lines.append((inner, line))
      text += isBare ? key : quoted(key)
      blank()
      text += ":"
      value(inner, depth: depth + 1)
      comma(isLast: index == keys.count - 1)
    }
    blank()
    text += "}"
  }

  private mutating func list(_ path: String, depth: Int) {
    text += "["
    let count = pick(4)
    for index in 0..<count {
      blank()
      lines.append(("\(path)[\(index)]", line))
      value("\(path)[\(index)]", depth: depth + 1, leading: false)
      comma(isLast: index == count - 1)
    }
    blank()
    text += "]"
  }

  private mutating func comma(isLast: Bool) {
    blank()
    if !isLast || pick(2) == 0 { text += "," }
  }

  private mutating func value(_ path: String, depth: Int, leading: Bool = true) {
    if leading { blank() }
    switch pick(depth < 4 ? 7 : 5) {
    case 0: text += ["1", "-2.5e3", "+7", ".5", "0x1F", "Infinity", "-0"][pick(7)]
    case 1: text += ["true", "false", "null"][pick(3)]
    case 2: text += quoted(["", "x: {", "// no comment", "/* nor this */", "\\", "'\""][pick(6)])
    case 3:
      text += "'continued \\"
      newLine()
      text += "here'"
    case 4: text += quoted("plain")
    case 5: object(path, depth: depth)
    default: list(path, depth: depth)
    }
  }

  private mutating func quoted(_ word: String) -> String {
    let quote: Character = pick(2) == 0 ? "'" : "\""
    var text = String(quote)
    for character in word {
      if character == quote || character == "\\" { text.append("\\") }
      text.append(character)
    }
    text.append(quote)
    return text
  }
}
