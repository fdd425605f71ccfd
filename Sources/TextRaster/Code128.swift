import ESCPOS

/// CODE128 with the code sets under our own hand: the printer's data say where they switch, which Zint cannot be told.
///
/// Source: ISO/IEC 15417.
struct Code128 {
  /// The three alphabets.
  enum CodeSet: Int, CaseIterable {
    case a, b, c
  }

  /// What is encoded, before code sets are chosen.
  enum Element: Equatable {
    case byte(UInt8)
    case fnc1
    case fnc3
  }

  /// Symbol characters from the start to the last of the data; check and stop are added when drawn.
  private(set) var values: [Int] = []

  /// Reads `{A`, `{B`, `{C` and the other escapes of `GS k` with `m` 73.
  init(escaped data: [UInt8]) throws(RenderError) {
    guard data.count >= 2, data[0] == UInt8(ascii: "{"), let start = Self.codeSet(data[1]) else {
      throw RenderError(.barcode, "CODE128 data begin with {A, {B or {C")
    }
    var set = start
    values = [103 + start.rawValue]
    var shifted = false
    var index = 2
    while index < data.count {
      let byte = data[index]
      let next = index + 1 < data.count ? data[index + 1] : 0
      let current = shifted ? (set == .a ? CodeSet.b : .a) : set
      if byte == UInt8(ascii: "{"), next != UInt8(ascii: "{") {
        index += 2
        if let other = Self.codeSet(next) {
          if other != set { values.append(Self.switchValue(to: other)) }
          set = other
        } else if next == UInt8(ascii: "S"), set != .c {
          values.append(98)
          shifted = true
          continue
        } else if let value = Self.function(next, in: set) {
          values.append(value)
        } else {
          throw RenderError(
            .barcode, "after { stands one of A B C S 1 2 3 4 { in CODE128 data (byte \(index - 1))")
        }
      } else {
        guard let value = Self.value(of: byte, in: current) else {
          throw RenderError(.barcode, "byte \(index) is not in code set \(["A", "B", "C"][current.rawValue])")
        }
        values.append(value)
        index += byte == UInt8(ascii: "{") ? 2 : 1
      }
      shifted = false
    }
    guard values.count > 1 else { throw RenderError(.barcode, "CODE128 data are empty") }
  }

  /// Chooses the code sets that give the fewest symbol characters.
  init(_ elements: [Element]) throws(RenderError) {
    guard !elements.isEmpty else { throw RenderError(.barcode, "CODE128 data are empty") }
    guard elements.count <= 512 else {
      throw RenderError(.barcode, "CODE128 data are longer than 512 characters")
    }
    // best[i][set]: the shortest values from element i on when the set is in force there.
    struct Step {
      var length = Int.max
      var values: [Int] = []
      var taken = 0
      var then = CodeSet.b
    }
    var best = [[Step]](repeating: [Step](repeating: Step(), count: 3), count: elements.count + 1)
    for set in CodeSet.allCases { best[elements.count][set.rawValue].length = 0 }
    for index in elements.indices.reversed() {
      var staying = [Step](repeating: Step(), count: 3)
      for set in CodeSet.allCases {
        for (values, taken) in Self.ways(elements, at: index, in: set) {
          let rest = best[index + taken][set.rawValue].length
          if rest != .max, rest + values.count < staying[set.rawValue].length {
            staying[set.rawValue] = Step(length: rest + values.count, values: values, taken: taken, then: set)
          }
        }
      }
      for set in CodeSet.allCases {
        best[index][set.rawValue] = staying[set.rawValue]
        for other in CodeSet.allCases where other != set {
          let step = staying[other.rawValue]
          if step.length != .max, step.length + 1 < best[index][set.rawValue].length {
            best[index][set.rawValue] = Step(
              length: step.length + 1, values: [Self.switchValue(to: other)] + step.values, taken: step.taken,
              then: other)
          }
        }
      }
    }
    var set = CodeSet.allCases.min { best[0][$0.rawValue].length < best[0][$1.rawValue].length } ?? .b
    values = [103 + set.rawValue]
    var index = 0
    while index < elements.count {
      let step = best[index][set.rawValue]
      guard step.taken > 0 else { throw RenderError(.barcode, "the data cannot be encoded as CODE128") }
      values += step.values
      index += step.taken
      set = step.then
    }
  }

  /// The ways to encode what stands at `index` in a set: values, and how many elements they take.
  private static func ways(_ elements: [Element], at index: Int, in set: CodeSet) -> [(
    values: [Int], taken: Int
  )] {
    guard case .byte(let byte) = elements[index] else {
      if elements[index] == .fnc1 { return [([102], 1)] }
      return set == .c ? [] : [([96], 1)]
    }
    if set == .c {
      guard index + 1 < elements.count, case .byte(let next) = elements[index + 1], isDigit(byte),
        isDigit(next)
      else { return [] }
      return [([Int(byte - 0x30) * 10 + Int(next - 0x30)], 2)]
    }
    let high = byte >= 128 ? [set == .a ? 101 : 100] : []
    if let value = value(of: byte & 0x7F, in: set) { return [(high + [value], 1)] }
    guard let value = value(of: byte & 0x7F, in: set == .a ? .b : .a) else { return [] }
    return [(high + [98, value], 1)]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func codeSet(_ letter: UInt8) -> CodeSet? {
    switch letter {
    case UInt8(ascii: "A"): .a
    case UInt8(ascii: "B"): .b
    case UInt8(ascii: "C"): .c
    default: nil
    }
  }

  /// CODE A is 101, CODE B 100 and CODE C 99 in every set that has them.
  private static func switchValue(to set: CodeSet) -> Int { 101 - set.rawValue }

  private static func function(_ digit: UInt8, in set: CodeSet) -> Int? {
    switch (digit, set) {
    case (UInt8(ascii: "1"), _): 102
    case (UInt8(ascii: "2"), .a), (UInt8(ascii: "2"), .b): 97
    case (UInt8(ascii: "3"), .a), (UInt8(ascii: "3"), .b): 96
    case (UInt8(ascii: "4"), .a): 101
    case (UInt8(ascii: "4"), .b): 100
    default: nil
    }
  }

  private static func value(of byte: UInt8, in set: CodeSet) -> Int? {
    switch (set, byte) {
    case (.a, 0...31): Int(byte) + 64
    case (.a, 32...95), (.b, 32...127): Int(byte) - 32
    case (.c, 0...99): Int(byte)
    default: nil
    }
  }

  /// The bars, one row, a dot for each module: `11 × (values + check) + 13` of them.
  var modules: DotImage {
    var sum = values[0]
    for (position, value) in values.enumerated().dropFirst() { sum += position * value }
    let symbols = values + [sum % 103, 106]
    var dots = DotImage(width: 11 * symbols.count + 2, height: 1)
    var x = 0
    for symbol in symbols {
      for (index, width) in Self.widths[symbol].utf8.enumerated() {
        for _ in 0..<width - 0x30 {
          if index % 2 == 0 { dots[x, 0] = true }
          x += 1
        }
      }
    }
    return dots
  }

  /// Bars and spaces of every value in modules, bar first; 103 to 105 start, 106 stops.
  private static let widths: [String] = """
    212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222
    123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321
    232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121
    313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224
    111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111
    111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113
    114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112
    """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
