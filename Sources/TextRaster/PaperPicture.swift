public import ESCPOS

/// Paper as a PNG file.
public enum PaperPicture {
  /// The dots as a PNG of one bit a pixel, black on white.
  ///
  /// - Parameters:
  ///   - dots: The paper, at least one dot wide and high.
  ///   - scale: Pixels a dot, 1 through 16.
  ///   - margin: White dots around the paper.
  /// - Throws: ``RenderError`` with `.image` when the picture would be empty or over 32,767 pixels on a side.
  public static func png(of dots: DotImage, scale: Int = 1, margin: Int = 0) throws(RenderError) -> [UInt8] {
    let scale = max(1, min(16, scale))
    let margin = max(0, min(1024, margin))
    guard dots.width > 0, dots.height > 0 else { throw RenderError(.image, "there is nothing on the paper") }
    let width = (dots.width + 2 * margin) * scale
    let height = (dots.height + 2 * margin) * scale
    guard width <= 32_767, height <= 32_767 else {
      throw RenderError(.image, "a picture of \(width) × \(height) pixels is too big; use a smaller scale")
    }
    return try encodePNG(margin == 0 ? dots : dots.padded(by: margin), scale: scale)
  }
}

extension DotImage {
  /// The image with white around it.
  func padded(by margin: Int) -> DotImage {
    var padded = DotImage(width: width + 2 * margin, height: height + 2 * margin)
    padded.lay(self, x: margin, y: margin)
    return padded
  }

  /// Sets the dots of `other` at `x`, `y`; what falls outside is not drawn.
  mutating func lay(_ other: DotImage, x left: Int, y top: Int) {
    for y in 0..<other.height {
      for x in 0..<other.width where other[x, y] { self[left + x, top + y] = true }
    }
  }
}
