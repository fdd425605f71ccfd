import ESCPOS
import TextRaster
import VirtualPrinter

/// Shows sheets of paper: as a picture where the terminal is wide enough, else as text; and as PNG files.
enum PaperView {
  /// Dots of the paper for one column of the terminal, at most; with more of them small text cannot be read.
  private static let dotsPerColumn = 2

  /// Prints `sheets` on standard output.
  static func show(_ sheets: [Sheet], asText: Bool) {
    for sheet in sheets {
      if !asText, let columns = columns(for: sheet.width), let dots = sheet.dots {
        Console.print("\(TerminalPicture(dots, columns: columns))")
      } else {
        frame(sheet.text)
      }
    }
  }

  /// Prints a picture of paper on standard output; where the terminal is too narrow, the text that lies beside it.
  static func show(_ picture: DotImage, text: [UInt8]?, asText: Bool) {
    if !asText, let columns = columns(for: picture.width) {
      Console.print("\(TerminalPicture(picture, columns: columns))")
    } else if let text {
      frame(String(decoding: text, as: UTF8.self))
    } else {
      let wanted = (picture.width + dotsPerColumn - 1) / dotsPerColumn
      Console.print(
        "\(picture.width) × \(picture.height) dots; to see them here, a terminal of \(wanted) columns is needed"
      )
    }
  }

  /// The columns to draw in, or nil where text is better.
  private static func columns(for width: Int) -> Int? {
    guard let columns = Console.columns, columns * dotsPerColumn >= width else { return nil }
    return min(columns, width)
  }

  /// Prints text between two torn edges.
  private static func frame(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    let width = max(24, lines.map(\.columnCount).max() ?? 0)
    let edge = String(repeating: "\u{2504}", count: width + 2)
    Console.print(edge)
    for line in lines { Console.print(" \(line)") }
    Console.print(edge)
  }

  /// Writes sheets as PNG: `out.png`, and `out-2.png` … for the ones behind the first.
  ///
  /// - Returns: The paths.
  /// - Throws: ``Failure`` when a file cannot be written.
  static func write(_ sheets: [Sheet], to path: String, _ raster: PangoRaster) throws -> [String] {
    var paths: [String] = []
    let stem = path.hasSuffix(".png") ? String(path.dropLast(4)) : path
    for (index, sheet) in sheets.enumerated() {
      let name = index == 0 ? path : "\(stem)-\(index + 1).png"
      try Files.write(try SheetPicture(glyphs: raster).png([sheet]), to: name)
      paths.append(name)
    }
    return paths
  }
}

extension VirtualPrinter {
  /// A printer for looking at paper, not for the daemon: nothing is dropped, whatever the length.
  static func forViewing(_ profile: PrinterProfile, _ raster: PangoRaster) -> VirtualPrinter {
    VirtualPrinter(profile: profile, glyphs: raster, symbols: raster)
  }

  /// All sheets that have something on them, the one in the printer included.
  var printedSheets: [Sheet] { paper.all.filter { $0.height > 0 || !$0.entries.isEmpty } }
}
