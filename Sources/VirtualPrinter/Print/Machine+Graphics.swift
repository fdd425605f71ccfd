import ESCPOS

extension Machine {
  /// Commands that carry or print pictures.
  mutating func image(_ token: Token) {
    let data = token.payload
    switch token.opcode {
    case .gsRaster: raster(token)
    case .escBitImage: columnImage(token)
    case .gsVariableImage:
      printImage(columns(data, width: token.pair(4), bytes: token.pair(6)))
    case .gsGraphics8L: graphicsFunction(token, at: 7)
    case .gsDefineImage: downloadedImage = columns(data, width: Int(token[2]) * 8, bytes: Int(token[3]))
    case .gsPrintImage: if let downloadedImage { printImage(downloadedImage, mode: token[2]) }
    case .fsDefineImages: storeImages(data, count: Int(token[2]))
    case .fsPrintImage:
      let index = Int(token[2]) - 1
      if storedImages.indices.contains(index) { printImage(storedImages[index], mode: token[3]) }
    case .escDefineCharacters: defineCharacters(token)
    case .fsDefineKanji:
      userKanji[UInt32(token[2]) << 8 | UInt32(token[3])] = columns(data, width: 24, bytes: 3)
    default: events.append(.ignored(token.mnemonic, "this printer does not store bitmaps of this form"))
    }
  }

  /// `GS v 0 m x y`: x bytes by y rows; what is wider than the area is cut off.
  private mutating func raster(_ token: Token) {
    isAfterRaster = true
    let mode = token[3] & 3
    let image = rows(
      token.payload, bytes: token.pair(4), height: token.pair(6), across: mode & 1 == 0 ? 1 : 2)
    printImage(image, mode: mode)
  }

  /// Rows of `bytes` bytes as dots, as many columns as can be printed.
  private func rows(_ data: ArraySlice<UInt8>, bytes: Int, height: Int, across: Int) -> DotImage {
    let kept = min(bytes, (areaWidth / across + 7) / 8)
    var image = DotImage(width: kept * 8, height: height)
    for y in 0..<height {
      let start = data.startIndex + y * bytes
      guard start < data.endIndex else { break }
      let row = data[start..<min(start + kept, data.endIndex)]
      image.rows.replaceSubrange(y * kept..<y * kept + row.count, with: row)
    }
    return image
  }

  /// `ESC * m n`: n columns of 8 or 24 dots, placed on the line like a character.
  private mutating func columnImage(_ token: Token) {
    let (mode, bytes) = (token[2], token[2] < 2 ? 1 : 3)
    let across = mode & 1 == 0 ? 2 : 1
    let room = max(0, areaWidth - line.cursor) / across
    let count = min(token.pair(3), room)
    guard count > 0 else { return }
    var dots = columns(token.payload.prefix(count * bytes), width: count, bytes: bytes)
    let down = bytes == 1 && !has(.printsColumnImagesFlat) ? 3 : 1
    dots = dots.scaled(across, down)
    line.place(
      Line.Item(x: line.cursor, width: dots.width, height: dots.height, character: nil, dots: dots),
      advance: dots.width)
  }

  /// Columns of `bytes` bytes, most significant bit on top.
  private func columns(_ data: ArraySlice<UInt8>, width: Int, bytes: Int) -> DotImage {
    let kept = min(width, paper.width)
    var image = DotImage(width: kept, height: min(bytes * 8, paper.limits.rows))
    for x in 0..<kept {
      for byte in 0..<min(bytes, image.height / 8) {
        let index = data.startIndex + x * bytes + byte
        guard index < data.endIndex else { return image }
        let dots = data[index]
        guard dots != 0 else { continue }
        for bit in 0..<8 where dots & (0x80 >> UInt8(bit)) != 0 { image[x, byte * 8 + bit] = true }
      }
    }
    return image
  }

  /// Prints a picture on lines of its own, as `GS v 0` does.
  ///
  /// - Parameter mode: Bit 0 doubles its width, bit 1 its height.
  mutating func printImage(_ image: DotImage, mode: UInt8 = 0, content: Sheet.Entry.Content? = nil) {
    guard image.width > 0, image.height > 0 else { return }
    guard page != nil || line.isEmpty else {
      return events.append(.ignored("image", "the line is not empty"))
    }
    let (across, down) = (mode & 1 == 0 ? 1 : 2, mode & 2 == 0 ? 1 : 2)
    let size = (width: min(image.width * across, areaWidth), height: image.height * down)
    let content = content ?? .image(width: size.width, height: size.height)
    if page == nil { paper.note(content, height: min(size.height, paper.limits.rows)) }
    guard paper.keeping == .dots else { return emit(nil, x: 0, advance: size.height) }
    var dots = image.scaled(across, down)
    if page != nil {
      page?.place(dots, as: content)
      return
    }
    let indent =
      switch modes.alignment {
      case .left: 0
      case .center: max(0, (areaWidth - size.width) / 2)
      case .right: max(0, areaWidth - size.width)
      }
    if dots.width > size.width { dots = dots.cropped(width: size.width) }
    if modes.upsideDown {
      dots = dots.upsideDown()
      return emit(dots, x: modes.leftMargin + areaWidth - indent - size.width, advance: size.height)
    }
    emit(dots, x: modes.leftMargin + indent, advance: size.height)
  }

  // MARK: GS ( L, GS 8 L

  /// The graphics functions; `start` is where m and fn stand.
  mutating func graphicsFunction(_ token: Token, at start: Int) {
    let data = token.bytes.dropFirst(start + 2)
    func size(_ index: Int) -> (Int, Int) { (token.pair(start + index), token.pair(start + index + 2)) }
    switch token[start + 1] {
    case 112, 113:
      let (width, height) = size(6)
      let isRaster = token[start + 1] == 112
      let needed = isRaster ? (width + 7) / 8 * height : width * ((height + 7) / 8)
      let dots = data.dropFirst(8)
      guard width > 0, height > 0, dots.count >= needed else {
        return events.append(
          .ignored(token.mnemonic, "\(dots.count) bytes of dots where \(width) × \(height) need \(needed)"))
      }
      let image = isRaster ? graphicsRows(dots, width, height) : graphicsColumns(dots, width, height)
      let scaled = image.scaled(token[start + 3] == 2 ? 2 : 1, token[start + 4] == 2 ? 2 : 1)
      // A second colour is laid on the first.
      if var stored = graphics, stored.width == scaled.width, stored.height == scaled.height {
        stored.draw(scaled, x: 0, y: 0)
        graphics = stored
      } else {
        graphics = scaled
      }
    case 2, 50:
      guard let image = graphics else { return }
      graphics = nil
      printImage(image)
    case 67, 83:
      let (width, height) = size(6)
      let dots = data.dropFirst(9)
      guard width > 0, height > 0, dots.count >= (width + 7) / 8 * height else {
        return events.append(.ignored(token.mnemonic, "too few dots for \(width) × \(height)"))
      }
      if storedGraphics.count >= 64 { storedGraphics = [:] }
      storedGraphics[UInt16(token.pair(start + 3))] = graphicsRows(dots, width, height)
    case 69, 85:
      guard let image = storedGraphics[UInt16(token.pair(start + 2))] else { return }
      printImage(image, mode: (token[start + 4] == 2 ? 1 : 0) | (token[start + 5] == 2 ? 2 : 0))
    case 65, 81: storedGraphics = [:]
    default: break
    }
  }

  private func graphicsRows(_ data: ArraySlice<UInt8>, _ width: Int, _ height: Int) -> DotImage {
    rows(data, bytes: (width + 7) / 8, height: min(height, paper.limits.rows), across: 1).cropped(
      width: width)
  }

  private func graphicsColumns(_ data: ArraySlice<UInt8>, _ width: Int, _ height: Int) -> DotImage {
    columns(data, width: width, bytes: (height + 7) / 8)
  }

  // MARK: Stored characters and images

  private mutating func defineCharacters(_ token: Token) {
    var rest = token.bytes.dropFirst(5)
    let bytes = Int(token[2])
    for code in token[3]...max(token[3], token[4]) {
      guard let width = rest.first else { return }
      let data = rest.dropFirst().prefix(Int(width) * bytes)
      var cellDots = DotImage(width: cell.width, height: max(cell.height, 1))
      cellDots.draw(columns(data, width: Int(width), bytes: bytes), x: 0, y: 0)
      userCharacters[code] = cellDots
      rest = rest.dropFirst(1 + Int(width) * bytes)
    }
  }

  private mutating func storeImages(_ data: ArraySlice<UInt8>, count: Int) {
    storedImages = []
    var rest = data
    for _ in 0..<count {
      guard rest.count >= 4 else { return }
      let header = Array(rest.prefix(4))
      let (x, y) = (Int(header[0]) | Int(header[1]) << 8, Int(header[2]) | Int(header[3]) << 8)
      rest = rest.dropFirst(4)
      storedImages.append(columns(rest.prefix(x * y * 8), width: x * 8, bytes: y))
      rest = rest.dropFirst(x * y * 8)
    }
  }
}

extension DotImage {
  /// The image's first `width` columns.
  func cropped(width: Int) -> DotImage {
    guard width < self.width else { return self }
    var image = DotImage(width: width, height: height)
    image.draw(self, x: 0, y: 0)
    return image
  }
}
