import ESCPOS
import TextRaster

extension Machine {
  /// `GS k`: bars and their caption; bars that do not fit are not printed, the paper feeds all the same.
  mutating func printBarcode(_ token: Token) {
    let request = BarcodeRequest(token)
    defer { if token[2] < 65, has(.resetsBarcodeSettings) { modes.barcode = Modes.BarcodeSettings() } }
    if (75...78).contains(token[2]), has(.knowsNoDataBar) {
      return events.append(.ignored(token.mnemonic, "this model has no DataBar"))
    }
    guard page != nil || line.isEmpty else {
      return events.append(.ignored(token.mnemonic, "the line is not empty"))
    }
    let modules: DotImage
    do {
      modules = try symbols.symbol(request.kind, data: request.data)
    } catch {
      return events.append(.ignored(token.mnemonic, "\(error)"))
    }
    let settings = modes.barcode
    let caption = request.caption
    let captionHeight = captionCell.height
    let (above, below) = (settings.caption & 1 != 0, settings.caption & 2 != 0)
    let width = modules.width * settings.module
    let height = settings.height + (above ? captionHeight : 0) + (below ? captionHeight : 0)
    guard width <= areaWidth else {
      events.append(.ignored(token.mnemonic, "\(width) dots of bars do not fit in \(areaWidth)"))
      return emit(nil, x: 0, advance: height)
    }
    let content = Sheet.Entry.Content.symbol(request.symbology.name, data: caption)
    let textWidth = caption.unicodeScalars.count * captionCell.width
    var image = DotImage(width: max(width, above || below ? min(textWidth, areaWidth) : 0), height: height)
    if paper.keeping == .dots {
      let bars = modules.scaled(settings.module, max(1, settings.height / max(1, modules.height)))
      image.draw(bars, x: (image.width - width) / 2, y: above ? captionHeight : 0)
      if above { draw(caption: caption, on: &image, y: 0) }
      if below { draw(caption: caption, on: &image, y: height - captionHeight) }
    }
    printImage(image, content: content)
  }

  private var captionCell: CellSize {
    modes.barcode.captionInFontB ? profile.fontB?.cell ?? profile.fontA.cell : profile.fontA.cell
  }

  private func draw(caption: String, on image: inout DotImage, y: Int) {
    let cell = captionCell
    var x = max(0, (image.width - caption.unicodeScalars.count * cell.width) / 2)
    for character in caption.unicodeScalars {
      image.draw(glyphs.glyph(character, cell: cell, bold: false), x: x, y: y)
      x += cell.width
    }
  }

  // MARK: GS ( k

  mutating func symbolFunction(_ token: Token) {
    switch token[5] {
    case 49: qrFunction(token)
    case 48: pdf417Function(token)
    default: events.append(.ignored(token.mnemonic, "this model has no code \(token[5])"))
    }
  }

  private mutating func qrFunction(_ token: Token) {
    let n = token[7]
    guard let qr = profile.qr else {
      return events.append(.ignored(token.mnemonic, "this model has no QR codes"))
    }
    switch token[6] {
    case 65: symbolStore.qr.model = n == 49 ? .model1 : n == 51 ? .micro : .model2
    case 67:
      guard (1...16).contains(n) else { return }
      symbolStore.qr.module = min(Int(n), qr.maximumModule)
    case 69:
      guard (48...51).contains(n) else { return }
      symbolStore.qr.correction = [.l, .m, .q, .h][Int(n - 48)]
    case 80:
      let data = Array(token.bytes.dropFirst(8))
      guard data.count <= qr.maximumBytes else {
        symbolStore.qr.data = []
        return events.append(
          .ignored(token.mnemonic, "\(data.count) bytes; this model stores \(qr.maximumBytes)"))
      }
      symbolStore.qr.data = data
    case 81, 82:
      let store = symbolStore.qr
      guard !store.data.isEmpty, let modules = modules(.qr(store.model, store.correction), store.data, token)
      else { return }
      let image = modules.scaled(store.module, store.module)
      if token[6] == 82 { return replySize(0x36, image) }
      printSymbol(image, .symbol("QR", data: String(decoding: store.data, as: UTF8.self)), token)
    default: break
    }
  }

  private mutating func pdf417Function(_ token: Token) {
    let n = Int(token[7])
    switch token[6] {
    case 65: if n <= 30 { symbolStore.pdf417.columns = n }
    case 66: if n == 0 || (3...90).contains(n) { symbolStore.pdf417.rows = n }
    case 67: if (2...8).contains(n) { symbolStore.pdf417.module = n }
    case 68: if (2...8).contains(n) { symbolStore.pdf417.rowHeight = n }
    case 69:
      let level = Int(token[8])
      if n == 48, (48...56).contains(level) { symbolStore.pdf417.correction = .level(level - 48) }
      if n == 49, (1...40).contains(level) { symbolStore.pdf417.correction = .tenths(level) }
    case 70: symbolStore.pdf417.isTruncated = n & 1 == 1
    case 80: symbolStore.pdf417.data = Array(token.bytes.dropFirst(8))
    case 81, 82:
      let store = symbolStore.pdf417
      let kind = SymbolKind.pdf417(
        columns: store.columns, rows: store.rows, store.correction, isTruncated: store.isTruncated)
      guard !store.data.isEmpty, let modules = modules(kind, store.data, token) else { return }
      let image = modules.scaled(store.module, store.module * store.rowHeight)
      if token[6] == 82 { return replySize(0x2F, image) }
      printSymbol(image, .symbol("PDF417", data: String(decoding: store.data, as: UTF8.self)), token)
    default: break
    }
  }

  private mutating func modules(_ kind: SymbolKind, _ data: [UInt8], _ token: Token) -> DotImage? {
    do {
      return try symbols.symbol(kind, data: data)
    } catch {
      events.append(.ignored(token.mnemonic, "\(error)"))
      return nil
    }
  }

  private mutating func printSymbol(_ image: DotImage, _ content: Sheet.Entry.Content, _ token: Token) {
    guard image.width <= areaWidth else {
      events.append(.ignored(token.mnemonic, "\(image.width) dots do not fit in \(areaWidth)"))
      return emit(nil, x: 0, advance: image.height)
    }
    printImage(image, content: content)
  }

  /// The answer to function 82: width, height, a fixed 1 and whether it can be printed, parted by 1F.
  private mutating func replySize(_ identifier: UInt8, _ image: DotImage) {
    let fits = image.width <= areaWidth
    reply(
      [0x37, identifier] + Array("\(image.width)\u{1F}\(image.height)\u{1F}1\u{1F}\(fits ? 0 : 1)".utf8) + [0]
    )
  }
}

extension BarcodeRequest {
  var kind: SymbolKind {
    switch symbology {
    case .upcA: .upcA
    case .upcE: .upcE
    case .ean13: .ean13
    case .ean8: .ean8
    case .code39: .code39
    case .itf: .itf
    case .codabar: .codabar
    case .code93: .code93
    case .code128: .code128
    case .gs1128: .gs1128
    case .dataBarOmnidirectional: .dataBarOmnidirectional
    case .dataBarTruncated: .dataBarTruncated
    case .dataBarLimited: .dataBarLimited
    case .dataBarExpanded: .dataBarExpanded
    case .code128Auto: .code128Auto
    }
  }

  /// What stands under the bars: the data, without the marks of code sets and with the check digit of EAN and UPC.
  var caption: String {
    switch symbology {
    case .upcA where data.count == 11, .ean13 where data.count == 12, .ean8 where data.count == 7:
      return text(data + [checkDigit])
    case .code128, .gs1128: return text(unescaped)
    default: return text(data)
    }
  }

  private func text(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.map { (0x20...0x7E).contains($0) ? Unicode.Scalar($0) : " " }))
  }

  /// The modulo-10 digit with weights 3, 1, 3 … from the right.
  private var checkDigit: UInt8 {
    let sum = data.reversed().enumerated().reduce(0) {
      $0 + Int($1.element - 0x30) * ($1.offset % 2 == 0 ? 3 : 1)
    }
    return UInt8(0x30 + (10 - sum % 10) % 10)
  }

  /// CODE128 data without `{A`, `{B`, `{1` …; the bytes of code set C as two digits each.
  private var unescaped: [UInt8] {
    var bytes: [UInt8] = []
    var isC = false
    var index = 0
    while index < data.count {
      if data[index] == UInt8(ascii: "{"), index + 1 < data.count {
        switch data[index + 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"):
          bytes.append(data[index + 1])
        case UInt8(ascii: "C"): isC = true
        case UInt8(ascii: "A"), UInt8(ascii: "B"): isC = false
        default: break
        }
        index += 2
        continue
      }
      if isC, data[index] < 100 {
        bytes += [0x30 + data[index] / 10, 0x30 + data[index] % 10]
      } else {
        bytes.append(data[index])
      }
      index += 1
    }
    return bytes
  }
}
