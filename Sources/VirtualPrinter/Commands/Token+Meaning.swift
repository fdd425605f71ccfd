extension Token {
  /// What the command does, for a person, with its parameters in words.
  public var meaning: String {
    let words = description
    switch fault {
    case nil: return words
    case .unknown: return "unknown command"
    case .truncated(let missing): return "\(words); cut off, at least \(missing) bytes missing"
    case .ignored(let reason): return "\(words); ignored: \(reason)"
    case .oversized: return "\(words); longer than any printer stores"
    }
  }

  /// `ESC ! n`: the styles that its bits turn on.
  private func printMode(_ n: UInt8) -> String {
    var words = [n & 0x01 == 0 ? "font A" : "font B"]
    for (bit, word) in [(0x08, "bold"), (0x10, "high"), (0x20, "wide"), (0x80, "underlined")]
    where Int(n) & bit != 0 { words.append(word) }
    return "print mode: \(words.joined(separator: ", "))"
  }

  private var description: String {
    let n = Int(self[2])
    let isOn = n & 1 == 1
    switch opcode {
    case .text: return "\"\(readable(bytes))\""
    case .nul: return "\(length) × nothing"
    case .unknown: return "unknown command"
    case .bel: return "beep"
    case .ht: return "next tab"
    case .lf: return "print line"
    case .vt: return "vertical tab"
    case .ff: return "print page, back to lines"
    case .cr: return "carriage return"
    case .can: return "clear page"
    case .fs: return "slip station"
    case .dleEOT: return "real time: status \(n)"
    case .dleENQ: return n == 2 ? "real time: clear and recover" : "real time: recover (\(n))"
    case .dleDC4: return realTimeMeaning
    case .escInitialize: return "initialise"
    case .escReset: return "reset hardware"
    case .escPrintMode: return printMode(self[2])
    case .escPosition: return "to position \(pair(2))"
    case .escRelativePosition: return "move by \(Int(Int16(truncatingIfNeeded: pair(2))))"
    case .escBitImage: return "column image, \(n < 2 ? 8 : 24) dots × \(pair(3)) columns"
    case .escUnderline, .fsUnderline: return "underline \(n % 48)"
    case .escDefaultSpacing: return "default line spacing"
    case .escSpacing: return "line spacing \(n) units"
    case .escSpacing60: return "line spacing \(n)/60 inch"
    case .escSpacing360: return "line spacing \(n)/360 inch"
    case .escPeripheral: return n & 1 == 1 ? "select printer" : "deselect printer (\(n))"
    case .escBeep: return "beep \(n) ×, length \(self[3])"
    case .escTabs: return "tabs at \(parameters.filter { $0 != 0 }.map(String.init).joined(separator: ", "))"
    case .gsSmoothing: return isOn ? "smoothing on" : "smoothing off"
    case .gsCaptionFont:
      return "barcode text in font \(n % 48 == 0 ? "A" : n % 48 == 1 ? "B" : String(n % 48))"
    case .escBold: return isOn ? "bold on" : "bold off"
    case .escDoubleStrike: return isOn ? "double strike on" : "double strike off"
    case .escFeedUnits: return "feed \(n) units"
    case .escFeedLines: return "feed \(n) lines"
    case .escReverseFeedUnits: return "feed \(n) units back"
    case .escReverseFeedLines: return "feed \(n) lines back"
    case .escPageMode: return "page mode"
    case .escStandardMode: return "back to lines"
    case .escFF: return "print page"
    case .escFont:
      return "font \(n % 48 == 0 || n == 97 ? "A" : n % 48 == 1 || n == 98 ? "B" : String(n % 48))"
    case .escCharacterSet: return "international set \(n)"
    case .escCodePage: return "code page \(n)"
    case .escRotate: return n % 48 == 0 ? "rotation off" : "rotate by 90°"
    case .escUpsideDown: return isOn ? "upside down on" : "upside down off"
    case .escAlign: return "align \(["left", "centre", "right"][min(n % 48, 2)])"
    case .escPulse:
      return "drawer on pin \(n & 1 == 0 ? 2 : 5), \(Int(self[3]) * 2) ms on, \(Int(self[4]) * 2) ms off"
    case .escFullCut: return "full cut"
    case .escPartialCut: return "partial cut"
    case .escPanel: return "switch \(Character(Unicode.Scalar(self[2]))): \(self[3])"
    case .escColor: return isOn ? "second colour" : "black"
    case .fsKanji: return "double-byte text on"
    case .fsKanjiOff: return "double-byte text off"
    case .fsKanjiMode: return "double-byte print mode \(hex(self[2]))"
    case .fsCodeSystem: return "double-byte code system \(n)"
    case .fsPrintImage, .gsPrintImage: return "print stored image \(n)"
    case .gsSize: return "size \(n >> 4 & 7 + 1) × \(n & 7 + 1)"
    case .gsReverse: return isOn ? "white on black on" : "white on black off"
    case .gsLeftMargin: return "left margin \(pair(2)) units"
    case .gsAreaWidth: return "print area \(pair(2)) units wide"
    case .gsMotionUnits: return "motion units 1/\(n) and 1/\(self[3]) inch"
    case .gsCut: return cutMeaning
    case .gsStatusBack: return n == 0 ? "status by itself: off" : "status by itself: \(hex(self[2]))"
    case .gsStatus: return "send status \(n)"
    case .gsIdentity: return "send identity \(n)"
    case .gsBarcodeHeight: return "barcode height \(n) dots"
    case .gsBarcodeWidth: return "barcode module \(n) dots"
    case .gsCaption: return "barcode text \(["off", "above", "below", "above and below"][min(n % 48, 3)])"
    case .gsBarcode:
      let request = BarcodeRequest(self)
      return "\(request.symbology.name) \"\(readable(request.data[...]))\""
    case .gsRaster: return "raster, \(pair(4) * 8) × \(pair(6)) dots, mode \(self[3] & 3)"
    case .gsParenthesis: return functionMeaning
    case .gsGraphics8L: return graphicsMeaning(at: 7)
    default:
      return parameters.isEmpty ? opcode.rawValue : parameters.prefix(16).map(hex).joined(separator: " ")
    }
  }

  private var realTimeMeaning: String {
    switch self[2] {
    case 1: "real time: drawer on pin \(self[3] & 1 == 0 ? 2 : 5), \(Int(self[4]) * 100) ms"
    case 2: "real time: power off"
    case 3: "real time: buzzer"
    case 7: "real time: status block \(self[3])"
    default: "real time: clear buffers"
    }
  }

  private var cutMeaning: String {
    let kind = [0, 48, 65, 97, 103].contains(self[2]) ? "full cut" : "partial cut"
    return CommandPrefix.cutFeeds.contains(self[2]) ? "feed to the blade + \(self[3]), \(kind)" : kind
  }

  private var functionMeaning: String {
    switch (self[2], self[6]) {
    case (UInt8(ascii: "k"), 80): "store \(symbolName): \"\(readable(bytes.dropFirst(8)))\""
    case (UInt8(ascii: "k"), 81): "print \(symbolName)"
    case (UInt8(ascii: "k"), 65) where self[5] == 49: "QR code model \(self[7] & 3)"
    case (UInt8(ascii: "k"), 67): "\(symbolName) module \(self[7]) dots"
    case (UInt8(ascii: "k"), 69) where self[5] == 49:
      "QR code correction \(["L", "M", "Q", "H"][Int(self[7] & 3)])"
    case (UInt8(ascii: "k"), _):
      "\(symbolName) function \(self[6]): \(bytes.dropFirst(7).prefix(16).map(hex).joined(separator: " "))"
    case (UInt8(ascii: "L"), _): graphicsMeaning(at: 5)
    case (UInt8(ascii: "H"), _) where self[5] == 48: "process id \"\(readable(bytes.dropFirst(7)))\""
    case (UInt8(ascii: "H"), _): "offline notice \(self[7] & 3)"
    case (UInt8(ascii: "D"), _): "real-time commands: \(bytes.dropFirst(6).map(hex).joined(separator: " "))"
    default: bytes.dropFirst(5).prefix(16).map(hex).joined(separator: " ")
    }
  }

  private var symbolName: String {
    switch self[5] {
    case 48: "PDF417"
    case 49: "QR code"
    default: "2D code \(self[5])"
    }
  }

  private func graphicsMeaning(at start: Int) -> String {
    switch self[start + 1] {
    case 112: "store graphics, \(pair(start + 6)) × \(pair(start + 8)) dots"
    case 2, 50: "print stored graphics"
    default: "graphics function \(self[start + 1])"
    }
  }
}

/// A byte as two digits.
func hex(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return digits.utf8.count == 1 ? "0\(digits)" : digits
}

/// Bytes as ASCII, others as `\xNN`; long ones are cut with an ellipsis.
private func readable(_ bytes: ArraySlice<UInt8>) -> String {
  let text = bytes.prefix(64).map { byte in
    (0x20...0x7E).contains(byte) ? String(Character(Unicode.Scalar(byte))) : "\\x\(hex(byte))"
  }
  return text.joined() + (bytes.count > 64 ? "…" : "")
}
