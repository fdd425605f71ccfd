import ESCPOS

/// What page mode gathers between `ESC L` and `FF`.
struct Page {
  /// The greatest height in dots: 30 cm.
  static let maximumHeight = 2400

  private let width: Int
  private var canvas: DotImage
  private var area: (x: Int, y: Int, width: Int, height: Int)
  /// `ESC T`: 0 left to right, 1 bottom to top, 2 upside down, 3 top to bottom.
  private var direction: UInt8 = 0
  /// Dots from the top of the area, in its own direction.
  private var y = 0
  /// The lowest row that an area of `ESC W` or a dot reaches.
  private var bottom = 0
  /// What a person reads, in the order it was sent.
  private(set) var entries: [Sheet.Entry] = []

  init(width: Int) {
    self.width = width
    canvas = DotImage(width: width, height: Self.maximumHeight)
    area = (0, 0, width, Self.maximumHeight)
  }

  /// The length of a line in dots.
  var areaWidth: Int { direction & 1 == 0 ? area.width : area.height }

  mutating func turn(to direction: UInt8) {
    self.direction = direction & 3
    y = 0
  }

  mutating func setArea(x: Int, y: Int, width: Int, height: Int) {
    guard x < self.width, y < Self.maximumHeight, width > 0, height > 0 else { return }
    area = (x, y, min(width, self.width - x), min(height, Self.maximumHeight - y))
    self.y = 0
    bottom = max(bottom, area.y + area.height)
  }

  mutating func move(toY y: Int) { self.y = max(0, min(Self.maximumHeight, y)) }

  mutating func move(byY distance: Int) { move(toY: y + distance) }

  mutating func clear() {
    canvas = DotImage(width: width, height: Self.maximumHeight)
    entries = []
    y = 0
  }

  /// Lays a line on the page and moves on by `advance`.
  mutating func place(_ line: Line, text: String?, advance: Int) {
    defer { move(byY: advance) }
    guard !line.isEmpty else { return }
    if entries.count < 1000, let text {
      entries.append(Sheet.Entry(content: .text(text), y: y, height: line.height))
    }
    lay(line.dots(width: max(1, line.extent)))
  }

  /// Lays a picture on the page; what it is stands in `content`.
  mutating func place(_ image: DotImage, as content: Sheet.Entry.Content) {
    if entries.count < 1000 { entries.append(Sheet.Entry(content: content, y: y, height: image.height)) }
    lay(image)
    move(byY: image.height)
  }

  private mutating func lay(_ image: DotImage) {
    let (w, h) = (image.width, image.height)
    switch direction {
    case 0: draw(image, area.x, area.y + y)
    case 1: draw(image.upsideDown().turned(), area.x + y, area.y + area.height - w)
    case 2: draw(image.upsideDown(), area.x + area.width - w, area.y + area.height - y - h)
    default: draw(image.turned(), area.x + area.width - y - h, area.y)
    }
  }

  private mutating func draw(_ image: DotImage, _ x: Int, _ y: Int) {
    canvas.draw(image, x: x, y: y)
    bottom = max(bottom, min(Self.maximumHeight, y + image.height))
  }

  /// The page as it is printed.
  var printed: DotImage {
    var image = DotImage(width: width, height: bottom)
    image.rows = Array(canvas.rows[..<(bottom * canvas.stride)])
    return image
  }
}

extension Machine {
  /// `FF` and `ESC FF`: prints what page mode has gathered.
  mutating func printPage(leaving: Bool) {
    guard page != nil else { return }
    if !line.isEmpty { printLine() }
    guard let page else { return }
    for entry in page.entries { paper.note(entry.content, height: min(entry.height, page.printed.height)) }
    let image = page.printed
    self.page = leaving ? nil : page
    if image.height > 0 { emit(paper.keeping == .dots ? image : nil, x: 0, advance: image.height) }
  }
}
