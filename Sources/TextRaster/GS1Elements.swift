import ESCPOS

/// GS1 data as ESC/POS carries them for GS1-128 and DataBar Expanded.
///
/// Source: Epson's notes on GS1 data (parentheses and spaces are caption only, `*` is a check digit) and the GS1
/// General Specifications (lengths of application identifiers, check digit).
struct GS1Elements {
  private enum Piece: Equatable {
    case byte(UInt8)
    case fnc1
    case fnc3
    /// `(` … `)`
    case identifier([UInt8])
  }

  private var pieces: [Piece] = []

  /// - Parameter checkDigits: Whether `*` is worked out; else it is left out.
  /// - Throws: ``RenderError`` with `.barcode`.
  init(_ data: [UInt8], checkDigits: Bool) throws(RenderError) {
    var identifier: [UInt8]?
    var digits: [UInt8] = []
    var index = 0
    func fault(_ message: String) -> RenderError {
      RenderError(.barcode, "\(message) (byte \(index) of GS1 data)")
    }
    while index < data.count {
      var byte = data[index]
      var literal = false
      if byte == UInt8(ascii: "{") {
        guard index + 1 < data.count else { throw fault("after { stands one of 1 3 ( ) * {") }
        index += 1
        byte = data[index]
        switch byte {
        case UInt8(ascii: "1"), UInt8(ascii: "3"):
          pieces.append(byte == UInt8(ascii: "1") ? .fnc1 : .fnc3)
          digits = []
          index += 1
          continue
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "{"): literal = true
        default: throw fault("after { stands one of 1 3 ( ) * {")
        }
      }
      switch byte {
      case UInt8(ascii: "(") where !literal:
        guard identifier == nil else { throw fault("an identifier inside an identifier") }
        identifier = []
      case UInt8(ascii: ")") where !literal:
        guard let closed = identifier, (2...4).contains(closed.count), closed.allSatisfy(Self.isDigit) else {
          throw fault("expected an identifier of 2 to 4 digits between parentheses")
        }
        pieces.append(.identifier(closed))
        identifier = nil
        digits = []
      case UInt8(ascii: " ") where !literal:
        digits = []
      case UInt8(ascii: "*") where !literal:
        guard checkDigits else { break }
        var sum = digits
        if !pieces.contains(where: { if case .identifier = $0 { true } else { false } }) {
          sum = Array(digits.dropFirst(Self.identifierLength(digits)))
        }
        guard !sum.isEmpty, sum.allSatisfy(Self.isDigit) else { throw fault("* must follow digits") }
        pieces.append(.byte(checkDigit(sum)))
        digits = []
      case 0x21...0x7A:
        if identifier != nil {
          identifier?.append(byte)
        } else {
          pieces.append(.byte(byte))
          digits.append(byte)
        }
      case UInt8(ascii: "{") where literal:
        pieces.append(.byte(byte))
        digits.append(byte)
      default: throw fault("a byte that GS1 data cannot have")
      }
      index += 1
    }
    guard identifier == nil else { throw fault("a parenthesis is not closed") }
    guard !pieces.isEmpty else { throw RenderError(.barcode, "GS1 data are empty") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// What CODE128 encodes: FNC1 first, then everything without the caption's marks.
  var code128: [Code128.Element] {
    var elements: [Code128.Element] = pieces.first == .fnc1 ? [] : [.fnc1]
    for piece in pieces {
      switch piece {
      case .byte(let byte): elements.append(.byte(byte))
      case .identifier(let digits): elements += digits.map { .byte($0) }
      case .fnc1: elements.append(.fnc1)
      case .fnc3: elements.append(.fnc3)
      }
    }
    return elements
  }

  /// The elements with their identifiers in square brackets, as Zint reads them; it puts the separators in itself.
  ///
  /// - Throws: ``RenderError`` with `.barcode` when an identifier cannot be told from its value, or the check digit of a
  ///   GTIN is wrong.
  func bracketed() throws(RenderError) -> [UInt8] {
    var result: [UInt8] = []
    var run: [UInt8] = []
    func element(_ identifier: [UInt8], _ value: [UInt8]) throws(RenderError) {
      if identifier == Array("01".utf8) {
        guard value.count == 14, value.allSatisfy(Self.isDigit),
          checkDigit(Array(value.dropLast())) == value[13]
        else {
          throw RenderError(.barcode, "after identifier 01 stand 14 digits, the last one the check digit")
        }
      }
      guard !value.isEmpty else { throw RenderError(.barcode, "an identifier without a value") }
      result += [UInt8(ascii: "[")] + identifier + [UInt8(ascii: "]")] + value
    }
    func flush() throws(RenderError) {
      while !run.isEmpty {
        let split = Self.identifierLength(run)
        let end = min(run.count, Self.fixedLength(run) ?? run.count)
        guard run.prefix(split).allSatisfy(Self.isDigit), run.count > split else {
          throw RenderError(.barcode, "expected an application identifier; write it in parentheses: (01)")
        }
        try element(Array(run.prefix(split)), Array(run[split..<max(split, end)]))
        run.removeFirst(max(split, end))
      }
    }
    var open: [UInt8]?
    for piece in pieces {
      switch piece {
      case .byte(let byte): run.append(byte)
      case .identifier(let digits):
        if let identifier = open { try element(identifier, run) } else { try flush() }
        run = []
        open = digits
      case .fnc1, .fnc3:
        if let identifier = open { try element(identifier, run) } else { try flush() }
        run = []
        open = nil
      }
    }
    if let identifier = open { try element(identifier, run) } else { try flush() }
    return result
  }

  /// How many digits of an identifier stand at the beginning.
  private static func identifierLength(_ data: [UInt8]) -> Int {
    guard data.count >= 2, isDigit(data[0]), isDigit(data[1]) else { return 2 }
    return switch Int(data[0] - 0x30) * 10 + Int(data[1] - 0x30) {
    case 23...25, 40...42, 71: 3
    case 31...36, 39, 43, 70, 72, 80...82: 4
    default: 2
    }
  }

  /// The length of an element whose identifier has a predefined one, identifier included; others end at FNC1.
  private static func fixedLength(_ data: [UInt8]) -> Int? {
    guard data.count >= 2, isDigit(data[0]), isDigit(data[1]) else { return nil }
    return switch Int(data[0] - 0x30) * 10 + Int(data[1] - 0x30) {
    case 0: 20
    case 1...3: 16
    case 4: 18
    case 11...19: 8
    case 20: 4
    case 31...36: 10
    case 41: 16
    default: nil
    }
  }
}

/// The check digit of GS1 numbers as an ASCII digit: weights 3 and 1 from the right (GS1 General Specifications).
func checkDigit(_ digits: [UInt8]) -> UInt8 {
  var sum = 0
  for (index, digit) in digits.reversed().enumerated() {
    sum += Int(digit &- 0x30) * (index % 2 == 0 ? 3 : 1)
  }
  return 0x30 + UInt8((10 - sum % 10) % 10)
}
