import Glibc

/// Reading and writing whole files.
enum Files {
  /// Reads a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that are taken; a longer file is refused.
  ///   - mayWait: Whether a pipe, too, is read, for as long as its writer takes.
  /// - Throws: ``Failure`` with the path and the reason.
  static func read(_ path: String, limit: Int, mayWait: Bool = true) throws(Failure) -> [UInt8] {
    let flags = O_RDONLY | O_CLOEXEC | (mayWait ? 0 : O_NONBLOCK)
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, flags)
    guard descriptor >= 0 else { throw failure(.noInput, path) }
    defer { close(descriptor) }
    if !mayWait {
      var status = stat()
      guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
        throw Failure(.badInput, "\(path): is not a file")
      }
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(.inputOutput, path) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else {
        throw Failure(.badInput, "\(path): longer than \(limit) bytes")
      }
    }
  }

  /// Writes a file beside and moves it into place, so that nobody ever reads half of it.
  ///
  /// - Parameter durably: Whether it is on the disk when this returns.
  /// - Throws: ``Failure``; the old file, if there was one, is then untouched.
  static func write(
    _ bytes: [UInt8], to path: String, mode: mode_t = 0o644, durably: Bool = false
  ) throws(Failure) {
    let beside = "\(path).\(getpid()).part"
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let failure = failure(.inputOutput, path)
        close(descriptor)
        unlink(beside)
        throw failure
      }
      rest = rest.dropFirst(count)
    }
    if durably { fsync(descriptor) }
    close(descriptor)
    guard rename(beside, path) == 0 else {
      let failure = failure(.cannotCreate, path)
      unlink(beside)
      throw failure
    }
  }

  /// Writes a file that must not be there yet; nobody ever reads half of it.
  ///
  /// - Throws: ``Failure``; a file that was there is untouched.
  static func write(_ bytes: [UInt8], toNew path: String, mode: mode_t = 0o644) throws(Failure) {
    let beside = "\(path).\(getpid()).new"
    try write(bytes, to: beside, mode: mode, durably: true)
    defer { unlink(beside) }
    guard link(beside, path) == 0 else {
      if errno == EEXIST { throw Failure(.cannotCreate, "\(path): is there already, and is left as it is") }
      throw failure(.cannotCreate, path)
    }
  }

  /// The folder that this process was started in.
  static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  /// Whether everybody on this machine may read or write a file.
  static func isOpenToAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o007 != 0
  }

  /// The names in a folder, sorted; none when it is not there.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Makes a folder and the ones above it.
  ///
  /// - Throws: ``Failure`` with the path and the reason.
  static func makeFolder(_ path: String, mode: mode_t = 0o755) throws(Failure) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, mode) == 0 || errno == EEXIST else { throw failure(.cannotCreate, made) }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(.cannotCreate, path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(.cannotCreate, "\(path): is not a folder") }
  }

  private static func failure(_ code: ExitCode, _ path: String) -> Failure {
    let reason = errno
    let code = reason == EACCES || reason == EPERM ? ExitCode.noPermission : code
    return Failure(code, "\(path): \(String(cString: strerror(reason)).lowercased())")
  }
}
