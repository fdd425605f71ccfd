import CSpawn
import ESCPOS
import Glibc
import Sound
import Threads

/// One run of another program (the only file that knows CSpawn): its input, its output, its end by a deadline.
///
/// It gets its input on a socket, so that one that does not read raises no signal here; it is the head of a group of its
/// own, so that what it has started ends with it; and it is waited for, whatever comes.
struct Program: Sendable {
  /// A path, or a name to look for in `PATH`.
  var path: String
  var arguments: [String]
  /// Bytes of output at most.
  var outputLimit: Int
  /// What to do when it cannot be started.
  var remedy: String

  /// Runs the program with `input` on its standard input and returns what it has written.
  ///
  /// - Throws: ``SoundError``: `unavailable` when it cannot be started, `deadline`, `failed` when it ends with a code or
  ///   says too much.
  func run(_ input: [UInt8], by deadline: BootInstant) async throws(SoundError) -> [UInt8] {
    let result = await WorkThreads.speech.run { () -> Result<[UInt8], SoundError> in
      do throws(SoundError) {
        return .success(try self.runBlocking(input, by: deadline))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func runBlocking(_ input: [UInt8], by deadline: BootInstant) throws(SoundError) -> [UInt8] {
    let stdin = try Pair()
    let stdout = try Pair()
    let pid = try start(stdin: stdin.theirs, stdout: stdout.theirs)
    stdin.closeTheirs()
    stdout.closeTheirs()
    var exchange = Exchange(input: input, outputLimit: outputLimit)
    let end = exchange.run(stdin, stdout, by: deadline)
    if end != .closed { kill(-pid, SIGKILL) }
    let status = Self.wait(for: pid, by: deadline)
    switch end {
    case .deadline: throw SoundError(.deadline, "\(path) did not end in time")
    case .tooMuch: throw SoundError(.failed, "\(path) says more than \(outputLimit) bytes")
    case .failed(let reason): throw SoundError(.failed, "\(path): \(reason)")
    case .closed: break
    }
    guard let status else { throw SoundError(.deadline, "\(path) did not end in time") }
    guard status == 0 else {
      let word = status & 0x7F == 0 ? "code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
      throw SoundError(.failed, "\(path) ended with \(word)")
    }
    return exchange.output
  }

  private func start(stdin: Int32, stdout: Int32) throws(SoundError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stdout, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // What others have opened is none of its business: a printer, a socket that the service manager has handed over.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid = pid_t()
    let code = posix_spawnp(&pid, path, &actions, &attributes, &words, environ)
    guard code == 0 else {
      throw SoundError(
        .unavailable, "\(path) cannot be started (\(String(cString: strerror(code)))); \(remedy)")
    }
    return pid
  }

  /// Waits for an end that must be near: the output is closed, or the program was killed. One that the kernel holds fast
  /// is left to a thread of its own.
  ///
  /// What the program has left behind in its group ends, too, while its number still belongs to it.
  private static func wait(for pid: pid_t, by deadline: BootInstant) -> Int32? {
    let patience = max(deadline, BootClock().now.advanced(by: .milliseconds(100)))
    while !hasEnded(pid) {
      guard BootClock().now < patience else {
        kill(-pid, SIGKILL)
        WorkThreads.speech.start { _ = reap(pid) }
        return nil
      }
      usleep(500)
    }
    kill(-pid, SIGKILL)
    return reap(pid)
  }

  private static func hasEnded(_ pid: pid_t) -> Bool {
    var end = siginfo_t()
    return waitid(P_PID, id_t(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo == SIGCHLD
  }

  private static func reap(_ pid: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status
  }
}

/// Two ends of a stream, one of them for another program.
private final class Pair {
  private(set) var ours: Int32
  private(set) var theirs: Int32

  init() throws(SoundError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SoundError(.failed, "no socket for a program (\(String(cString: strerror(errno))))")
    }
    (ours, theirs) = (ends[0], ends[1])
    _ = fcntl(ours, F_SETFL, O_NONBLOCK)
  }

  func closeTheirs() {
    if theirs >= 0 { close(theirs) }
    theirs = -1
  }

  func closeOurs() {
    if ours >= 0 { close(ours) }
    ours = -1
  }

  deinit {
    closeOurs()
    closeTheirs()
  }
}

/// Writing to a program and reading from it, both at once.
private struct Exchange {
  enum End: Equatable {
    case closed, deadline, tooMuch
    case failed(String)
  }

  private var input: ArraySlice<UInt8>
  private let outputLimit: Int
  private(set) var output: [UInt8] = []

  init(input: [UInt8], outputLimit: Int) {
    self.input = input[...]
    self.outputLimit = outputLimit
  }

  mutating func run(_ stdin: Pair, _ stdout: Pair, by deadline: BootInstant) -> End {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if stdin.ours >= 0, input.isEmpty { stdin.closeOurs() }
      let left = BootClock().now.duration(to: deadline)
      guard left > .zero else { return .deadline }
      let milliseconds = min(
        60_000, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
      var waits = [
        pollfd(fd: stdout.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stdin.ours, events: Int16(POLLOUT), revents: 0),
      ]
      guard poll(&waits, 2, Int32(milliseconds)) >= 0 || errno == EINTR else { return .failed(reason) }
      if waits[1].revents != 0, !write(to: stdin.ours) { stdin.closeOurs() }
      guard waits[0].revents != 0 else { continue }
      let count = read(stdout.ours, &block, block.count)
      if count == 0 { return .closed }
      guard count > 0 else {
        // A program that ends with input unread resets the stream; all of its output has come by then.
        if errno == ECONNRESET { return .closed }
        if errno == EAGAIN || errno == EINTR { continue }
        return .failed(reason)
      }
      guard output.count + count <= outputLimit else { return .tooMuch }
      output += block[..<count]
    }
  }

  /// Whether more can be written.
  private mutating func write(to descriptor: Int32) -> Bool {
    let count = input.withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count >= 0 else { return errno == EAGAIN || errno == EINTR }
    input = input.dropFirst(count)
    return true
  }

  private var reason: String { String(cString: strerror(errno)) }
}
