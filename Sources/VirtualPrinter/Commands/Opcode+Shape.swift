/// What the bytes read so far say about the end of a command.
enum CommandExtent: Equatable {
  /// The end is not known before this many bytes of the command are there.
  case needs(Int)
  /// The command is this many bytes long; they need not all be there yet.
  case ends(at: Int)
  /// Nobody knows this command; the reading goes on after this many bytes.
  case unknown(length: Int)
}

/// The bytes of a command from its first one on, as far as they have come.
struct CommandPrefix {
  let bytes: UnsafeBufferPointer<UInt8>
  var count: Int { bytes.count }
  subscript(index: Int) -> UInt8 { bytes[index] }
  /// The little-endian pair at `index`.
  func pair(_ index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }
}

extension Opcode {
  /// Bytes after the two that name the command, for commands of a fixed length; nil for the others.
  var fixedParameters: Int? {
    switch self {
    case .bel, .ht, .lf, .vt, .ff, .cr, .can, .fs, .text, .nul, .unknown: nil
    case .dleEOT, .dleDC4, .escDefineCharacters, .escParenthesis, .escBitImage, .escCancelCharacters,
      .escReset,
      .escTabs, .escPanel, .fsParenthesis, .fsDefineKanji, .fsUserMemory, .fsDefineImages, .gsDefineImage,
      .gsParenthesis, .gsGraphics8L, .gsCounterMode, .gsCounterModeText, .gsBitmap, .gsVariableImage, .gsCut,
      .gsMaintenance, .gsBarcode, .gsRaster, .gsOnlineRecovery:
      nil
    case .escFF, .escDefaultSpacing, .escHome, .escInitialize, .escPageMode, .escStandardMode, .escFullCut,
      .escPartialCut, .escPaperStatus, .fsKanji, .fsKanjiOff, .gsMacro, .gsPrintCounter:
      0
    case .escPosition, .escRelativePosition, .escBeep, .escSlipWait, .fsCancelKanji, .fsSpacing,
      .fsPrintImage,
      .gsVerticalPosition, .gsLeftMargin, .gsMotionUnits, .gsAreaWidth, .gsRelativeVertical:
      2
    case .escPulse, .gsRunMacro: 3
    case .escArea: 8
    default: 1
    }
  }
}

extension CommandPrefix {
  /// Where the command ends that starts with these bytes; there is at least one, and it is below 0x20.
  var extent: CommandExtent {
    guard let lead = Opcode.Lead(rawValue: self[0]) else {
      return Opcode(single: self[0]) == nil ? .unknown(length: 1) : .ends(at: 1)
    }
    guard count > 1 else { return .needs(2) }
    guard let opcode = Opcode.command(lead, self[1]) else {
      if lead == .fs { return .ends(at: 1) }
      // A second lead byte opens a command of its own: only the first one is stray.
      return .unknown(length: Opcode.Lead(rawValue: self[1]) == nil ? 2 : 1)
    }
    if let parameters = opcode.fixedParameters { return .ends(at: 2 + parameters) }
    return variable(opcode)
  }

  private func variable(_ opcode: Opcode) -> CommandExtent {
    switch opcode {
    case .dleEOT, .dleDC4: return realTime(opcode)
    case .escTabs: return tabs
    case .escCancelCharacters: return with(3) { self[2] == 0x0A ? .ends(at: 4) : .ends(at: 3) }
    case .escPanel:
      return with(3) {
        [0x30, 0x31, 0x33, 0x34, 0x35].contains(self[2]) ? .ends(at: 4) : .unknown(length: 3)
      }
    case .escParenthesis, .fsParenthesis, .gsParenthesis: return with(5) { .ends(at: 5 + pair(3)) }
    case .gsGraphics8L:
      return with(3) {
        guard self[2] == UInt8(ascii: "L") else { return .unknown(length: 2) }
        return with(7) { .ends(at: 7 + pair(3) + pair(5) << 16) }
      }
    case .gsCut: return with(3) { Self.cutFeeds.contains(self[2]) ? .ends(at: 4) : .ends(at: 3) }
    case .gsMaintenance:
      return with(3) { [0x30, 0x32].contains(self[2]) ? .ends(at: 6) : .unknown(length: 3) }
    case .gsOnlineRecovery: return with(3) { self[2] == 0x30 ? .ends(at: 5) : .unknown(length: 2) }
    case .gsCounterMode:
      return with(3) {
        switch self[2] {
        case 0x30: .ends(at: 5)
        case 0x31: .ends(at: 9)
        case 0x32: .ends(at: 5)
        case UInt8(ascii: ";"): counterText
        default: .unknown(length: 3)
        }
      }
    case .gsBarcode: return barcode
    default: return image(opcode)
    }
  }

  private func image(_ opcode: Opcode) -> CommandExtent {
    switch opcode {
    case .escBitImage:
      return with(3) {
        guard let rows = [0: 1, 1: 1, 32: 3, 33: 3][self[2]] else { return .unknown(length: 3) }
        return with(5) { .ends(at: 5 + rows * pair(3)) }
      }
    case .gsRaster, .gsVariableImage:
      return with(3) {
        guard self[2] == 0x30 else { return .unknown(length: 2) }
        return with(8) { .ends(at: 8 + pair(4) * pair(6)) }
      }
    case .gsDefineImage: return with(4) { .ends(at: 4 + Int(self[2]) * Int(self[3]) * 8) }
    case .escDefineCharacters: return userCharacters
    case .fsDefineKanji: return .ends(at: 4 + 72)
    case .fsDefineImages: return storedImages
    case .fsUserMemory:
      return with(3) {
        switch self[2] {
        case 0x31: with(10) { .ends(at: 10 + pair(8)) }
        case 0x32: .ends(at: 10)
        default: .unknown(length: 3)
        }
      }
    case .gsBitmap:
      return with(11) {
        guard self[9] == UInt8(ascii: "B"), self[10] == UInt8(ascii: "M") else { return .unknown(length: 9) }
        return with(15) { .ends(at: max(15, 9 + pair(11) + pair(13) << 16)) }
      }
    default: return .unknown(length: 2)
    }
  }

  /// Forms of `GS V` that carry a feed.
  static let cutFeeds: [UInt8] = [65, 66, 97, 98, 103, 104]

  /// `body`, once `needed` bytes are there.
  private func with(_ needed: Int, _ body: () -> CommandExtent) -> CommandExtent {
    count < needed ? .needs(needed) : body()
  }

  /// `DLE EOT n` (7, 8 and 18 carry one byte more) and the functions of `DLE DC4`.
  private func realTime(_ opcode: Opcode) -> CommandExtent {
    with(3) {
      if opcode == .dleEOT { return .ends(at: [7, 8, 18].contains(self[2]) ? 4 : 3) }
      guard let length = RealTimeCommand.length(ofFunction: self[2]) else { return .unknown(length: 3) }
      return .ends(at: length)
    }
  }

  /// `ESC D n1…nk NUL`: up to 32 growing columns; one that does not grow ends the list and is not part of it.
  private var tabs: CommandExtent {
    var index = 2
    while index < count {
      if self[index] == 0 { return .ends(at: index + 1) }
      if index == 34 || index > 2 && self[index] <= self[index - 1] { return .ends(at: index) }
      index += 1
    }
    return .needs(index + 1)
  }

  /// `GS C ; sa ; sb ; sn ; sr ; sc ;`: five decimal numbers, each closed by a semicolon.
  private var counterText: CommandExtent {
    var index = 3
    var semicolons = 0
    while index < count {
      if self[index] == UInt8(ascii: ";") {
        semicolons += 1
      } else if !(0x30...0x39).contains(self[index]) {
        return .unknown(length: 3)
      }
      index += 1
      if semicolons == 5 { return .ends(at: index) }
      if index > 40 { return .unknown(length: 3) }
    }
    return .needs(index + 1)
  }

  /// `GS k m d… NUL` for m 0–6, `GS k m n d…` for m 65–79.
  private var barcode: CommandExtent {
    with(3) {
      switch self[2] {
      case 0...6:
        var index = 3
        while index < count {
          if self[index] == 0 { return .ends(at: index + 1) }
          index += 1
          if index > 3 + 255 { return .unknown(length: 3) }
        }
        return .needs(index + 1)
      case 65...79: return with(4) { .ends(at: 4 + Int(self[3])) }
      default: return .unknown(length: 3)
      }
    }
  }

  /// `ESC & y c1 c2 [x d…]…`: for each character its width x and x × y bytes.
  private var userCharacters: CommandExtent {
    with(5) {
      let (height, first, last) = (Int(self[2]), self[3], self[4])
      guard (1...3).contains(height), first >= 32, last <= 126, first <= last else {
        return .unknown(length: 5)
      }
      var index = 5
      for _ in first...last {
        guard index < count else { return .needs(index + 1) }
        index += 1 + height * Int(self[index])
      }
      return .ends(at: index)
    }
  }

  /// `FS q n [xL xH yL yH d…]…`: x × y × 8 bytes for each of n images.
  private var storedImages: CommandExtent {
    with(3) {
      var index = 3
      for _ in 0..<self[2] {
        guard index + 4 <= count else { return .needs(index + 4) }
        index += 4 + pair(index) * pair(index + 2) * 8
      }
      return .ends(at: index)
    }
  }
}

extension Opcode {
  /// The commands of one byte.
  init?(single byte: UInt8) {
    switch byte {
    case 0x00: self = .nul
    case 0x07: self = .bel
    case 0x09: self = .ht
    case 0x0A: self = .lf
    case 0x0B: self = .vt
    case 0x0C: self = .ff
    case 0x0D: self = .cr
    case 0x18: self = .can
    default: return nil
    }
  }
}
