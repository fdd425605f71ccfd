/// The offsets of a time zone, from a TZif file (RFC 8536).
struct ZoneRules: Equatable, Sendable {
  /// From each of these seconds since 1970 on, the offset beside it holds, in seconds east of UTC.
  private var changes: [(from: Int, offset: Int)]
  /// What holds before the first change.
  private var first: Int
  /// What holds after the last change, where the file says.
  private var footer: ZoneFooter?

  static func == (left: ZoneRules, right: ZoneRules) -> Bool {
    left.first == right.first && left.footer == right.footer
      && left.changes.elementsEqual(right.changes) { $0.from == $1.from && $0.offset == $1.offset }
  }

  /// A zone whose offset never changes.
  init(fixedOffset: Int) {
    changes = []
    first = fixedOffset
  }

  /// Reads a file; nil when it is not one, or is cut short.
  init?(file: [UInt8]) {
    var reader = Reader(bytes: file[...])
    guard let header = reader.header() else { return nil }
    if header.version >= UInt8(ascii: "2") {
      guard reader.skip(header.length(ofTime: 4)), let header = reader.header() else { return nil }
      self.init(&reader, header, timeLength: 8)
      guard let text = reader.footer() else { return nil }
      if !text.isEmpty {
        guard let footer = ZoneFooter(text) else { return nil }
        self.footer = footer
      }
    } else {
      self.init(&reader, header, timeLength: 4)
    }
  }

  private init?(_ reader: inout Reader, _ header: Header, timeLength: Int) {
    var times: [Int] = []
    for _ in 0..<header.times {
      guard let time = reader.integer(timeLength) else { return nil }
      times.append(time)
    }
    guard let types = reader.take(header.times), zip(times, times.dropFirst()).allSatisfy(<) else {
      return nil
    }
    var offsets: [Int] = []
    for _ in 0..<header.types {
      guard let offset = reader.integer(4), reader.skip(2) else { return nil }
      offsets.append(offset)
    }
    guard let first = offsets.first, types.allSatisfy({ $0 < offsets.count }),
      offsets.allSatisfy({ abs($0) <= 26 * 3_600 }), reader.skip(header.rest(timeLength))
    else { return nil }
    self.first = first
    changes = zip(times, types).map { ($0, offsets[Int($1)]) }
  }

  /// Seconds east of UTC at a time.
  func offset(at seconds: Int) -> Int {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].from <= seconds { low = middle + 1 } else { high = middle }
    }
    if low == changes.count, let footer { return footer.offset(at: seconds) }
    return low == 0 ? first : changes[low - 1].offset
  }

  private struct Header {
    var version: UInt8
    var universalFlags, standardFlags, leapSeconds, times, types, letters: Int

    /// Bytes behind the types: names, leap seconds, flags.
    func rest(_ timeLength: Int) -> Int {
      letters + leapSeconds * (timeLength + 4) + standardFlags + universalFlags
    }

    /// Bytes of the whole block.
    func length(ofTime timeLength: Int) -> Int {
      times * (timeLength + 1) + types * 6 + rest(timeLength)
    }
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count <= bytes.count else { return nil }
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count)
    }

    mutating func skip(_ count: Int) -> Bool { take(count) != nil }

    /// A signed big-endian number.
    mutating func integer(_ length: Int) -> Int? {
      guard let bytes = take(length), let first = bytes.first else { return nil }
      return bytes.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
    }

    mutating func header() -> Header? {
      guard let magic = take(4), magic.elementsEqual("TZif".utf8), let version = take(1)?.first, skip(15)
      else {
        return nil
      }
      var counts: [Int] = []
      for _ in 0..<6 {
        guard let count = integer(4), (0...100_000).contains(count) else { return nil }
        counts.append(count)
      }
      return Header(
        version: version, universalFlags: counts[0], standardFlags: counts[1], leapSeconds: counts[2],
        times: counts[3], types: counts[4], letters: counts[5])
    }

    mutating func footer() -> [UInt8]? {
      guard bytes.first == 0x0A, let end = bytes.dropFirst().firstIndex(of: 0x0A) else { return nil }
      return Array(bytes[bytes.startIndex + 1..<end])
    }
  }
}
