public import Glibc
import Threads

/// A program started by a test or a benchmark; it is killed when nobody holds it any more.
public final class ChildProcess: Sendable {
  /// A program that could not be started.
  public struct NotStarted: Error, CustomStringConvertible {
    /// The program and the reason.
    public let description: String
  }

  /// How a program ended.
  public enum End: Equatable, Sendable {
    /// It left by itself with this code.
    case exit(Int32)
    /// It was ended by this signal.
    case signal(Int32)
  }

  private struct State {
    var end: End?
    var waiters: [CheckedContinuation<End, Never>] = []
  }

  /// The process id.
  public let pid: pid_t
  private let state = Locked(State())

  /// Starts a program; a thread of its own waits for its end.
  ///
  /// - Parameters:
  ///   - sockets: Descriptors that the program gets as 3, 4, … (sd_listen_fds(3)).
  ///   - output: The file that takes standard output and standard error, or nil to pass them on.
  ///   - terminal: The path of a terminal that is standard input, output and error, and that its keys for signals come from.
  ///   - environment: Names and values beside the ones of this process.
  /// - Throws: ``NotStarted``.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
    sockets: [Int32] = [], output: String? = nil, terminal: String? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal ?? "/dev/null", O_RDWR, 0)
    if terminal != nil {
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    } else if let output {
      posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o644)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    }
    for (index, socket) in sockets.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, socket, 3 + Int32(index))
    }
    var variables = environment
    variables["SWIFT_BACKTRACE"] = "enable=no"
    var words: [String] = []
    var next = environ
    while let entry = next.pointee {
      let word = String(cString: entry)
      let name = String(word.prefix { $0 != "=" })
      if variables[name] == nil { words.append(word) }
      next += 1
    }
    words += variables.map { "\($0.key)=\($0.value)" }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var entries: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer {
      for pointer in arguments { free(pointer) }
      for pointer in entries { free(pointer) }
    }
    // The threads of the cooperative pool block signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // The first terminal that the leader of a session without one opens becomes its own (tty_ioctl(4)).
    // POSIX_SPAWN_SETSID (spawn.h) is 0x80.
    let session: Int32 = terminal == nil ? 0 : 0x80
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | session))
    var pid = pid_t()
    let code = posix_spawnp(&pid, program, &actions, &attributes, &arguments, &entries)
    guard code == 0 else {
      throw NotStarted(description: "\(program): \(String(cString: strerror(code)))")
    }
    self.pid = pid
    let child = pid
    try OwnThread.start { [weak self] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      let end: End = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      self?.finish(end)
    }
  }

  private func finish(_ end: End) {
    let waiters = state.withLock { state in
      state.end = end
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: end) }
  }

  /// Sends a signal, if the program still runs.
  public func send(_ signal: Int32) {
    state.withLock { state in
      if state.end == nil { kill(pid, signal) }
    }
  }

  /// How the program ended; waits for it. When the task is cancelled, as by the time limit of the test, the program is
  /// killed, so that nobody waits for one that does not end.
  public var end: End {
    get async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let end = state.withLock { state -> End? in
            if state.end == nil { state.waiters.append(waiter) }
            return state.end
          }
          if let end { waiter.resume(returning: end) }
        }
      } onCancel: {
        send(SIGKILL)
      }
    }
  }

  deinit {
    if state.withLock({ $0.end == nil }) { kill(pid, SIGKILL) }
  }
}
