/// The bytes of one call to send, and how far it has come.
struct Outgoing {
  private let bytes: ArraySlice<UInt8>
  private var next: Int
  /// Whether the peer's word for the last of them is not needed.
  let isAhead: Bool

  /// How far it has come; only the difference of two positions means anything.
  var position: Int { next }

  init(_ bytes: ArraySlice<UInt8>, isAhead: Bool = false) {
    self.bytes = bytes
    self.isAhead = isAhead
    next = bytes.startIndex
  }

  /// Bytes that have not been handed over.
  var remaining: Int { bytes.endIndex - next }
  var isEmpty: Bool { remaining == 0 }

  /// The next bytes, `size` or what is left.
  func chunk(_ size: Int) -> ArraySlice<UInt8> { bytes[next...].prefix(size) }

  mutating func advance(_ count: Int) { next = min(next + count, bytes.endIndex) }

  /// The last `count` bytes were not taken.
  mutating func goBack(_ count: Int) { next = max(next - count, bytes.startIndex) }
}
