/// What a printer answers to the status commands in what it gets (Epson ESC/POS command reference).
///
/// It looks for the commands' bytes and knows no others, so that raster data that happens to hold them is answered too.
public struct FakeStatus: Sendable {
  /// Whether there is no paper.
  public var isOutOfPaper = false
  /// Whether the cover is open.
  public var isCoverOpen = false
  /// Whether it answers `GS ( H` function 48; many clones do not.
  public var hasProcessID = true
  /// Whether it answers `GS r`.
  public var hasTransmitStatus = true
  private var arriving: [UInt8] = []
  private var printing: [UInt8] = []
  private var immediate: [UInt8] = []

  /// Creates a printer's status: all is well.
  public init() {}

  mutating func forget() {
    arriving = []
    printing = []
  }

  /// `DLE EOT n` is answered as it arrives.
  mutating func arrived(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      arriving = (arriving + [byte]).suffix(3)
      guard arriving.count == 3, arriving[0] == 0x10, arriving[1] == 0x04, (1...4).contains(byte) else {
        continue
      }
      var answer: UInt8 = 0x12
      switch byte {
      case 1 where isOutOfPaper || isCoverOpen: answer |= 0x08
      case 2: answer |= (isCoverOpen ? 0x04 : 0) | (isOutOfPaper ? 0x20 : 0)
      case 4 where isOutOfPaper: answer |= 0x6C
      default: break
      }
      immediate.append(answer)
    }
  }

  mutating func takeImmediate() -> [UInt8] {
    defer { immediate = [] }
    return immediate
  }

  /// `GS r` and `GS ( H` are answered when their turn has come.
  mutating func printed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var answers: [UInt8] = []
    for byte in bytes {
      printing = (printing + [byte]).suffix(11)
      if hasTransmitStatus, printing.suffix(3).dropLast().elementsEqual([0x1D, 0x72]), byte == 1 || byte == 49
      {
        answers.append(isOutOfPaper ? 0x0C : 0)
      }
      if hasProcessID, printing.count == 11, printing.prefix(7) == [0x1D, 0x28, 0x48, 6, 0, 0x30, 0x30] {
        answers += [0x37, 0x22] + printing.suffix(4) + [0]
      }
    }
    return answers
  }
}
