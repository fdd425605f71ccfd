/// The bytes of every command that the renderer sends, one factory each.
///
/// Source of all: Epson ESC/POS command reference, unless a factory names another. The real-time pairs
/// `10 04`, `10 05` and `10 14` do not occur in any of them; see ``RealTimeGuard``.
enum Command {
  /// `ESC = 1`, `1B 3D 01`: the printer takes the data, not a customer display behind it.
  static let selectPrinter: [UInt8] = [0x1B, 0x3D, 0x01]
  /// `ESC @`, `1B 40`: clears the print buffer and the modes. Sent once, at the start of a job.
  static let initialize: [UInt8] = [0x1B, 0x40]
  /// `ESC R 0`, `1B 52 00`: the US character set, so that `$`, `#` and `{` are what they are.
  static let internationalUSA: [UInt8] = [0x1B, 0x52, 0x00]
  /// `ESC 2`, `1B 32`: default line spacing, 1/6 inch.
  static let defaultSpacing: [UInt8] = [0x1B, 0x32]
  /// `FS &`, `1C 26`: double-byte text on.
  static let kanjiOn: [UInt8] = [0x1C, 0x26]
  /// `FS .`, `1C 2E`: double-byte text off.
  static let kanjiOff: [UInt8] = [0x1C, 0x2E]
  /// `LF`, `0A`: prints the line and feeds it.
  static let lineFeed: UInt8 = 0x0A

  /// `ESC t n`, `1B 74 n`: the code page of 80 through FF.
  static func codePage(_ slot: UInt8) -> [UInt8] { [0x1B, 0x74, slot] }

  /// `FS C n`, `1C 43 n`: the code system of double-byte text.
  static func kanjiSystem(_ system: UInt8) -> [UInt8] { [0x1C, 0x43, system] }

  /// `FS - n`, `1C 2D n`: underline of double-byte text, one dot thick.
  static func kanjiUnderline(_ on: Bool) -> [UInt8] { [0x1C, 0x2D, on ? 1 : 0] }

  /// `ESC M n`, `1B 4D n`: font A or B.
  static func font(_ font: Receipt.Font) -> [UInt8] { [0x1B, 0x4D, font == .a ? 0 : 1] }

  /// `ESC a n`, `1B 61 n`: alignment; only at the start of a line.
  static func align(_ align: Receipt.Alignment) -> [UInt8] {
    switch align {
    case .left: [0x1B, 0x61, 0]
    case .center: [0x1B, 0x61, 1]
    case .right: [0x1B, 0x61, 2]
    }
  }

  /// `ESC ! n`, `1B 21 n`: font, bold, double height, double width and underline of single-byte text, all at
  /// once.
  /// Sizes are 1 or 2.
  static func mode(_ style: Receipt.Style) -> [UInt8] {
    var mode: UInt8 = style.font == .a ? 0 : 0x01
    if style.bold { mode |= 0x08 }
    if style.height > 1 { mode |= 0x10 }
    if style.width > 1 { mode |= 0x20 }
    if style.underline { mode |= 0x80 }
    return [0x1B, 0x21, mode]
  }

  /// `GS ! n`, `1D 21 n`: size; width minus one in the high half, height minus one in the low half, each 0
  /// through 7.
  static func size(width: Int, height: Int) -> [UInt8] {
    [0x1D, 0x21, UInt8(truncatingIfNeeded: (width - 1) << 4 | (height - 1))]
  }

  /// `ESC E n`, `1B 45 n`: bold.
  static func bold(_ on: Bool) -> [UInt8] { [0x1B, 0x45, on ? 1 : 0] }

  /// `ESC - n`, `1B 2D n`: underline of single-byte text, one dot thick.
  static func underline(_ on: Bool) -> [UInt8] { [0x1B, 0x2D, on ? 1 : 0] }

  /// `GS B n`, `1D 42 n`: white on black.
  static func invert(_ on: Bool) -> [UInt8] { [0x1D, 0x42, on ? 1 : 0] }

  /// `GS L nL nH`, `1D 4C nL nH`: left margin; only at the start of a line.
  static let noLeftMargin: [UInt8] = [0x1D, 0x4C, 0x00, 0x00]

  /// `GS W nL nH`, `1D 57 nL nH`: width of the print area in dots; only at the start of a line.
  static func areaWidth(_ dots: Int) -> [UInt8] { [0x1D, 0x57] + pair(dots) }

  /// `ESC d n`, `1B 64 n`: feeds 1 through 255 lines.
  static func feed(lines: Int) -> [UInt8] { [0x1B, 0x64, UInt8(clamping: lines)] }

  /// `GS V m`, `1D 56 m`: cuts where the paper is, 0 fully, 1 partially.
  static func cut(_ mode: Receipt.Cut.Mode) -> [UInt8] { [0x1D, 0x56, mode == .full ? 0 : 1] }

  /// `GS V m n`, `1D 56 41|42 00`: feeds to the blade, then cuts. The `n` is part of it, always.
  static func feedAndCut(_ mode: Receipt.Cut.Mode) -> [UInt8] {
    [0x1D, 0x56, mode == .full ? 0x41 : 0x42, 0x00]
  }

  /// `ESC p m t1 t2`, `1B 70 m t1 t2`: drawer pulse, five bytes always. On for 2 × t1 ms, off for 2 × t2 ms.
  ///
  /// - Parameters:
  ///   - pin: 2 or 5.
  ///   - milliseconds: 2 through 510; others are brought into the range.
  static func drawer(pin: Int, milliseconds: Int) -> [UInt8] {
    let on = min(max(milliseconds / 2, 1), 255)
    return [0x1B, 0x70, pin == 5 ? 1 : 0, UInt8(on), UInt8(max(on, 250))]
  }

  /// `BEL`, `07`.
  static let bell: UInt8 = 0x07

  /// `ESC B n t`, `1B 42 n t`: n beeps of t × 50 ms or 100 ms. Source: Zjiang and Xprinter command sets.
  static func beep(times: Int) -> [UInt8] { [0x1B, 0x42, UInt8(min(max(times, 1), 9)), 0x02] }

  /// `ESC ( A` function 97, `1B 28 41 04 00 61 01 c 0A`: buzzer pattern 1, c times.
  static func buzzer(times: Int) -> [UInt8] {
    [0x1B, 0x28, 0x41, 0x04, 0x00, 0x61, 0x01, UInt8(min(max(times, 1), 9)), 0x0A]
  }

  /// `GS v 0`, `1D 76 30 00 xL xH yL yH`: the head of a raster image, width in bytes, height in rows.
  static func raster(byteWidth: Int, rows: Int) -> [UInt8] {
    [0x1D, 0x76, 0x30, 0x00] + pair(byteWidth) + pair(rows)
  }

  /// `GS h n`, `1D 68 n`: height of the bars in dots, 1 through 255.
  static func barcodeHeight(_ dots: Int) -> [UInt8] { [0x1D, 0x68, UInt8(min(max(dots, 1), 255))] }

  /// `GS w n`, `1D 77 n`: width of a module in dots, 2 through 6.
  static func barcodeModule(_ dots: Int) -> [UInt8] { [0x1D, 0x77, UInt8(min(max(dots, 2), 6))] }

  /// `GS H n`, `1D 48 n`: where the human readable digits stand.
  static func barcodeCaption(_ caption: Receipt.Barcode.Caption) -> [UInt8] {
    let place: UInt8 =
      switch caption {
      case .none: 0
      case .above: 1
      case .below: 2
      case .both: 3
      }
    return [0x1D, 0x48, place]
  }

  /// `GS k m n d…` (form B), `1D 6B m n d…`: prints a barcode; the line must be empty. `data` has at most
  /// 255 bytes.
  static func barcode(_ symbology: Receipt.Barcode.Symbology, _ data: [UInt8]) -> [UInt8] {
    [0x1D, 0x6B, symbology == .ean13 ? 67 : 73, UInt8(clamping: data.count)] + data
  }

  /// `GS ( k` function 165, `1D 28 6B 04 00 31 41 32 00`: QR model 2.
  static let qrModel2: [UInt8] = [0x1D, 0x28, 0x6B, 0x04, 0x00, 0x31, 0x41, 0x32, 0x00]

  /// `GS ( k` function 167, `1D 28 6B 03 00 31 43 n`: width of a QR module in dots, 1 through 16.
  static func qrModule(_ dots: Int) -> [UInt8] {
    [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x43, UInt8(min(max(dots, 1), 16))]
  }

  /// `GS ( k` function 169, `1D 28 6B 03 00 31 45 n`: error correction of a QR code.
  static func qrCorrection(_ correction: Receipt.QRCode.Correction) -> [UInt8] {
    let level: UInt8 =
      switch correction {
      case .l: 48
      case .m: 49
      case .q: 50
      case .h: 51
      }
    return [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x45, level]
  }

  /// `GS ( k` function 180, `1D 28 6B pL pH 31 50 30 d…`: stores a QR code's data; p counts from `31`, in 16
  /// bits.
  static func qrStore(_ data: [UInt8]) -> [UInt8] {
    [0x1D, 0x28, 0x6B] + pair(data.count + 3) + [0x31, 0x50, 0x30] + data
  }

  /// `GS ( k` function 181, `1D 28 6B 03 00 31 51 30`: prints the stored QR code; the line must be empty.
  static let qrPrint: [UInt8] = [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x51, 0x30]

  /// A number as low and high byte; what does not fit in them is a fault of the caller and becomes FF FF.
  private static func pair(_ number: Int) -> [UInt8] {
    let value = UInt16(clamping: number)
    return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}
