/// One command, or one run of text, of an ESC/POS stream.
///
/// The tokens of a stream tile it: each begins where the one before ends.
public struct Token: Equatable, Sendable {
  /// What is wrong with a command.
  public enum Fault: Equatable, Sendable {
    /// No printer knows it.
    case unknown
    /// The stream ends inside it; at least `missing` bytes are not there.
    case truncated(missing: Int)
    /// It is complete, but a printer ignores it, for the reason given.
    case ignored(String)
    /// Its payload is longer than what is kept; it was read to its end and thrown away.
    case oversized
  }

  /// The command.
  public var opcode: Opcode
  /// Where it begins, in bytes from the start of the stream.
  public var offset: Int
  /// Bytes from its first to its last.
  public var length: Int
  /// Its bytes; fewer than ``length`` only when it is oversized.
  public var bytes: ArraySlice<UInt8>
  /// What is wrong with it, or nil.
  public var fault: Fault?

  init(_ opcode: Opcode, offset: Int, bytes: ArraySlice<UInt8>, length: Int? = nil, fault: Fault? = nil) {
    self.opcode = opcode
    self.offset = offset
    self.bytes = bytes
    self.length = length ?? bytes.count
    self.fault = fault
  }

  /// The byte at `index` from the start of the command; 0 beyond what is there.
  public subscript(index: Int) -> UInt8 {
    let place = bytes.startIndex + index
    return place < bytes.endIndex ? bytes[place] : 0
  }

  /// The little-endian pair at `index`.
  func pair(_ index: Int) -> Int { Int(self[index]) | Int(self[index + 1]) << 8 }

  /// The name of the command, with its function where one code has several: `GS ( k`, `DLE DC4 8`, `ESC c 5`.
  public var mnemonic: String {
    switch opcode {
    case .escParenthesis, .fsParenthesis, .gsParenthesis:
      "\(opcode.rawValue) \(Character(Unicode.Scalar(self[2])))"
    case .dleDC4: "DLE DC4 \(self[2])"
    case .escPanel: "ESC c \(Character(Unicode.Scalar(self[2])))"
    default: opcode.rawValue
    }
  }

  /// Bytes of the command before its payload; nil for commands without one.
  private var headerLength: Int? {
    switch opcode {
    case .text: 0
    case .escParenthesis, .fsParenthesis, .gsParenthesis, .escBitImage: 5
    case .gsGraphics8L: 7
    case .gsRaster, .gsVariableImage: 8
    case .gsDefineImage, .fsDefineKanji: 4
    case .escDefineCharacters: 5
    case .fsDefineImages: 3
    case .fsUserMemory: self[2] == 0x31 ? 10 : nil
    case .gsBitmap: 9
    case .gsBarcode: self[2] >= 65 ? 4 : 3
    default: nil
    }
  }

  /// Where the payload (text, dots, symbol or stored bytes) lies in the stream, or nil when it has none.
  public var payloadRange: Range<Int>? {
    guard let headerLength, fault != .unknown, headerLength <= length else { return nil }
    let terminator = opcode == .gsBarcode && self[2] < 65 && length > headerLength ? 1 : 0
    return offset + headerLength..<offset + length - terminator
  }

  /// The bytes of the payload.
  public var payload: ArraySlice<UInt8> {
    guard let range = payloadRange else { return [] }
    let start = bytes.startIndex + (range.lowerBound - offset)
    let end = bytes.startIndex + (range.upperBound - offset)
    return bytes[min(start, bytes.endIndex)..<min(end, bytes.endIndex)]
  }

  /// The parameters: the bytes between the name of the command and its payload.
  public var parameters: ArraySlice<UInt8> {
    guard opcode != .text, opcode != .nul, opcode != .unknown else { return [] }
    let end = headerLength.map { min($0, bytes.count) } ?? bytes.count
    return bytes.dropFirst(2).prefix(max(0, end - 2))
  }

  /// Real-time commands that stand inside this command's bytes; a printer acts on them at receipt, whatever they
  /// stand in (notes on `DLE EOT` in the Epson reference).
  public var realTimeInside: [(offset: Int, command: RealTimeCommand)] {
    guard opcode != .dleEOT, opcode != .dleENQ, opcode != .dleDC4 else { return [] }
    var scanner = RealTimeScanner()
    var found: [(offset: Int, command: RealTimeCommand)] = []
    bytes.withUnsafeBufferPointer { buffer in
      var from = 0
      while let (command, end) = scanner.next(in: buffer, from: from) {
        found.append((offset + end - command.length, command))
        from = end
      }
    }
    return found
  }
}
