import ESCPOS

extension DotImage {
  /// Adds the black dots of `image` with its upper left corner at `x`, `y`; what lies outside is cut off.
  mutating func draw(_ image: DotImage, x: Int, y: Int) {
    let firstRow = max(0, -y)
    let lastRow = min(image.height, height - y)
    guard firstRow < lastRow, x < width, x + image.width > 0 else { return }
    guard x >= 0 else { return draw(image.columns(from: -x), x: 0, y: y) }
    let shift = UInt8(x & 7)
    let byte = x >> 3
    let count = min(image.stride, stride - byte)
    let (source, target) = (image.stride, stride)
    image.rows.withUnsafeBufferPointer { from in
      rows.withUnsafeMutableBufferPointer { to in
        for row in firstRow..<lastRow {
          let read = row * source
          let write = (y + row) * target + byte
          for index in 0..<count {
            let dots = from[read + index]
            guard dots != 0 else { continue }
            to[write + index] |= dots >> shift
            if shift > 0, byte + index + 1 < target { to[write + index + 1] |= dots << (8 - shift) }
          }
        }
      }
    }
    if x + image.width > width { clearBeyondWidth(rows: y + firstRow..<y + lastRow) }
  }

  /// Blackens or inverts a rectangle; what lies outside the image is cut off.
  mutating func fill(x: Range<Int>, y: Range<Int>, inverting: Bool = false) {
    for row in max(0, y.lowerBound)..<max(0, min(height, y.upperBound)) {
      for column in max(0, x.lowerBound)..<max(0, min(width, x.upperBound)) {
        self[column, row] = inverting ? !self[column, row] : true
      }
    }
  }

  /// The image without its first `count` columns.
  func columns(from count: Int) -> DotImage {
    var part = DotImage(width: max(0, width - count), height: height)
    for y in 0..<height {
      for x in 0..<part.width where self[x + count, y] { part[x, y] = true }
    }
    return part
  }

  /// The rows from `start` on.
  func rows(from start: Int) -> DotImage {
    var part = DotImage(width: width, height: max(0, height - start))
    part.rows = Array(rows.dropFirst(min(rows.count, start * stride)))
    return part
  }

  /// Each dot `across` times `down` dots large.
  func scaled(_ across: Int, _ down: Int) -> DotImage {
    guard across != 1 || down != 1 else { return self }
    var image = DotImage(width: width * across, height: height * down)
    for y in 0..<height {
      let row = y * down
      for x in 0..<width where self[x, y] {
        for dot in x * across..<(x + 1) * across { image[dot, row] = true }
      }
      for copy in row + 1..<max(row + 1, row + down) {
        for byte in 0..<image.stride {
          image.rows[copy * image.stride + byte] = image.rows[row * image.stride + byte]
        }
      }
    }
    return image
  }

  /// Turned by 90° clockwise.
  func turned() -> DotImage {
    var image = DotImage(width: height, height: width)
    for y in 0..<height {
      for x in 0..<width where self[x, y] { image[height - 1 - y, x] = true }
    }
    return image
  }

  /// Turned by 180°.
  func upsideDown() -> DotImage {
    var image = DotImage(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width where self[x, y] { image[width - 1 - x, height - 1 - y] = true }
    }
    return image
  }

  private mutating func clearBeyondWidth(rows range: Range<Int>) {
    guard width & 7 != 0 else { return }
    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (width & 7))
    for row in range { rows[row * stride + stride - 1] &= mask }
  }
}
