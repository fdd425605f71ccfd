/// The codes of double-byte text (`FS &`): GB18030, Shift_JIS, Big5 or EUC-KR.
struct DoubleByte: Sendable {
  /// A generated table: strings of characters in the order of their codes.
  struct Rows: Sendable {
    var leads: [ClosedRange<UInt16>]
    var trails: [ClosedRange<UInt16>]
    var characters: [String]
  }

  private let codes: [UInt16]
  private let hasFourBytes: Bool

  /// The table for a printer's double-byte text.
  init(_ kanji: PrinterProfile.Kanji) {
    switch kanji.encoding {
    case .gb18030: codes = kanji.maximumBytes < 4 ? Self.gbkCodes : Self.gb18030Codes
    case .shiftJIS: codes = Self.shiftJISCodes
    case .big5: codes = Self.big5Codes
    case .eucKR: codes = Self.eucKRCodes
    }
    hasFourBytes = kanji.encoding == .gb18030 && kanji.maximumBytes >= 4
  }

  /// The code of a scalar: up to FFFF a lead and a trail byte, above it four bytes; 0 when there is none.
  func code(for scalar: UInt32) -> UInt32 {
    if scalar < 0x10000, codes[Int(scalar)] != 0 { return UInt32(codes[Int(scalar)]) }
    return hasFourBytes ? Self.fourByteCode(for: scalar) : 0
  }

  /// GB18030's four-byte codes follow the order of the scalars that have no shorter one (GB 18030-2005).
  private static func fourByteCode(for scalar: UInt32) -> UInt32 {
    var place: UInt32
    if scalar >= 0x10000 {
      place = 189_000 + scalar - 0x10000
    } else {
      guard let run = gb18030FourByteRuns.last(where: { $0.scalar <= scalar }),
        scalar < 0xD800 || scalar > 0xF8FF
      else { return 0 }
      place = run.place + scalar - run.scalar
    }
    let fourth = 0x30 + place % 10
    place /= 10
    let third = 0x81 + place % 126
    place /= 126
    return (0x81 + place / 10) << 24 | (0x30 + place % 10) << 16 | third << 8 | fourth
  }

  private static let gb18030Codes = gb18030.codes
  private static let gbkCodes: [UInt16] = {
    var codes = gb18030Codes
    for scalar in gb18030BeyondGBK.unicodeScalars where scalar.value < 0x10000 {
      codes[Int(scalar.value)] = 0
    }
    return codes
  }()
  private static let big5Codes = big5.codes
  private static let eucKRCodes = eucKR.codes
  /// JIS X 0208 by Microsoft's mapping, and the six characters that other mappings write differently.
  private static let shiftJISCodes: [UInt16] = {
    var codes = shiftJIS.codes
    let others: [(Int, UInt16)] = [
      (0x301C, 0x8160), (0x2016, 0x8161), (0x2212, 0x817C), (0xA2, 0x8191), (0xA3, 0x8192), (0xAC, 0x81CA),
    ]
    for (scalar, code) in others where codes[scalar] == 0 { codes[scalar] = code }
    return codes
  }()
}

extension DoubleByte.Rows {
  /// The code of every scalar below U+10000, 0 where there is none.
  var codes: [UInt16] {
    var codes = [UInt16](repeating: 0, count: 0x10000)
    let trailBytes = trails.flatMap { Array($0) }
    for (lead, row) in zip(leads.flatMap { Array($0) }, characters) {
      for (trail, scalar) in zip(trailBytes, row.unicodeScalars)
      where scalar.value < 0x10000 && scalar.value != 0xFFFD && codes[Int(scalar.value)] == 0 {
        codes[Int(scalar.value)] = lead << 8 | trail
      }
    }
    return codes
  }
}
