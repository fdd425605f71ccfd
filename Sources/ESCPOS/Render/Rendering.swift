/// The work of one ``Renderer/render(_:originals:mark:)``: the stream, the room for laying out lines, the
/// warnings.
struct Rendering {
  let renderer: Renderer
  var stream: PrintStream
  var cells: [LayoutCell] = []
  var line: [LayoutCell] = []
  var pieces: [LinePiece] = []
  var warnings: [RenderedReceipt.Warning] = []
  /// The block in hand, or nil for a copy mark.
  private var blockIndex: Int?

  var profile: PrinterProfile { renderer.profile }

  init(renderer: Renderer) {
    self.renderer = renderer
    stream = PrintStream(
      profile: renderer.profile, repertoire: renderer.typesetter.repertoire, abilities: renderer.abilities,
      capacity: 4096)
    cells.reserveCapacity(256)
    line.reserveCapacity(96)
  }

  /// Prints the whole receipt once.
  mutating func print(
    _ receipt: Receipt, isFirst: Bool, isLast: Bool, mark: CopyMark?
  ) throws(RenderError) {
    let blocks = receipt.blocks
    let body = blocks.lastIndex { !$0.isPaperEnd }.map { $0 + 1 } ?? 0
    try printMark(mark)
    for index in 0..<body {
      try printBlock(blocks[index], index: index, isFirst: isFirst, isCopy: mark != nil)
    }
    try printMark(mark)
    for index in body..<blocks.count {
      try printBlock(blocks[index], index: index, isFirst: isFirst, isCopy: mark != nil)
    }
    if !isLast, !blocks[body...].contains(where: \.isCut) { cut(Receipt.Cut()) }
  }

  private mutating func printMark(_ mark: CopyMark?) throws(RenderError) {
    guard let mark else { return }
    blockIndex = nil
    try text(mark.block)
  }

  private mutating func printBlock(
    _ block: Receipt.Block, index: Int, isFirst: Bool, isCopy: Bool
  ) throws(RenderError) {
    do {
      blockIndex = index
      switch block {
      case .text(let text): try self.text(text)
      case .columns(let columns): try self.columns(columns)
      case .rule(let rule): self.rule(rule)
      case .barcode(let barcode): try self.barcode(barcode)
      case .qr(let qr): try self.qr(qr)
      case .image(let image): try self.image(image)
      case .feed(let feed): stream.feed(lines: min(max(feed.lines, 1), 255))
      case .cut(let cut): self.cut(cut)
      case .drawer(let drawer): if isFirst, !isCopy { self.drawer(drawer) }
      case .beep(let beep): if isFirst { self.beep(beep) }
      }
    } catch {
      var error = error
      error.path = "blocks[\(index)]" + (error.path.isEmpty ? "" : ".\(error.path)")
      throw error
    }
  }

  /// The bytes and the warnings.
  mutating func finish() -> RenderedReceipt {
    stream.flushFeed()
    return RenderedReceipt(bytes: stream.bytes, warnings: warnings, seams: stream.seams)
  }

  /// Tells what came out otherwise than asked, once for each block.
  mutating func warn(_ message: String) {
    let place = blockIndex.map { "blocks[\($0)]" } ?? "mark"
    let warning = RenderedReceipt.Warning(path: place, message: message)
    if !warnings.contains(warning) { warnings.append(warning) }
  }

  /// Tells what was lost or replaced in a block's text.
  mutating func warn(of losses: Losses) {
    if !losses.removed.isEmpty {
      warn("control characters removed: " + losses.removed.map(Self.name).joined(separator: ", "))
    }
    if !losses.replaced.isEmpty {
      warn(
        "characters that the printer lacks, printed as ?: "
          + losses.replaced.map(Self.name).joined(separator: ", "))
    }
  }

  private static func name(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension Receipt.Block {
  /// Whether it comes behind everything that is printed: feeds, cuts, drawer and beep.
  fileprivate var isPaperEnd: Bool {
    switch self {
    case .feed, .cut, .drawer, .beep: true
    default: false
    }
  }

  fileprivate var isCut: Bool {
    if case .cut = self { true } else { false }
  }
}
