import Dispatch
import Glibc
import PrintJobs

@testable import PrintJournal

/// A run of `JournalVictim`, the program beside the test's own, with its output on a socket that this process
/// holds.
struct VictimProcess {
  /// How it ended and what it had said by then.
  struct End: Sendable {
    var lines: [String]
    var wasKilled: Bool
    var exitCode: Int32?
  }

  /// Runs it with `arguments`; kills it a moment of `patience` turns of a loop after its `fatalLine`-th line.
  static func run(_ arguments: [String], fatalLine: Int? = nil, patience: Int = 0) async throws -> End {
    try await withCheckedThrowingContinuation { continuation in
      // A thread that may wait: the pool's may not.
      DispatchQueue.global().async {
        continuation.resume(with: Result { try runHere(arguments, fatalLine: fatalLine, patience: patience) })
      }
    }
  }

  private static func runHere(_ arguments: [String], fatalLine: Int?, patience: Int) throws -> End {
    var ends: [Int32] = [0, 0]
    // Unlike a pipe's, its ends are closed to other children from the start.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw JournalError(.storage, errorText(errno)) }
    defer { close(ends[0]) }
    let process: pid_t
    do {
      defer { close(ends[1]) }
      process = try spawn(arguments, output: ends[1])
    }
    var output: [UInt8] = []
    var lines = 0
    var buffer = [UInt8](repeating: 0, count: 65536)
    var wasKilledHere = false
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 {
      output += buffer[..<count]
      lines += buffer[..<count].count { $0 == 0x0A }
      guard let fatalLine, lines >= fatalLine, !wasKilledHere else { continue }
      for _ in 0..<patience { sched_yield() }
      kill(process, SIGKILL)
      wasKilledHere = true
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    let signal = status & 0x7F
    return End(
      lines: String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init),
      wasKilled: signal == SIGKILL, exitCode: signal == 0 ? (status >> 8) & 0xFF : nil)
  }

  private static func spawn(_ arguments: [String], output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let program = try program()
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    // The backtracer would hold on to the output of a process that is killed.
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    if let path = getenv("LD_LIBRARY_PATH") {
      environment.insert(strdup("LD_LIBRARY_PATH=\(String(cString: path))"), at: 0)
    }
    defer { for word in words + environment { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, nil, words, environment)
    guard code == 0 else { throw JournalError(.storage, "\(program): \(errorText(code))") }
    return process
  }

  /// SwiftPM puts the products of a package into one folder.
  private static func program() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        name.baseAddress.map { readlink("/proc/self/exe", $0, name.count) } ?? -1
      }
    }
    guard count > 0 else { throw JournalError(.notFound, "/proc/self/exe: \(errorText(errno))") }
    let here = String(decoding: buffer[..<count], as: UTF8.self)
    return here.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      + "/JournalVictim"
  }
}
