/// CODE128 data in the form of `GS k 73`: `{A`, `{B` and `{C` choose the code set, `{` is doubled, and code
/// set C takes
/// a byte of 0 through 99 for two digits.
///
/// The code sets are chosen so that the symbol has the fewest characters, and with that the fewest modules.
struct Code128: Equatable {
  /// The bytes behind the length, at most 255.
  let payload: [UInt8]
  /// The modules of the symbol with its quiet zones, ten on each side.
  let modules: Int

  private enum CodeSet: Int, CaseIterable {
    case a, b, c
    /// The second byte of the choice, behind `{`.
    var letter: UInt8 { 0x41 + UInt8(rawValue) }
  }

  private struct Step {
    var cost = Int.max
    var from = CodeSet.b
  }

  /// Encodes `data`.
  ///
  /// Code set C is not used where its bytes would start a real-time command: the digits `1604` are `10 04`.
  ///
  /// - Throws: ``RenderError`` with `.barcode` when the data is empty, not ASCII, or longer than 255 bytes
  ///   encoded.
  init(_ data: String) throws(RenderError) {
    let bytes = Array(data.utf8)
    guard !bytes.isEmpty else { throw RenderError(.barcode, "CODE128 needs at least one character") }
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      throw RenderError(.barcode, "CODE128 takes ASCII only; a QR code takes any text")
    }
    guard bytes.count <= 512 else {
      throw RenderError(.barcode, "CODE128 data is longer than 255 bytes; use a QR code")
    }
    var (payload, symbols) = Self.encode(bytes, sets: CodeSet.allCases)
    if RealTimeGuard.isHazardous(payload) { (payload, symbols) = Self.encode(bytes, sets: [.a, .b]) }
    guard payload.count <= 255 else {
      throw RenderError(.barcode, "CODE128 data is longer than 255 bytes; use a QR code")
    }
    self.payload = payload
    // Start and check character beside the data, 11 modules each, and a stop of 13.
    modules = 11 * (symbols + 1) + 13 + 20
  }

  /// The cheapest way through the code sets, in symbol characters, and in bytes where that is equal.
  private static func encode(_ data: [UInt8], sets: [CodeSet]) -> (payload: [UInt8], symbols: Int) {
    // best[i][s]: the cheapest encoding of the first i bytes that ends in set s.
    var best = [[Step]](repeating: [Step](repeating: Step(), count: 3), count: data.count + 1)
    for set in sets { best[0][set.rawValue].cost = 0 }
    for index in data.indices {
      for set in sets {
        let length = set == .c ? 2 : 1
        guard let bytes = encoded(data, at: index, in: set) else { continue }
        for last in sets where best[index][last.rawValue].cost != .max {
          let changes = index == 0 ? last == set : true
          guard changes else { continue }
          let symbol = index == 0 || last != set ? 2 : 1
          let cost = best[index][last.rawValue].cost + symbol << 10 + bytes.count + (symbol - 1) * 2
          if cost < best[index + length][set.rawValue].cost {
            best[index + length][set.rawValue] = Step(cost: cost, from: last)
          }
        }
      }
    }
    var end = data.count
    var set = sets.min { best[end][$0.rawValue].cost < best[end][$1.rawValue].cost } ?? .b
    let symbols = best[end][set.rawValue].cost >> 10
    var pieces: [(set: CodeSet, bytes: [UInt8])] = []
    while end > 0 {
      let start = end - (set == .c ? 2 : 1)
      pieces.append((set, encoded(data, at: start, in: set) ?? []))
      set = best[end][set.rawValue].from
      end = start
    }
    var payload: [UInt8] = []
    var current: CodeSet?
    for piece in pieces.reversed() {
      if piece.set != current { payload += [0x7B, piece.set.letter] }
      current = piece.set
      payload += piece.bytes
    }
    return (payload, symbols)
  }

  /// The bytes for what stands at `index`, or nil when the set does not have it.
  private static func encoded(_ data: [UInt8], at index: Int, in set: CodeSet) -> [UInt8]? {
    let byte = data[index]
    switch set {
    case .a: return byte < 0x60 ? [byte] : nil
    case .b:
      guard byte >= 0x20 else { return nil }
      return byte == 0x7B ? [0x7B, 0x7B] : [byte]
    case .c:
      guard index + 1 < data.count, isDigit(byte), isDigit(data[index + 1]) else { return nil }
      return [(byte - 0x30) * 10 + data[index + 1] - 0x30]
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
