import Glibc
import Threads

/// The shop's files, read and written on a thread of their own.
struct ShopFiles: Sendable {
  private let disk = WorkThreads(atMost: 1)

  /// The whole file, or nil.
  func contents(_ path: String) async -> [UInt8]? {
    await disk.run { ShopFiles.read(path) }
  }

  /// The ids of the orders in a folder, sorted.
  func orderIDs(in folder: String) async -> [String] {
    await disk.run {
      guard let stream = opendir(folder) else { return [] }
      defer { closedir(stream) }
      var ids: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasSuffix(".json"), !name.hasPrefix(".") { ids.append(String(name.dropLast(5))) }
      }
      return ids.sorted()
    }
  }

  /// Appends a line and waits for the disk; false when it did not take it.
  func append(_ line: [UInt8], to path: String) async -> Bool {
    await disk.run {
      let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
      guard file >= 0 else { return false }
      defer { close(file) }
      let bytes = line + [0x0A]
      return write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    }
  }

  /// Writes a file under another name and renames it, so that nobody sees it in half.
  static func replace(_ path: String, with text: String) -> Bool {
    let draft = path + ".new"
    guard let file = fopen(draft, "we") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten && rename(draft, path) == 0
  }

  /// The whole file, or nil. Blocks.
  static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard count > 0 else { return ferror(file) == 0 ? bytes : nil }
      bytes += piece[..<count]
    }
  }
}
