import ESCPOS

/// Walks through JSON (RFC 8259) or JSON5 text without building anything, to say where it is wrong.
struct JSONSyntax {
  let bytes: [UInt8]
  let json5: Bool
  let maximumDepth: Int
  var place = 0

  init(_ bytes: [UInt8], json5: Bool, maximumDepth: Int) {
    self.bytes = bytes
    self.json5 = json5
    self.maximumDepth = maximumDepth
  }

  mutating func checkDocument() throws(DocumentFault) {
    if let bad = firstByteThatIsNotUTF8 { throw fault("expected UTF-8", at: bad) }
    try skipSpace()
    guard place < bytes.count else { throw DocumentFault(path: "", message: "the document is empty") }
    try value(depth: 0)
    try skipSpace()
    guard place == bytes.count else { throw fault("expected nothing more after the document") }
  }

  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func take(_ letter: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(DocumentFault) {
    switch next {
    case UInt8(ascii: "{"): try object(depth: depth)
    case UInt8(ascii: "["): try list(depth: depth)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "'") where json5: try string()
    default:
      for word in ["true", "false", "null"] where takeWord(word) { return }
      guard try number() else { throw fault("expected a value") }
    }
  }

  private mutating func object(depth: Int) throws(DocumentFault) {
    try open(depth: depth)
    var keys: Set<ArraySlice<UInt8>> = []
    try skipSpace()
    while !take("}") {
      let start = place
      let key = try self.key()
      guard keys.insert(key).inserted else {
        throw fault("the key \(String(decoding: key, as: UTF8.self)) stands here twice", at: start)
      }
      try skipSpace()
      guard take(":") else { throw fault("expected \":\" after the key") }
      try skipSpace()
      try value(depth: depth + 1)
      try separator(before: "}")
    }
  }

  private mutating func list(depth: Int) throws(DocumentFault) {
    try open(depth: depth)
    try skipSpace()
    while !take("]") {
      try value(depth: depth + 1)
      try separator(before: "]")
    }
  }

  private mutating func open(depth: Int) throws(DocumentFault) {
    guard depth < maximumDepth else {
      throw fault("lists and objects stand more than \(maximumDepth) deep in one another")
    }
    place += 1
  }

  private mutating func separator(before end: Unicode.Scalar) throws(DocumentFault) {
    try skipSpace()
    if take(",") {
      try skipSpace()
      if next == UInt8(ascii: end), !json5 { throw fault("expected a value after the comma") }
    } else if next != UInt8(ascii: end) {
      throw fault("expected \",\" or \"\(end)\"")
    }
  }

  /// The key's bytes between the quotes, as they are written.
  private mutating func key() throws(DocumentFault) -> ArraySlice<UInt8> {
    let start = place
    switch next {
    case UInt8(ascii: "\""):
      try string()
      return bytes[start + 1..<place - 1]
    case UInt8(ascii: "'") where json5:
      try string()
      return bytes[start + 1..<place - 1]
    default:
      guard json5 else { throw fault("expected a key in double quotes") }
      while let byte = next, isNameByte(byte) { place += 1 }
      guard place > start, !(0x30...0x39).contains(bytes[start]) else {
        throw fault("expected a key", at: start)
      }
      return bytes[start..<place]
    }
  }

  private mutating func takeWord(_ word: String) -> Bool {
    guard bytes[place...].starts(with: word.utf8) else { return false }
    let end = place + word.utf8.count
    guard end == bytes.count || !isNameByte(bytes[end]) else { return false }
    place = end
    return true
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...: true
    default: false
    }
  }

  /// Whether a number stands here; it is passed over then.
  private mutating func number() throws(DocumentFault) -> Bool {
    let start = place
    if json5, take("+") {} else { _ = take("-") }
    if json5 {
      for word in ["Infinity", "NaN"] where takeWord(word) { return true }
      if next == UInt8(ascii: "0"), place + 1 < bytes.count, bytes[place + 1] | 0x20 == UInt8(ascii: "x") {
        place += 2
        guard digits(hexadecimal: true) > 0 else { throw fault("expected a hexadecimal digit") }
        return true
      }
    }
    let leadingZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0 || (json5 && next == UInt8(ascii: ".")) else {
      if place > start { throw fault("expected a digit") }
      return false
    }
    guard !leadingZero || whole == 1 else { throw fault("a number does not begin with 0", at: start) }
    if take(".") {
      guard digits() > 0 || (json5 && whole > 0) else { throw fault("expected a digit after the point") }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() > 0 else { throw fault("expected a digit in the exponent") }
    }
    return true
  }

  private mutating func digits(hexadecimal: Bool = false) -> Int {
    let start = place
    while let byte = next, hexadecimal ? hexDigit(byte) != nil : (0x30...0x39).contains(byte) { place += 1 }
    return place - start
  }
}
