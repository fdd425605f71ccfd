import Glibc

/// A folder of its own for a test; removed when nobody holds it any more.
public final class TemporaryFolder: Sendable {
  /// The folder's path, short enough for a unix socket in it.
  public let path: String

  /// Makes the folder.
  public init() throws {
    var template = Array("/tmp/printd-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Fixtures.Missing(path: "/tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of something in the folder.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in the folder and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    guard let file = fopen(path(name), "wbe") else { throw Fixtures.Missing(path: path(name)) }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Fixtures.Missing(path: path(name)) }
    return path(name)
  }

  deinit {
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) else {
      unlink(path)
      return
    }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    closedir(folder)
    rmdir(path)
  }
}
