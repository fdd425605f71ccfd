/// Cuts an ESC/POS stream into its commands, however the stream itself was cut on its way.
///
/// The same bytes give the same tokens in whatever pieces they come. An unknown command is reported and the
/// reading goes on right behind it; a truncated one is reported by ``finish()``.
public struct CommandTokenizer: Sendable {
  /// The most bytes of one command that are kept; a longer one is read to its end but carries no payload.
  public static let maximumKept = 4 << 20
  /// The longest run of text, or of NUL, in one token.
  public static let maximumRun = 1024

  /// Bytes from the start of the stream to the first that is in no token yet.
  public private(set) var offset = 0
  private var pending: [UInt8] = []
  /// The whole length of the pending command, once known.
  private var target: Int?
  /// The bytes of an oversized command that are still to come.
  private var skipping = 0
  private var skippedLength = 0

  /// Creates a tokenizer at the start of a stream.
  public init() {}

  /// Whether a command or a run of text has begun and not ended.
  public var isInsideToken: Bool { !pending.isEmpty || skipping > 0 }

  /// Bytes of an unfinished command that are still to come, as far as its header says; 0 between commands.
  public var missing: Int { skipping > 0 ? skipping : max(0, (target ?? 0) - pending.count) }

  /// Takes the next token from the front of `input`.
  ///
  /// - Returns: The token, or nil when `input` has been used up and more is needed.
  public mutating func next(from input: inout ArraySlice<UInt8>) -> Token? {
    if skipping > 0 { return skip(&input) }
    if pending.isEmpty {
      guard !input.isEmpty else { return nil }
      if let token = whole(&input) { return token }
      if skipping > 0 { return skip(&input) }
    }
    return joined(&input)
  }

  /// All tokens that `bytes` completes.
  public mutating func tokens(of bytes: [UInt8]) -> [Token] {
    var rest = bytes[...]
    var tokens: [Token] = []
    while let token = next(from: &rest) { tokens.append(token) }
    return tokens
  }

  /// Ends the stream: what is pending comes out as text or as a truncated command.
  public mutating func finish() -> [Token] {
    var tokens: [Token] = []
    var nothing: ArraySlice<UInt8> = []
    while let token = next(from: &nothing) { tokens.append(token) }
    guard isInsideToken else { return tokens }
    let missing = max(1, missing)
    let (bytes, length) = (pending, pending.count + skippedLength - skipping)
    switch pending[0] {
    case 0x20...: tokens.append(take(.text, bytes[...]))
    case 0x00: tokens.append(take(.nul, bytes[...]))
    case 0x1C where bytes.count == 1: tokens.append(take(.fs, bytes[...]))
    default:
      let opcode = Self.opcode(bytes[...])
      tokens.append(take(opcode, bytes[...], length: length, fault: .truncated(missing: missing)))
    }
    pending = []
    target = nil
    skipping = 0
    skippedLength = 0
    return tokens
  }

  /// Forgets what is pending, as a cleared buffer does; the count of bytes goes on.
  ///
  /// - Returns: How many bytes were forgotten.
  @discardableResult
  public mutating func clear() -> Int {
    let count = pending.count + skippedLength - skipping
    offset += count
    pending = []
    target = nil
    skipping = 0
    skippedLength = 0
    return count
  }

  // MARK: Parts

  private static func isRun(_ byte: UInt8) -> Bool { byte >= 0x20 || byte == 0 }

  private static func extent(_ bytes: ArraySlice<UInt8>) -> CommandExtent {
    bytes.withUnsafeBufferPointer { buffer in
      let extent = CommandPrefix(bytes: buffer).extent
      if case .needs(let count) = extent, count > maximumKept {
        return .unknown(length: min(3, buffer.count))
      }
      return extent
    }
  }

  private static func opcode(_ bytes: ArraySlice<UInt8>) -> Opcode {
    let first = bytes[bytes.startIndex]
    if first >= 0x20 { return .text }
    guard let lead = Opcode.Lead(rawValue: first) else { return Opcode(single: first) ?? .unknown }
    let second = bytes.count > 1 ? bytes[bytes.startIndex + 1] : nil
    let opcode = second.flatMap { Opcode.command(lead, $0) }
    switch opcode {
    case .escCancelCharacters where bytes.count == 4: return .escReset
    case .gsCounterMode where bytes.count > 2 && bytes[bytes.startIndex + 2] == UInt8(ascii: ";"):
      return .gsCounterModeText
    default: return opcode ?? (lead == .fs ? .fs : .unknown)
    }
  }

  /// The run of text or NUL at the front of `bytes`, at most `limit` bytes of it.
  private static func run(_ bytes: ArraySlice<UInt8>, text: Bool, limit: Int) -> Int {
    bytes.prefix(limit).withUnsafeBufferPointer { buffer in
      var count = 0
      while count < buffer.count, text ? buffer[count] >= 0x20 : buffer[count] == 0 { count += 1 }
      return count
    }
  }

  private mutating func take(
    _ opcode: Opcode, _ bytes: ArraySlice<UInt8>, length: Int? = nil, fault: Token.Fault? = nil
  ) -> Token {
    var token = Token(opcode, offset: offset, bytes: bytes, length: length, fault: fault)
    offset += token.length
    if token.fault == nil { token.fault = token.parameterFault }
    return token
  }

  /// A token that lies wholly in `input`; nil when it does not, and then its beginning is pending.
  private mutating func whole(_ input: inout ArraySlice<UInt8>) -> Token? {
    let first = input[input.startIndex]
    if Self.isRun(first) {
      let count = Self.run(input, text: first != 0, limit: Self.maximumRun)
      if count < input.count || count == Self.maximumRun {
        let bytes = input.prefix(count)
        input = input.dropFirst(count)
        return take(first == 0 ? .nul : .text, bytes)
      }
    } else {
      switch Self.extent(input) {
      case .ends(let end) where end <= input.count: return cut(&input, end, Self.opcode)
      case .unknown(let length) where length <= input.count: return cut(&input, length) { _ in .unknown }
      case .ends(let end): begin(end)
      default: break
      }
    }
    move(input.count, from: &input)
    if skipping > 0 { trimOversized() }
    return nil
  }

  private mutating func cut(
    _ input: inout ArraySlice<UInt8>, _ length: Int, _ opcode: (ArraySlice<UInt8>) -> Opcode
  ) -> Token {
    let bytes = input.prefix(length)
    input = input.dropFirst(length)
    let name = opcode(bytes)
    return take(name, bytes, fault: name == .unknown ? .unknown : nil)
  }

  /// Notes the length of the pending command, and that its payload is not kept when it is too long.
  private mutating func begin(_ length: Int) {
    target = length
    guard length > Self.maximumKept else { return }
    skippedLength = length
    skipping = length
  }

  /// Turns pending bytes of an oversized command into a count; its first 16 bytes stay for the report.
  private mutating func trimOversized() {
    skipping = skippedLength - pending.count
    if pending.count > 16 { pending.removeSubrange(16...) }
    skippedLength -= pending.count
  }

  private mutating func skip(_ input: inout ArraySlice<UInt8>) -> Token? {
    let count = min(skipping, input.count)
    skipping -= count
    input = input.dropFirst(count)
    guard skipping == 0 else { return nil }
    let bytes = pending
    let length = pending.count + skippedLength
    pending = []
    target = nil
    skippedLength = 0
    return take(Self.opcode(bytes[...]), bytes[...], length: length, fault: .oversized)
  }

  /// Goes on with the pending beginning of a token.
  private mutating func joined(_ input: inout ArraySlice<UInt8>) -> Token? {
    while !pending.isEmpty {
      let first = pending[0]
      if Self.isRun(first) { return joinedRun(first, &input) }
      if let target {
        move(target - pending.count, from: &input)
        guard pending.count >= target else { return nil }
        return front(target, Self.opcode)
      }
      switch Self.extent(pending[...]) {
      case .unknown(let length): return front(length) { _ in .unknown }
      case .ends(let end):
        begin(end)
        if skipping > 0 {
          trimOversized()
          return skip(&input)
        }
      case .needs(let count):
        guard move(count - pending.count, from: &input) else { return nil }
      }
    }
    return nil
  }

  private mutating func joinedRun(_ first: UInt8, _ input: inout ArraySlice<UInt8>) -> Token? {
    let opcode: Opcode = first == 0 ? .nul : .text
    var count = Self.run(pending[...], text: first != 0, limit: Self.maximumRun)
    guard count == pending.count, count < Self.maximumRun else { return front(count) { _ in opcode } }
    let more = Self.run(input, text: first != 0, limit: Self.maximumRun - count)
    move(more, from: &input)
    count += more
    guard count == Self.maximumRun || !input.isEmpty else { return nil }
    return front(count) { _ in opcode }
  }

  /// Moves up to `count` bytes to the pending ones; false when there are none.
  @discardableResult
  private mutating func move(_ count: Int, from input: inout ArraySlice<UInt8>) -> Bool {
    guard count > 0, !input.isEmpty else { return count <= 0 }
    pending.append(contentsOf: input.prefix(count))
    input = input.dropFirst(count)
    return true
  }

  /// The first `length` pending bytes as a token; what is behind them stays.
  private mutating func front(_ length: Int, _ opcode: (ArraySlice<UInt8>) -> Opcode) -> Token {
    target = nil
    let bytes: ArraySlice<UInt8>
    if length == pending.count {
      bytes = pending[...]
      pending = []
    } else {
      bytes = Array(pending[..<length])[...]
      pending.removeFirst(length)
    }
    let name = opcode(bytes)
    return take(name, bytes, fault: name == .unknown ? .unknown : nil)
  }
}
