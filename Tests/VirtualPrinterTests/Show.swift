import ESCPOS
import Glibc
import PrintTestKit
import VirtualPrinter

/// Pictures of what a test has printed, for people and for scanners.
enum Show {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Writes the sheets as `.build/paper/<name>.png` and returns its path.
  @discardableResult
  static func save(_ printer: VirtualPrinter, _ name: String, scale: Int = 1) throws -> String {
    try save(SheetPicture(glyphs: Profiles.raster).png(printer.paper.all, scale: scale), "\(name).png")
  }

  /// Writes bytes as `.build/paper/<name>` and returns the path.
  static func save(_ bytes: [UInt8], _ name: String) throws -> String {
    let folder = "\(Fixtures.project)/.build/paper"
    mkdir(folder, 0o755)
    let path = "\(folder)/\(name)"
    guard let file = fopen(path, "wb") else { throw Failure(description: "cannot write \(path)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw Failure(description: "cannot write \(path)")
    }
    return path
  }

  /// Runs a program and returns what it prints.
  ///
  /// - Throws: ``Failure`` when it cannot be run or fails, with its output.
  static func run(_ command: String) throws -> String {
    guard let pipe = popen("\(command) 2>&1", "r") else {
      throw Failure(description: "cannot run \(command)")
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    let text = String(decoding: output, as: UTF8.self)
    guard pclose(pipe) == 0 else { throw Failure(description: "\(command): \(text)") }
    return text
  }

  /// What a scanner reads on a picture: lines such as `EAN-13:4006381333931`.
  static func scan(_ path: String) throws -> [String] {
    try run("zbarimg -q --set '*.enable=1' '\(path)'").split(separator: "\n").map(String.init)
  }
}
