extension PrinterProfile {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, title, notes, widthDots, fontA, fontB, codePages, kanji, raster, barcodes, qr, cutter, drawer,
      beep
    case withoutCommands, notReset, status, fence, bytesPerSecond, idleSeconds, writeMode, chunk
  }

  /// Reads a profile.
  ///
  /// - Throws: `DecodingError` at an unknown key, a wrong type, or a value out of range, and says what would
  ///   be right.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    name = try fields.required(.name)
    try fields.check(.name, !name.isEmpty, "expected a name such as \"generic-80\"")
    title = try fields.required(.title)
    notes = try fields.optional(.notes)
    widthDots = try fields.required(.widthDots, in: 64...4096, unit: "dots")
    fontA = try fields.required(.fontA)
    fontB = try fields.optional(.fontB)
    codePages = try fields.required(.codePages)
    kanji = try fields.optional(.kanji)
    raster = try fields.optional(.raster)
    barcodes = try fields.required(.barcodes)
    qr = try fields.optional(.qr)
    cutter = try fields.optional(.cutter)
    drawer = try fields.required(.drawer)
    beep = try fields.optional(.beep)
    withoutCommands = try fields.optional(.withoutCommands) ?? []
    notReset = try fields.optional(.notReset) ?? []
    status = try fields.required(.status)
    fence = try fields.required(.fence)
    bytesPerSecond = try fields.required(.bytesPerSecond, in: 100...1_000_000, unit: "bytes a second")
    idleSeconds = try fields.optional(.idleSeconds)
    try fields.check(.idleSeconds, (0...3600).contains(idleSeconds ?? 0), "expected 0 through 3600 seconds")
    writeMode = try fields.optional(.writeMode)
    chunk = try fields.optional(.chunk)
    try fields.check(
      .chunk, Self.chunks.contains(chunk ?? Self.chunks.lowerBound), "expected 20 through 512 bytes")

    for (key, font) in [(CodingKeys.fontA, fontA), (.fontB, fontB ?? fontA)] {
      try fields.check(
        key, font.columns * font.cell.width <= widthDots,
        "\(font.columns) columns of \(font.cell.width) dots are wider than the \(widthDots) dots of the head")
    }
    try fields.check(
      .codePages, codePages.count <= Repertoire.maximumPages,
      "expected at most \(Repertoire.maximumPages) code pages")
    try fields.check(
      .codePages, Set(codePages.map(\.slot)).count == codePages.count, "a slot is named twice")
    let known = Abilities.mnemonics.map(\.name)
    for mnemonic in withoutCommands {
      let nearest = nearestWord(to: mnemonic, among: known.map { $0.lowercased() })?.uppercased()
      let advice =
        known.first { $0.uppercased() == nearest }.map { "; did you mean \"\($0)\"?" }
        ?? "; known here: \(known.joined(separator: ", "))"
      try fields.check(.withoutCommands, known.contains(mnemonic), "unknown command \"\(mnemonic)\"\(advice)")
    }
    try fields.check(
      .withoutCommands, kanji == nil || knows("FS ."), "a printer with double-byte text must know \"FS .\"")
    for mnemonic in notReset {
      try fields.check(
        .notReset, ["GS L", "GS W"].contains(mnemonic), "expected \"GS L\" or \"GS W\", found \"\(mnemonic)\""
      )
    }
  }
}

extension PrinterProfile.Font {
  enum CodingKeys: String, CodingKey, CaseIterable { case columns, cell }

  /// Reads a font.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    columns = try fields.required(.columns, in: 16...255, unit: "columns")
    cell = try fields.required(.cell)
    try fields.check(
      .cell, (4...64).contains(cell.width) && (4...64).contains(cell.height),
      "expected a width and a height of 4 through 64 dots")
  }
}

extension PrinterProfile.CodePage {
  enum CodingKeys: String, CodingKey, CaseIterable { case slot, encoding }

  /// Reads a code page.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    slot = try fields.required(.slot, in: 0...255, unit: "")
    encoding = try fields.required(.encoding)
    try fields.check(
      .encoding, CodePage.named(encoding) != nil,
      "unknown code page \"\(encoding)\"; known: \(CodePage.names.joined(separator: ", "))")
  }
}

extension PrinterProfile.Kanji {
  enum CodingKeys: String, CodingKey, CaseIterable { case encoding, maximumBytes, codeSystem }

  /// Reads what is known of double-byte text.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    encoding = try fields.required(.encoding)
    maximumBytes = try fields.required(.maximumBytes)
    try fields.check(
      .maximumBytes, maximumBytes == 2 || (maximumBytes == 4 && encoding == .gb18030),
      "expected 2, or 4 with GB18030")
    codeSystem = try fields.optional(.codeSystem)
    try fields.check(.codeSystem, (0...2).contains(codeSystem ?? 0), "expected 0, 1 or 2")
  }
}

extension PrinterProfile.Raster {
  enum CodingKeys: String, CodingKey, CaseIterable { case maximumRows }

  /// Reads what is known of raster images.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    maximumRows = try fields.required(.maximumRows, in: 1...4095, unit: "rows")
  }
}

extension PrinterProfile.QR {
  enum CodingKeys: String, CodingKey, CaseIterable { case maximumBytes, maximumModule }

  /// Reads what is known of QR codes.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    maximumBytes = try fields.required(.maximumBytes, in: 1...7089, unit: "bytes")
    maximumModule = try fields.required(.maximumModule, in: 1...16, unit: "dots")
  }
}

extension PrinterProfile.Cutter {
  enum CodingKeys: String, CodingKey, CaseIterable { case modes, command, feedLines }

  /// Reads what is known of the cutter.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    modes = try fields.required(.modes)
    try fields.check(
      .modes, !modes.isEmpty, "expected \"full\", \"partial\" or both; leave the cutter out for none")
    command = try fields.required(.command)
    feedLines = try fields.required(.feedLines, in: 0...40, unit: "lines")
  }
}

extension PrinterProfile.Status {
  enum CodingKeys: String, CodingKey, CaseIterable { case dleEOT, asb }

  /// Reads what the printer answers.
  public init(from decoder: any Decoder) throws {
    let fields = try StrictFields(decoder, CodingKeys.self)
    dleEOT = try fields.required(.dleEOT)
    asb = try fields.required(.asb)
  }
}
