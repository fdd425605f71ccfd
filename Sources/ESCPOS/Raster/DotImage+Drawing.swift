extension DotImage {
  /// Sets the part at `x`, `y` to `image`; what would lie outside is left out.
  mutating func paste(_ image: DotImage, x: Int, y: Int) {
    if x & 7 == 0, image.width & 7 == 0, x >= 0, y >= 0, x / 8 + image.stride <= stride {
      for row in 0..<min(image.height, max(0, height - y)) {
        let target = (y + row) * stride + x / 8
        let source = row * image.stride
        rows.replaceSubrange(target..<target + image.stride, with: image.rows[source..<source + image.stride])
      }
      return
    }
    for row in 0..<image.height {
      for column in 0..<image.width { self[x + column, y + row] = image[column, row] }
    }
  }

  /// Blackens the first `count` rows.
  mutating func blacken(rows count: Int) {
    for y in 0..<min(count, height) {
      for x in 0..<width { self[x, y] = true }
    }
  }
}
