/// Lists an ESC/POS stream command by command: offset, bytes, mnemonic, meaning.
///
/// One line a command. Real-time sequences inside payloads get a line of their own below the command, marked
/// with `!`, and so do unknown, truncated and ignored ones in their own line.
///
/// - Parameter bytes: A stream from its beginning.
/// - Returns: The lines, without line ends.
public func listing(of bytes: [UInt8]) -> [String] {
  var tokenizer = CommandTokenizer()
  var lines: [String] = []
  for token in tokenizer.tokens(of: bytes) + tokenizer.finish() {
    let shown = token.bytes.prefix(12).map(hex).joined(separator: " ") + (token.length > 12 ? " …" : "")
    let mark = token.fault == nil ? " " : "!"
    lines.append(
      "\(place(token.offset)) \(mark) \(padded(shown, 38)) \(padded(token.mnemonic, 12)) \(token.meaning)")
    for (offset, command) in token.realTimeInside {
      lines.append(
        "\(place(offset)) ! \(padded("", 38)) \(padded("real time", 12)) inside the command above: \(command)"
      )
    }
  }
  return lines
}

private func place(_ offset: Int) -> String {
  let digits = String(offset, radix: 16)
  return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
}

private func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}
