import Glibc

/// The programs that were built beside this one.
public enum Programs {
  /// The folder with the programs: where this test or benchmark lies itself.
  public static let folder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // `swift test` runs the bundle by a runner of the toolchain; the bundle's path is then an argument.
    for word in [path] + CommandLine.arguments where word.contains("/.build/") {
      if let slash = word.lastIndex(of: "/") { return String(word[..<slash]) }
    }
    return "\(Fixtures.project)/.build/debug"
  }()

  /// The path of a program.
  public static func path(_ name: String) -> String { "\(folder)/\(name)" }
}
