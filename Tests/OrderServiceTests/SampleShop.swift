import Dispatch
import Glibc
import PrintTestKit
import Testing

/// The sample shop as a process of its own, with a folder of its own.
final class SampleShop: Sendable {
  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  let folder: TemporaryFolder
  let port: Int
  private let child: pid_t
  var url: String { "http://127.0.0.1:\(port)" }

  /// Starts the program that was built beside the tests, and waits until it listens; on a thread of its own.
  static func open(token: String? = nil) async throws -> SampleShop {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try SampleShop(token: token) }) }
    }
  }

  private init(token: String?) throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/orders", 0o755)
    var executable = [CChar](repeating: 0, count: 4096)
    readlink("/proc/self/exe", &executable, executable.count - 1)
    let tests = String(decoding: executable.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let program = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    var words = [
      program + "/sample-shop", "--listen", "127.0.0.1:0", "--orders", folder.path + "/orders", "--reports",
      folder.path + "/reports.jsonl", "--port-file", folder.path + "/port",
    ]
    if let token {
      try folder.write("token", token + "\n")
      words += ["--token-file", folder.path + "/token"]
    }
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    // The read end sees the end of the file when the shop is gone, and its first line when it listens.
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The threads that tests run on block all signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child = pid_t()
    let failed = posix_spawn(&child, words[0], &actions, &attributes, arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard failed == 0 else {
      throw Failed(description: "\(words[0]) does not start: \(String(cString: strerror(failed)))")
    }
    self.child = child
    var line = [UInt8](repeating: 0, count: 256)
    let count = read(ends[0], &line, line.count)
    guard count > 0, let port = folder.read("port").flatMap({ Int($0.prefix { $0 != "\n" }) }) else {
      throw Failed(
        description:
          "the shop does not listen: \(String(decoding: line.prefix(max(0, count)), as: UTF8.self))")
    }
    self.port = port
  }

  deinit {
    kill(child, SIGTERM)
    DispatchQueue.global().async { [child, folder] in
      var status: Int32 = 0
      withExtendedLifetime(folder) { _ = waitpid(child, &status, 0) }
    }
  }
}

/// A folder that is gone with the test.
final class TemporaryFolder: Sendable {
  struct Failed: Error {}

  let path: String

  init() throws {
    var template = Array("/tmp/printd-orders-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed() }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    let folder = path
    for name in names(folder) {
      let inner = "\(folder)/\(name)"
      for leaf in names(inner) { unlink("\(inner)/\(leaf)") }
      if rmdir(inner) != 0 { unlink(inner) }
    }
    rmdir(folder)
  }

  func write(_ name: String, _ text: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw Failed() }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failed() }
  }

  func read(_ name: String) -> String? {
    guard let file = fopen("\(path)/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  /// Sets a file's modification time, seconds since 1970.
  func setTime(_ name: String, _ seconds: Int) {
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    utimensat(AT_FDCWD, "\(path)/\(name)", times, 0)
  }

  private func names(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
