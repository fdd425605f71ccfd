/// Finds the line on which a value stands in a JSON5 text, so that a fault can be shown where it was written.
///
/// It reads a text that a real parser has accepted; where it loses its way it says so with nil, never with a
/// wrong line.
struct JSON5Lines {
  private let text: [UInt8]
  private var position = 0
  private var line = 1
  private var lines: [String: Int] = [:]

  /// The line of the value at `path` (`printers[1].profile`), or of the nearest thing around it.
  static func line(of path: String, in text: [UInt8]) -> Int? {
    var reader = JSON5Lines(text: text)
    reader.value(path: "")
    var path = path[...]
    while true {
      if let line = reader.lines[String(path)] { return line }
      guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return reader.lines[""] }
      path = path[..<cut]
    }
  }

  private init(text: [UInt8]) {
    self.text = text
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private mutating func advance() {
    if let byte = current, endsLine(byte) { line += 1 }
    position += 1
  }

  /// Whether a line ends here: at LF, CR LF, or a CR by itself.
  private func endsLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
        && (position + 1 >= text.count || text[position + 1] != UInt8(ascii: "\n"))
  }

  private mutating func skipBlank() {
    while let byte = current {
      if byte == UInt8(ascii: "/"), position + 1 < text.count, text[position + 1] == UInt8(ascii: "/") {
        while let byte = current, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { advance() }
      } else if byte == UInt8(ascii: "/"), position + 1 < text.count, text[position + 1] == UInt8(ascii: "*")
      {
        advance()
        advance()
        while position + 1 < text.count,
          !(text[position] == UInt8(ascii: "*") && text[position + 1] == UInt8(ascii: "/"))
        { advance() }
        advance()
        advance()
      } else if byte <= 0x20 || byte == UInt8(ascii: ",") {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func value(path: String) {
    skipBlank()
    lines[path] = line
    switch current {
    case UInt8(ascii: "{"):
      advance()
      while true {
        skipBlank()
        guard let byte = current else { return }
        if byte == UInt8(ascii: "}") { return advance() }
        let start = line
        guard let key = word() else { return }
        skipBlank()
        guard current == UInt8(ascii: ":") else { return }
        advance()
        let inner = path.isEmpty ? key : "\(path).\(key)"
        value(path: inner)
        lines[inner] = start
      }
    case UInt8(ascii: "["):
      advance()
      var index = 0
      while true {
        skipBlank()
        guard let byte = current else { return }
        if byte == UInt8(ascii: "]") { return advance() }
        let before = position
        value(path: "\(path)[\(index)]")
        guard position > before else { return }
        index += 1
      }
    default:
      _ = word()
    }
  }

  /// A string, a bare key or a bare value.
  private mutating func word() -> String? {
    guard let first = current else { return nil }
    var bytes: [UInt8] = []
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      advance()
      while let byte = current, byte != first {
        if byte == UInt8(ascii: "\\") { advance() }
        if let byte = current { bytes.append(byte) }
        advance()
      }
      advance()
    } else {
      while let byte = current, byte > 0x20, !Array(",:{}[]/".utf8).contains(byte) {
        bytes.append(byte)
        advance()
      }
      guard !bytes.isEmpty else { return nil }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
