import ESCPOS
import FoundationEssentials
import Glibc
import Synchronization
import TextRaster
import VirtualPrinter

/// The sheets that have come out, and the folder with their pictures and texts.
final class Tray: Sendable {
  private let printer: VirtualPrinter
  private let folder: String
  private let picture: SheetPicture
  private let written = Mutex(0)

  init(_ printer: VirtualPrinter, folder: String, glyphs: any GlyphSource) {
    self.printer = printer
    self.folder = folder
    picture = SheetPicture(glyphs: glyphs)
    mkdir(folder, 0o755)
  }

  /// Writes the sheets that were cut off since the last call.
  func collect() {
    written.withLock { written in
      for sheet in printer.paper.sheets where sheet.number >= written {
        written = sheet.number + 1
        do {
          let name = String(repeating: "0", count: max(0, 4 - "\(written)".count)) + "\(written)"
          try Data((sheet.text + "\n").utf8).write(to: URL(filePath: "\(folder)/\(name).txt"))
          guard printer.paper.keeping == .dots else { continue }
          try Data(try picture.png([sheet])).write(to: URL(filePath: "\(folder)/\(name).png"))
        } catch {
          say("virtual-printer: sheet \(written) is not written: \(error)", to: STDERR_FILENO)
        }
      }
    }
  }

  /// What a person reads on a sheet, from 1; the last may still be in the printer.
  func text(of number: Int) throws(Fault) -> String {
    guard let sheet = printer.paper.all.first(where: { $0.number == number - 1 }) else {
      throw Fault("there is no sheet \(number)")
    }
    return sheet.text
  }
}
