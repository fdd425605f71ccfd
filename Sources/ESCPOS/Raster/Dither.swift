extension GrayImage {
  /// The image as dots.
  func dithered(_ dither: Receipt.Image.Dither) -> DotImage {
    switch dither {
    case .threshold: thresholded()
    case .diffusion: diffused()
    }
  }

  /// Black below the middle.
  private func thresholded() -> DotImage {
    var dots = DotImage(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width where levels[y * width + x] < 128 {
        dots.rows[y * dots.stride + x >> 3] |= 0x80 >> UInt8(x & 7)
      }
    }
    return dots
  }

  /// Error diffusion by Floyd and Steinberg, every other row from right to left, in sixteenths of a level so
  /// that
  /// no tone is lost to rounding.
  private func diffused() -> DotImage {
    var dots = DotImage(width: width, height: height)
    var current = [Int32](repeating: 0, count: width + 2)
    var below = current
    let stride = dots.stride
    levels.withUnsafeBufferPointer { levels in
      dots.rows.withUnsafeMutableBufferPointer { rows in
        for y in 0..<height {
          let leftToRight = y & 1 == 0
          let step = leftToRight ? 1 : -1
          current.withUnsafeMutableBufferPointer { current in
            below.withUnsafeMutableBufferPointer { below in
              var x = leftToRight ? 0 : width - 1
              for _ in 0..<width {
                let value = Int32(levels[y * width + x]) << 4 + current[x + 1]
                let black = value < 128 << 4
                if black { rows[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7) }
                let error = value - (black ? 0 : 255 << 4)
                let ahead = error * 7 / 16
                let behind = error * 3 / 16
                let under = error * 5 / 16
                current[x + 1 + step] += ahead
                below[x + 1 - step] += behind
                below[x + 1] += under
                below[x + 1 + step] += error - ahead - behind - under
                x += step
              }
            }
          }
          swap(&current, &below)
          for x in below.indices { below[x] = 0 }
        }
      }
    }
    return dots
  }
}
