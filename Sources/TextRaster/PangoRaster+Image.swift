public import ESCPOS

extension PangoRaster: DotSource {
  /// Decodes a PNG or JPEG and scales it; see ``DotSource``.
  ///
  /// Transparent parts are laid on white, the picture is turned upright as its EXIF data say, and its shape is kept.
  ///
  /// - Throws: ``RenderError`` with `.image` when there is no such picture, it is no PNG or JPEG, damaged, over 8 MB or 20
  ///   million pixels, or higher than 16,384 dots.
  public func gray(
    image: Receipt.Image.Source, width: Int?, maximumWidth: Int
  ) throws(RenderError) -> GrayImage {
    let picture = try PaperPicture.gray(of: bytes(of: image))
    let target = max(1, min(width ?? picture.width, maximumWidth))
    return try picture.scaled(toWidth: target)
  }

  private func bytes(of source: Receipt.Image.Source) throws(RenderError) -> [UInt8] {
    switch source {
    case .data(let bytes): return bytes
    case .named(let name):
      guard !name.isEmpty, !name.contains("/"), !name.contains(".."), !name.utf8.contains(0) else {
        throw RenderError(.image, "expected the name of a picture, without \"/\" and \"..\"")
      }
      guard let bytes = images(name) else {
        throw RenderError(.image, "no picture \"\(name)\" is in the image folder")
      }
      return bytes
    }
  }
}

extension PaperPicture {
  /// The most bytes of a picture file.
  static let byteLimit = 8 << 20
  /// The most pixels of a picture.
  static let pixelLimit = 20_000_000

  /// The luminance of a PNG or JPEG on white, at its own size.
  ///
  /// - Throws: ``RenderError`` with `.image` when it is neither, damaged, over 8 MB or over 20 million pixels.
  public static func gray(of bytes: [UInt8]) throws(RenderError) -> GrayImage {
    guard bytes.count <= byteLimit else {
      throw RenderError(.image, "a picture has at most \(byteLimit >> 20) MB; make it smaller")
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      try checkPNG(bytes)
      return try decodePicture(bytes, type: "png", pixelLimit: pixelLimit)
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      try checkJPEG(bytes)
      return try decodePicture(bytes, type: "jpeg", pixelLimit: pixelLimit)
    }
    throw RenderError(.image, "expected a PNG or JPEG")
  }

  // gdk-pixbuf takes a picture that is cut off, and shows grey, or what memory held, for the rest.

  /// Walks the chunks as far as IEND.
  private static func checkPNG(_ bytes: [UInt8]) throws(RenderError) {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - offset - 12 else { break }
      if bytes[offset + 4..<offset + 8].elementsEqual("IEND".utf8) { return }
      offset += 12 + length
    }
    throw RenderError(.image, "the picture is damaged or cut off")
  }

  /// Walks the segments to the first scan, and looks for the end of the image after it.
  private static func checkJPEG(_ bytes: [UInt8]) throws(RenderError) {
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      offset += 2 + length
      if marker == 0xDA {
        while offset + 2 <= bytes.count {
          if bytes[offset] == 0xFF, bytes[offset + 1] == 0xD9 { return }
          offset += 1
        }
      }
    }
    throw RenderError(.image, "the picture is damaged or cut off")
  }
}

extension GrayImage {
  /// The picture in another width and its own shape: every dot is the mean of the area that it covers, exactly.
  func scaled(toWidth target: Int) throws(RenderError) -> GrayImage {
    let rows = max(1, (height * target * 2 + width) / (width * 2))
    guard rows <= 16_384 else {
      throw RenderError(.image, "the picture would be \(rows) dots high; 16384 is the most")
    }
    if target == width { return self }
    var scaled = GrayImage(width: target, height: rows, levels: [UInt8](repeating: 255, count: target * rows))
    // Lengths are counted in parts of which a source pixel has `target` (or `rows`) and a dot `width` (or `height`).
    var sums = [UInt64](repeating: 0, count: width)
    let area = UInt64(width) * UInt64(height)
    let across = (0..<target).map { Self.cover($0, dot: width, pixel: target) }
    for y in 0..<rows {
      for x in 0..<width { sums[x] = 0 }
      for (source, weight) in Self.cover(y, dot: height, pixel: rows) {
        for x in 0..<width { sums[x] += weight * UInt64(levels[source * width + x]) }
      }
      for x in 0..<target {
        var sum: UInt64 = 0
        for (source, weight) in across[x] { sum += weight * sums[source] }
        scaled.levels[y * target + x] = UInt8((sum + area / 2) / area)
      }
    }
    return scaled
  }

  /// The source pixels that dot `index` covers, with the length it covers of each.
  private static func cover(_ index: Int, dot: Int, pixel: Int) -> [(source: Int, weight: UInt64)] {
    let (start, end) = (index * dot, (index + 1) * dot)
    return (start / pixel...(end - 1) / pixel).map { source in
      (source, UInt64(min(end, (source + 1) * pixel) - max(start, source * pixel)))
    }
  }
}
