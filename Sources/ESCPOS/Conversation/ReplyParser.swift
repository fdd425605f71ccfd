/// Takes the bytes that come from a printer apart.
///
/// Replies come split and joined anywhere, with status that nobody asked for in between, so what a byte belongs to is
/// told by its bits alone: Epson, "ESC/POS status and response identification".
public struct ReplyParser: Sendable {
  /// One thing that a printer said.
  public enum Reply: Equatable, Sendable {
    /// The answer to `DLE EOT n`.
    case realTime(question: Int, UInt8)
    /// Automatic status back, `GS a`: always four bytes.
    case automatic([UInt8])
    /// The answer to `GS r`.
    case transmitted(UInt8)
    /// `GS ( H` function 48: all before the identifier is printed.
    case processID([UInt8])
    /// `DLE DC4` function 8: the buffers are clear.
    case buffersCleared
    /// Another block, such as the answer to `GS I`: its first byte and what came up to the 0 byte.
    case block(UInt8, [UInt8])
    /// The printer takes data again.
    case xon
    /// The printer asks for a pause.
    case xoff
  }

  /// The longest block; longer ones are not replies.
  public static let maximumBlock = 255

  /// Bytes that belonged to nothing and were passed over.
  public private(set) var strayBytes = 0
  /// Questions of `DLE EOT` that are not answered yet, in the order asked.
  public private(set) var questions: [Int] = []
  private var held: [UInt8] = []

  /// Creates a parser that has heard nothing.
  public init() {}

  /// Notes that `DLE EOT question` was sent; answers come in the order of the questions.
  public mutating func asked(_ question: Int) {
    questions.append(question)
  }

  /// Gives up on answers that have not come; late ones are passed over as stray.
  public mutating func forgetQuestions() {
    questions.removeAll()
  }

  /// Reads `bytes` and returns the replies that are whole now, in order.
  public mutating func read(_ bytes: some Sequence<UInt8>) -> [Reply] {
    held += bytes
    var replies: [Reply] = []
    var place = 0
    while place < held.count {
      switch step(held[place...]) {
      case .reply(let reply, let length):
        replies.append(reply)
        place += length
      case .stray(let length):
        strayBytes += length
        place += length
      case .incomplete:
        held.removeFirst(place)
        return replies
      }
    }
    held.removeAll(keepingCapacity: true)
    return replies
  }

  private enum Step {
    case reply(Reply, length: Int)
    case stray(length: Int)
    case incomplete
  }

  private mutating func step(_ bytes: ArraySlice<UInt8>) -> Step {
    guard let first = bytes.first else { return .incomplete }
    switch first {
    case 0x11: return .reply(.xon, length: 1)
    case 0x13: return .reply(.xoff, length: 1)
    case 0x35, 0x37, 0x3B, 0x3D, 0x53, 0x5F: return block(bytes)
    case _ where first & 0x93 == 0x12:
      guard !questions.isEmpty else { return .stray(length: 1) }
      return .reply(.realTime(question: questions.removeFirst(), first), length: 1)
    case _ where first & 0x93 == 0x10: return automatic(bytes)
    case _ where first & 0x90 == 0: return .reply(.transmitted(first), length: 1)
    default: return .stray(length: 1)
    }
  }

  private func automatic(_ bytes: ArraySlice<UInt8>) -> Step {
    let frame = bytes.prefix(4)
    guard frame.dropFirst().allSatisfy({ $0 & 0x90 == 0 }) else { return .stray(length: 1) }
    return frame.count == 4 ? .reply(.automatic(Array(frame)), length: 4) : .incomplete
  }

  /// A block goes up to a 0 byte. A control byte before it shows that the first byte was noise: what follows is then
  /// read by itself, so that noise cannot swallow an answer.
  private func block(_ bytes: ArraySlice<UInt8>) -> Step {
    let body = bytes.dropFirst().prefix(Self.maximumBlock)
    guard let end = body.firstIndex(where: { $0 < 0x20 }) else {
      return body.count < Self.maximumBlock ? .incomplete : .stray(length: 1)
    }
    guard bytes[end] == 0 else { return .stray(length: 1) }
    let content = Array(bytes[bytes.startIndex + 1..<end])
    return .reply(reply(toBlock: bytes[bytes.startIndex], content), length: content.count + 2)
  }

  private func reply(toBlock first: UInt8, _ content: [UInt8]) -> Reply {
    guard first == 0x37 else { return .block(first, content) }
    if content == [0x25] { return .buffersCleared }
    if content.count == 5, content[0] == 0x22, content.allSatisfy({ $0 < 0x7F }) {
      return .processID(Array(content.dropFirst()))
    }
    return .block(first, content)
  }
}
