/// A data element of the Service Discovery Protocol, as far as finding a serial port needs it.
///
/// Source: Bluetooth Core Specification, volume 3, part B, section 3.
indirect enum SDPElement: Equatable, Sendable {
  case unsigned(UInt64)
  /// The 16- or 32-bit form; a 128-bit UUID has one when it is on the Bluetooth base.
  case uuid(UInt32)
  /// Sequences, and alternatives, which are written alike.
  case sequence([SDPElement])
  /// Of another kind, or a number or UUID too wide for us.
  case other

  /// Why bytes are no element.
  struct Malformed: Error, Equatable {
    /// Where, counted from the first byte.
    var offset: Int
    /// What is wrong there.
    var fault: String
  }

  /// Elements within elements; records of printers have five.
  static let deepest = 16

  /// Reads one element that fills `bytes`.
  init(_ bytes: [UInt8]) throws(Malformed) {
    var reader = Reader(bytes: bytes)
    self = try reader.element(end: bytes.count, depth: 0)
    guard reader.offset == bytes.count else {
      throw Malformed(offset: reader.offset, fault: "bytes after the end")
    }
  }

  /// The elements within, none when it is no sequence.
  var elements: [SDPElement] {
    if case .sequence(let elements) = self { elements } else { [] }
  }

  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    mutating func element(end: Int, depth: Int) throws(Malformed) -> SDPElement {
      let start = offset
      guard depth < SDPElement.deepest else { throw Malformed(offset: start, fault: "too many levels") }
      let header = UInt8(try number(1, end: end))
      let kind = header >> 3
      let size: Int =
        switch header & 7 {
        case 0 where kind == 0: 0
        case let index where index < 5: 1 << index
        case let index: Int(try number(1 << (index - 5), end: end))
        }
      guard size <= end - offset else {
        throw Malformed(offset: start, fault: "\(size) bytes announced, \(end - offset) there")
      }
      let stop = offset + size
      defer { offset = stop }
      switch kind {
      case 1 where size <= 8: return .unsigned(try number(size, end: stop))
      case 3: return uuid(size)
      case 6, 7:
        var elements: [SDPElement] = []
        while offset < stop { elements.append(try element(end: stop, depth: depth + 1)) }
        return .sequence(elements)
      default: return .other
      }
    }

    /// The next `count` bytes, most significant first.
    private mutating func number(_ count: Int, end: Int) throws(Malformed) -> UInt64 {
      guard count <= end - offset else {
        throw Malformed(offset: offset, fault: "the end in the middle of a number")
      }
      defer { offset += count }
      return bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func uuid(_ size: Int) -> SDPElement {
      let octets = bytes[offset..<offset + size]
      let isShort = size == 2 || size == 4
      guard isShort || (size == 16 && octets.dropFirst(4).elementsEqual(SDPElement.base)) else {
        return .other
      }
      return .uuid(octets.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  /// What follows the short form in a 128-bit UUID: `-0000-1000-8000-00805F9B34FB`.
  private static let base: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]
}
