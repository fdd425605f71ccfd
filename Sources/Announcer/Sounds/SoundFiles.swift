import Glibc
import Sound

/// Files in folders that others may write to: read without following a link out of them, written whole or not at all.
enum SoundFiles {
  /// Makes a folder and the ones it is in.
  ///
  /// - Throws: ``SoundError`` (`file`) when one cannot be made.
  static func makeFolder(_ path: String, mode: mode_t = 0o750) throws(SoundError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, mode) != 0 else { continue }
      let reason = errno
      var status = stat()
      guard reason == EEXIST, stat(made, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw SoundError(.file, "\(made): cannot be made a folder (\(text(reason)))")
      }
    }
  }

  /// Makes sure that a folder is there and can be read.
  ///
  /// - Throws: ``SoundError`` (`invalid`) that says what stands there instead.
  static func requireFolder(_ path: String) throws(SoundError) {
    guard let directory = opendir(path) else {
      let reason = errno
      switch reason {
      case ENOENT:
        throw SoundError(.invalid, "\(path): there is no such folder; give the one with the recordings")
      case ENOTDIR:
        throw SoundError(.invalid, "\(path): is no folder; give the one that the recordings are in")
      case EACCES:
        throw SoundError(
          .invalid,
          "\(path): this user may not read the folder; copy it to where it may, or change its rights")
      default: throw SoundError(.invalid, "\(path): the folder cannot be read (\(text(reason)))")
      }
    }
    closedir(directory)
  }

  /// The bytes of a regular file in a folder; nil when there is none of this name, or when it is a link.
  ///
  /// - Throws: ``SoundError`` (`file`) for one that is too large or cannot be read.
  static func bytes(_ name: SoundName, in folder: String, limit: Int) throws(SoundError) -> [UInt8]? {
    let path = "\(folder)/\(name.text)"
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ELOOP || errno == ENOTDIR { return nil }
      throw SoundError(.file, "\(path): cannot be read (\(text(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard status.st_size <= limit else {
      throw SoundError(.file, "\(path): is larger than \(limit >> 20) MB")
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = read(descriptor, &block, block.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw SoundError(.file, "\(path): cannot be read (\(text(errno)))")
      }
      bytes += block[..<count]
    }
    throw SoundError(.file, "\(path): is larger than \(limit >> 20) MB")
  }

  /// Writes a file whole or not at all.
  ///
  /// - Throws: ``SoundError`` (`file`); an older file of that name is then as it was.
  static func write(_ bytes: [UInt8], to path: String) throws(SoundError) {
    let beside = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw SoundError(.file, "\(path): cannot be written (\(text(errno)))") }
    var reason: Int32 = 0
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty, reason == 0 {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) }
        if count == 0 { reason = EIO }
        if count < 0, errno != EINTR { reason = errno }
      }
    }
    if reason == 0, fsync(descriptor) != 0 { reason = errno }
    close(descriptor)
    if reason == 0, rename(beside, path) != 0 { reason = errno }
    guard reason != 0 else { return }
    unlink(beside)
    throw SoundError(.file, "\(path): cannot be written (\(text(reason)))")
  }

  /// Takes away what writers of a file that are gone have left half; nobody may be writing it.
  static func removeHalves(of name: String, in folder: String) {
    for entry in entries(of: folder) where entry.name.hasPrefix("\(name).") && entry.name.hasSuffix(".tmp") {
      unlink("\(folder)/\(entry.name)")
    }
  }

  /// A regular file in a folder.
  struct Entry {
    var name: String
    var size: Int
    /// When it was last written, seconds and nanoseconds since 1970.
    var time: (Int, Int)
  }

  /// The regular files of a folder, the newest first; none when there is no folder.
  static func entries(of folder: String) -> [Entry] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var entries: [Entry] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      entries.append(
        Entry(name: name, size: Int(status.st_size), time: (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)))
    }
    return entries.sorted { $0.time > $1.time }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
