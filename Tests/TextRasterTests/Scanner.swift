import ESCPOS
import Glibc
import TextRaster

/// A barcode scanner: `zbarimg` of the package zbar-tools.
enum Scanner {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What the scanner reads on the paper, with the name of the symbology: `EAN-13:4006381333931`.
  ///
  /// - Throws: ``Failure`` when there is no scanner, or the paper cannot be written; nothing read is an empty text.
  static func read(_ paper: DotImage) throws -> [UInt8] {
    var template = Array("/tmp/printd-scan-XXXXXX.png".utf8CString)
    let file = mkstemps(&template, 4)
    guard file >= 0 else { throw Failure(description: "no temporary file: errno \(errno)") }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let png = try PaperPicture.png(of: paper, margin: 8)
    guard write(file, png, png.count) == png.count, close(file) == 0 else {
      throw Failure(description: "the picture was not written")
    }
    guard let pipe = popen("zbarimg --quiet -Senable '\(path)' 2>/dev/null", "r") else {
      throw Failure(description: "zbarimg does not start")
    }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    let status = pclose(pipe) >> 8
    guard status != 127 else { throw Failure(description: "zbarimg is missing; install zbar-tools") }
    if text.last == 0x0A { text.removeLast() }
    return text
  }

  /// A symbol's modules as paper, with a quiet zone.
  static func paper(_ modules: DotImage, module: Int = 3) -> DotImage {
    let quiet = 12 * module
    let height = modules.height == 1 ? 80 : modules.height * module
    var paper = DotImage(width: modules.width * module + 2 * quiet, height: height + 2 * quiet)
    for y in 0..<height {
      for x in 0..<modules.width * module {
        paper[quiet + x, quiet + y] = modules[x / module, modules.height == 1 ? 0 : y / module]
      }
    }
    return paper
  }
}
