/// A job cut at its seams into parts of about the same length, so that the printer can be asked between them how far it has
/// come.
///
/// A raster longer than a part (`GS v 0`) becomes several of fewer rows, each with a head of its own, which stand on the
/// paper without a gap as the bands of one picture do anyway. What has no seam and is longer (a symbol's data) stays whole.
struct JobParts: Sendable {
  /// What goes over the link in one go.
  struct Part: Equatable, Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// Where in the bytes heads stand that are not the job's.
    fileprivate var added: [Range<Int>] = []
    /// Whether a question stands behind it.
    fileprivate(set) var isAsked = false

    /// How many of its first `count` bytes are the job's.
    func own(_ count: Int) -> Int {
      let count = min(max(0, count), bytes.count)
      return count - added.reduce(0) { $0 + max(0, min(count, $1.upperBound) - $1.lowerBound) }
    }
  }

  private(set) var parts: [Part] = []
  private let length: Int

  /// Fewer rows than these are not cut off a raster to fill up a part.
  private static let leastRows = 8
  private static let headLength = 8
  /// What the fence behind the job takes; it is to find room too.
  private static let fenceLength = 32

  /// The job in one part, and nothing asked.
  init(whole job: [UInt8]) {
    length = job.count
    parts = [Part(bytes: job)]
  }

  /// - Parameters:
  ///   - seams: Offsets into the job between whole commands; others than rising ones inside of it are passed over.
  ///   - length: The bytes of a part, where a seam allows it.
  ///   - window: The bytes that may go ahead of an answer. Nothing is asked when the rest of the job is no longer.
  init(_ job: [UInt8], seams: [Int], length: Int, window: Int) {
    self.length = max(1, length)
    var part = Part()
    var start = 0
    for end in seams + [job.count] where end > start && end <= job.count {
      add(job[start..<end], to: &part)
      start = end
    }
    close(&part)
    ask(window: window)
  }

  private mutating func add(_ command: ArraySlice<UInt8>, to part: inout Part) {
    if part.bytes.count + command.count > length {
      let fitsAlone = command.count <= length && part.bytes.count * 2 >= length
      if !fitsAlone, let width = Self.rasterWidth(command) { return cut(command, width: width, into: &part) }
      close(&part)
    }
    part.bytes += command
  }

  /// The bytes of a row when this is one `GS v 0`, whole.
  private static func rasterWidth(_ command: ArraySlice<UInt8>) -> Int? {
    let head = Array(command.prefix(headLength))
    guard head.count == headLength, head.starts(with: [0x1D, 0x76, 0x30]) else { return nil }
    let width = Int(head[4]) | Int(head[5]) << 8
    let rows = Int(head[6]) | Int(head[7]) << 8
    return width > 0 && command.count == headLength + width * rows ? width : nil
  }

  private mutating func cut(_ raster: ArraySlice<UInt8>, width: Int, into part: inout Part) {
    let head = raster.prefix(Self.headLength - 2)
    var rest = raster.dropFirst(Self.headLength)
    var isFirst = true
    while !rest.isEmpty {
      let left = rest.count / width
      var rows = min(left, (length - part.bytes.count - Self.headLength) / width)
      if rows < min(left, Self.leastRows), !part.bytes.isEmpty {
        close(&part)
        continue
      }
      rows = max(1, rows)
      if RealTimeGuard.isHazardous(rows: rows) { rows -= 1 }
      let start = part.bytes.count
      part.bytes += head + [UInt8(truncatingIfNeeded: rows), UInt8(truncatingIfNeeded: rows >> 8)]
      if !isFirst { part.added.append(start..<part.bytes.count) }
      part.bytes += rest.prefix(rows * width)
      rest = rest.dropFirst(rows * width)
      isFirst = false
    }
  }

  private mutating func close(_ part: inout Part) {
    if !part.bytes.isEmpty { parts.append(part) }
    part = Part()
  }

  /// Puts questions where the job could not go on without an answer.
  private mutating func ask(window: Int) {
    var left = parts.reduce(Self.fenceLength) { $0 + $1.bytes.count }
    var unasked = 0
    for index in parts.indices.dropLast() where left > window {
      unasked += parts[index].bytes.count
      // A part that a long symbol has cut short needs no question of its own.
      guard unasked * 2 >= min(length, window) else { continue }
      parts[index].isAsked = true
      left -= unasked
      unasked = 0
    }
  }
}
