public import ESCPOS

/// A piece of paper from one cut to the next.
public struct Sheet: Equatable, Sendable {
  /// Something that leaves no dots: drawn in the margin.
  public enum Mark: Equatable, Sendable {
    /// The blade, all the way or all but a bridge.
    case cut(Receipt.Cut.Mode)
    /// A pulse to the drawer on pin 2 or 5.
    case drawer(pin: Int, milliseconds: Int)
    /// The buzzer.
    case beep(times: Int)
    /// The sheet reached the greatest length that is kept, and goes on as the next one.
    case continues
  }

  /// Something on the sheet, at its place from the top.
  public struct Entry: Equatable, Sendable {
    /// What it is.
    public enum Content: Equatable, Sendable {
      /// A line of characters, columns held by spaces.
      case text(String)
      /// A barcode or 2D code and what a scanner reads.
      case symbol(String, data: String)
      /// A picture and its size in dots.
      case image(width: Int, height: Int)
      /// A mark.
      case mark(Mark)
    }

    /// What it is.
    public var content: Content
    /// Dots from the top of the sheet to its top.
    public var y: Int
    /// Its height in dots; 0 for marks.
    public var height: Int
  }

  /// Its number since the printer was made, from 0.
  public let number: Int
  /// Width in dots.
  public let width: Int
  /// Length in dots so far.
  public internal(set) var height = 0
  /// What is on it, from top to bottom.
  public internal(set) var entries: [Entry] = []
  /// How it was cut off; nil for the sheet in the printer.
  public internal(set) var cut: Mark?
  /// Entries beyond the most that are kept.
  public internal(set) var omittedEntries = 0
  /// The dots, `(width + 7) / 8` bytes a row; empty when the printer does not draw.
  var rows: [UInt8] = []

  init(number: Int, width: Int) {
    self.number = number
    self.width = width
  }

  /// The dots; nil when the printer keeps text only.
  public var dots: DotImage? {
    guard height == 0 || !rows.isEmpty else { return nil }
    var image = DotImage(width: width, height: height)
    image.rows = rows
    return image
  }

  /// The marks, from top to bottom.
  public var marks: [Mark] {
    entries.compactMap { entry in
      guard case .mark(let mark) = entry.content else { return nil }
      return mark
    }
  }

  /// What a person reads, line by line; pictures, symbols and marks stand in brackets, blank lines
  /// between them are kept.
  public var text: String {
    var lines: [String] = []
    var bottom = 0
    for entry in entriesWithWholePictures {
      let blank = lines.isEmpty ? 0 : (entry.y - bottom) / Self.blankLine
      if blank > 0 { lines += [String](repeating: "", count: min(blank, 255)) }
      lines.append(entry.line)
      bottom = max(bottom, entry.y + max(entry.height, entry.isMark ? 0 : Self.blankLine))
    }
    return lines.joined(separator: "\n")
  }

  /// The entries with the bands of a picture, which follow each other without a gap, as one.
  private var entriesWithWholePictures: [Entry] {
    var whole: [Entry] = []
    for entry in entries {
      if let last = whole.last, case .image(let width, let height) = entry.content,
        case .image(let lastWidth, let lastHeight) = last.content, last.y + last.height == entry.y
      {
        whole[whole.count - 1].content = .image(width: max(width, lastWidth), height: lastHeight + height)
        whole[whole.count - 1].height += entry.height
      } else {
        whole.append(entry)
      }
    }
    return whole
  }

  /// Dots of a line at the default spacing: 1/6 inch.
  static let blankLine = 30
}

extension Sheet.Entry {
  var isMark: Bool {
    if case .mark = content { true } else { false }
  }

  /// The entry as a line of text.
  public var line: String {
    switch content {
    case .text(let text): text
    case .symbol(let kind, let data): "[\(kind) \(data)]"
    case .image(let width, let height): "[image \(width) × \(height)]"
    case .mark(let mark): "[\(mark.words)]"
    }
  }
}

extension Sheet.Mark {
  /// The mark in words.
  public var words: String {
    switch self {
    case .cut(.full): "full cut"
    case .cut(.partial): "partial cut"
    case .drawer(let pin, let milliseconds): "drawer, pin \(pin), \(milliseconds) ms"
    case .beep(let times): times == 1 ? "beep" : "beep × \(times)"
    case .continues: "continues"
    }
  }
}
