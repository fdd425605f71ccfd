import ESCPOS

/// The luminance of a colour by ITU-R BT.601, rounded; greys stay what they are.
func luminance(red: UInt8, green: UInt8, blue: UInt8) -> UInt8 {
  let thousandths: UInt32 = 299 * UInt32(red) + 587 * UInt32(green) + 114 * UInt32(blue)
  return UInt8((thousandths + 500) / 1000)
}

extension DotImage {
  /// Black where `gray` is darker than the middle.
  init(darkerThanMiddle gray: GrayImage) {
    self.init(width: gray.width, height: gray.height)
    for y in 0..<height {
      for x in 0..<width where gray.levels[y * width + x] < 128 {
        rows[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7)
      }
    }
  }

  /// Lays glyphs of a colour font over this image: their outline, and inside it an ordered pattern, which keeps faces
  /// readable where error diffusion would smear them.
  mutating func lay(_ picture: GrayImage) {
    let pattern: [UInt8] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
    func level(_ x: Int, _ y: Int) -> UInt8 {
      guard x >= 0, y >= 0, x < picture.width, y < picture.height else { return 255 }
      return picture.levels[y * picture.width + x]
    }
    for y in 0..<min(height, picture.height) {
      for x in 0..<min(width, picture.width) where level(x, y) < 250 {
        let isEdge = [level(x - 1, y), level(x + 1, y), level(x, y - 1), level(x, y + 1)].contains {
          $0 >= 250
        }
        self[x, y] = isEdge || level(x, y) < 40 + pattern[(y & 3) * 4 + (x & 3)] * 8
      }
    }
  }
}
