import Glibc

/// Finds and reads the files under `Fixtures/`.
public enum Fixtures {
  /// A fixture that is not there.
  public struct Missing: Error, CustomStringConvertible {
    /// The path that was looked for.
    public let path: String

    /// Creates the error.
    public init(path: String) {
      self.path = path
    }

    /// Says which file is missing.
    public var description: String { "missing fixture \(path)" }
  }

  /// The project's folder.
  public static let project: String = {
    let here = #filePath
    return here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
  }()

  /// The path of a fixture: `receipts/retail-en.json`.
  public static func path(_ name: String) -> String { "\(project)/Fixtures/\(name)" }

  /// The bytes of a fixture.
  ///
  /// - Throws: ``Missing``; a missing fixture fails the test.
  public static func bytes(_ name: String) throws -> [UInt8] {
    try bytes(ofFile: path(name))
  }

  /// The names in a folder of fixtures that end in `suffix`, sorted.
  ///
  /// - Throws: ``Missing`` when the folder has none.
  public static func names(in folder: String, suffix: String) throws -> [String] {
    guard let directory = opendir(path(folder)) else { throw Missing(path: path(folder)) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(suffix) { names.append("\(folder)/\(name)") }
    }
    guard !names.isEmpty else { throw Missing(path: "\(path(folder))/*\(suffix)") }
    return names.sorted()
  }
}

extension Fixtures {
  /// The bytes of any file.
  ///
  /// - Throws: ``Missing``.
  public static func bytes(ofFile path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw Missing(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// The text of any file.
  ///
  /// - Throws: ``Missing``.
  public static func text(ofFile path: String) throws -> String {
    String(decoding: try bytes(ofFile: path), as: UTF8.self)
  }
}
