import ESCPOS

/// What a job puts on paper, read back by a printer that knows one profile, and every rule it broke on the
/// way.
struct PrintedPaper {
  struct Line: Equatable {
    var text = ""
    var dots = 0
    var align = 0
    var size = 0
    var bold = false
    var underline = false
    var invert = false
    var font = 0
    /// The runs of the line with the encoding each was read in.
    var encodings: [String] = []
  }

  struct Raster: Equatable {
    var byteWidth: Int
    var rows: Int
    var align: Int
    var data: [UInt8]
  }

  let profile: PrinterProfile
  private(set) var tokens: [Token] = []
  private(set) var lines: [Line] = []
  private(set) var rasters: [Raster] = []
  private(set) var barcodes: [[UInt8]] = []
  private(set) var qrCodes: [[UInt8]] = []
  private(set) var cuts = 0
  private(set) var kicks = 0
  private(set) var faults: [String] = []

  private var line = Line()
  private var lineBytes: [UInt8] = []
  private var style = Line()
  private var encoding: String?
  private var isKanji: Bool
  private var kanjiUnderline = false
  private var stored: [UInt8] = []

  /// - Parameter kanjiAtStart: Whether double-byte mode is on behind `ESC @`, as on Chinese printers.
  init(_ job: [UInt8], on profile: PrinterProfile, kanjiAtStart: Bool = true) throws {
    self.profile = profile
    isKanji = kanjiAtStart && profile.kanji != nil
    tokens = try Tokenizer.tokens(job)
    for token in tokens { read(token) }
    if !lineBytes.isEmpty { fault(job.count, "the last line has no end") }
    let starts = tokens.filter { $0.name == "ESC @" }
    if starts.count != 1 { fault(0, "\(starts.count) × ESC @") }
    if tokens.first(where: { $0.name != "ESC =" })?.name != "ESC @" { fault(0, "does not begin with ESC @") }
    for index in job.indices.dropLast()
    where job[index] == 0x10 && [0x04, 0x05, 0x14].contains(job[index + 1]) {
      fault(index, "real-time command")
    }
  }

  /// The text of all lines.
  var text: String { lines.map(\.text).joined(separator: "\n") }

  /// The commands in order, without text.
  var commands: [String] { tokens.map(\.name).filter { $0 != "text" } }

  private mutating func fault(_ offset: Int, _ message: String) {
    faults.append("byte \(offset): \(message)")
  }

  private mutating func needEmptyLine(_ token: Token) {
    if !lineBytes.isEmpty { fault(token.offset, "\(token.name) with text in the line") }
  }

  private mutating func read(_ token: Token) {
    if profile.withoutCommands.contains(token.name) { fault(token.offset, "the printer lacks \(token.name)") }
    switch token.name {
    case "text": write(token)
    case "LF": endLine(token)
    case "ESC d": needEmptyLine(token)
    case "ESC a":
      needEmptyLine(token)
      style.align = token.byte(2)
    case "GS L", "GS W": needEmptyLine(token)
    case "ESC M":
      style.font = token.byte(2)
      encoding = nil  // some clones drop the page with the font
    case "ESC !":
      if style.font != token.byte(2) & 1 { encoding = nil }
      style.font = token.byte(2) & 1
      style.bold = token.byte(2) & 8 != 0
      style.size = (token.byte(2) & 0x20 != 0 ? 0x10 : 0) | (token.byte(2) & 0x10 != 0 ? 1 : 0)
      style.underline = token.byte(2) & 0x80 != 0
    case "GS !": style.size = token.byte(2)
    case "ESC E": style.bold = token.byte(2) == 1
    case "ESC -": style.underline = token.byte(2) == 1
    case "FS -": kanjiUnderline = token.byte(2) == 1
    case "GS B": style.invert = token.byte(2) == 1
    case "FS &":
      if profile.kanji == nil { fault(token.offset, "the printer has no double-byte text") }
      isKanji = true
    case "FS .": isKanji = false
    case "ESC t":
      encoding = profile.codePages.first { $0.slot == token.byte(2) }?.encoding
      if encoding == nil { fault(token.offset, "the printer has no page \(token.byte(2))") }
    default: readBlock(token)
    }
  }

  private mutating func readBlock(_ token: Token) {
    switch token.name {
    case "GS v 0":
      needEmptyLine(token)
      let raster = Raster(
        byteWidth: token.pair(4), rows: token.pair(6), align: style.align, data: Array(token.payload))
      if raster.byteWidth > (profile.widthDots + 7) / 8 { fault(token.offset, "raster wider than the head") }
      if raster.rows > profile.raster?.maximumRows ?? 0 {
        fault(token.offset, "\(raster.rows) rows in a band")
      }
      rasters.append(raster)
    case "GS k":
      needEmptyLine(token)
      if token.payload.count > 255 { fault(token.offset, "barcode too long") }
      barcodes.append(Array(token.payload))
    case "GS ( k":
      if profile.qr == nil { fault(token.offset, "the printer has no QR codes") }
      let function = token.payload.dropFirst().first
      if function == 80 { stored = Array(token.payload.dropFirst(3)) }
      if function == 81 {
        needEmptyLine(token)
        qrCodes.append(stored)
      }
    case "GS V":
      needEmptyLine(token)
      if profile.cutter == nil { fault(token.offset, "the printer has no cutter") }
      cuts += 1
    case "ESC p": kicks += 1
    default: break
    }
  }

  private mutating func write(_ token: Token) {
    lineBytes += token.bytes
    line.align = style.align
    line.size = style.size
    line.bold = style.bold
    line.invert = style.invert
    line.font = style.font
    let cell = style.font == 0 ? profile.fontA.cell.width : profile.fontB?.cell.width ?? 0
    let width = style.size >> 4 + 1
    var bytes = token.bytes
    while let first = bytes.first {
      var count = 1
      var source = encoding
      if first >= 0x80, isKanji, let kanji = profile.kanji {
        source =
          kanji.encoding == .shiftJIS ? "CP932" : kanji.encoding == .big5 ? "CP950" : kanji.encoding.rawValue
        count = kanji.maximumBytes == 4 && (0x30...0x39).contains(bytes.dropFirst().first ?? 0) ? 4 : 2
        if style.underline != kanjiUnderline { fault(token.offset, "underline of double-byte text is wrong") }
      }
      line.underline = style.underline
      let code = Array(bytes.prefix(count))
      bytes = bytes.dropFirst(count)
      line.dots += (first >= 0x80 && isKanji ? 24 : cell) * width
      guard first >= 0x80 else {
        line.text.unicodeScalars.append(Unicode.Scalar(first))
        continue
      }
      guard let source, let character = Iconv.decode(code, from: source) else {
        fault(token.offset, "\(code.map(hex).joined()) is nothing in \(source ?? "an unknown page")")
        continue
      }
      if line.encodings.last != source { line.encodings.append(source) }
      line.text += character
    }
  }

  private mutating func endLine(_ token: Token) {
    if line.dots > profile.widthDots { fault(token.offset, "line of \(line.dots) dots: \(line.text)") }
    if lineBytes.last == 0x20, !line.underline, !line.invert {
      fault(token.offset, "spaces at the end of a line")
    }
    lines.append(line)
    line = Line()
    lineBytes = []
  }
}
