/// How much of a sound the server is given, and when.
struct PulseFeed {
  private let length: Int
  private let frame: Int
  /// Bytes that the server has taken.
  private(set) var offset = 0
  /// Whether the server is given anything yet.
  var isOpen = false

  /// - Parameters:
  ///   - length: The sound's bytes.
  ///   - frame: Bytes of one sample in all channels; a frame is never parted.
  init(length: Int, frame: Int) {
    self.length = length
    self.frame = max(1, frame)
  }

  /// Whether the server has all of it.
  var isOver: Bool { offset == length }

  /// Whether a pause in the server's sound is a gap in this one: it has begun and there is more of it.
  var hasGap: Bool { isOpen && !isOver }

  /// What the server is to be given next.
  ///
  /// The server asks for a fifth of a second and takes far more. At the beginning it gets all that it has room for, so that no
  /// gap comes of this process being slow.
  ///
  /// - Parameters:
  ///   - room: Bytes that it asks for.
  ///   - capacity: Bytes that it can hold.
  func next(room: Int, capacity: Int) -> Range<Int> {
    let wanted = max(room, offset == 0 ? capacity / 2 : 0) / frame * frame
    return offset..<(offset + min(wanted, length - offset))
  }

  /// The server has taken what it was given.
  mutating func took(_ range: Range<Int>) { offset = range.upperBound }
}
