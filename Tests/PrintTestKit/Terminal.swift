import Glibc
import Threads

/// A terminal with a program on it, as a person would have it: what is typed is echoed and edited by the kernel, and Ctrl-C
/// is a signal.
public final class Terminal: Sendable {
  private struct State {
    /// The end that the person is at; nil once the program has gone.
    var descriptor: Int32?
    var written: [UInt8] = []
    /// Where the next text is looked for.
    var seen = 0
    var waiter: (text: [UInt8], tell: CheckedContinuation<Bool, Never>)?
  }

  /// Ctrl-C, as it is typed.
  public static let interrupt = "\u{03}"

  /// The program.
  public let program: ChildProcess
  /// Columns and rows.
  public let size: (columns: Int, rows: Int)
  private let state: Locked<State>

  /// Starts a program on a new terminal.
  ///
  /// - Throws: ``ChildProcess/NotStarted``, also when the system has no terminal left.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], columns: Int = 120,
    rows: Int = 24
  ) throws {
    size = (columns, rows)
    // pts(4), ioctl_tty(2): TIOCSPTLCK unlocks the other end, TIOCGPTN is its number.
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
      ioctl(descriptor, 0x8004_5430, &number) == 0, ioctl(descriptor, UInt(TIOCSWINSZ), &window) == 0
    else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw ChildProcess.NotStarted(description: "no terminal: \(reason)")
    }
    let state = Locked(State(descriptor: descriptor))
    self.state = state
    do {
      self.program = try ChildProcess(
        program, arguments, environment: environment, terminal: "/dev/pts/\(number)")
      try OwnThread.start { Self.read(from: descriptor, state) }
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Until the last program has closed the terminal (EIO).
  private static func read(from descriptor: Int32, _ state: borrowing Locked<State>) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      let told = state.withLock { state -> (tell: CheckedContinuation<Bool, Never>, isThere: Bool)? in
        if count > 0 { state.written += buffer[..<count] } else { state.descriptor = nil }
        guard let waiter = state.waiter else { return nil }
        let isThere = find(waiter.text, in: &state)
        guard isThere || count <= 0 else { return nil }
        state.waiter = nil
        return (waiter.tell, isThere)
      }
      if let told { told.tell.resume(returning: told.isThere) }
      guard count > 0 else { break }
    }
    close(descriptor)
  }

  private static func find(_ text: [UInt8], in state: inout State) -> Bool {
    guard let range = state.written[state.seen...].firstRange(of: text) else { return false }
    state.seen = range.upperBound
    return true
  }

  /// Types; a line ends with `\n`.
  public func type(_ text: String) {
    state.withLock { state in
      guard let descriptor = state.descriptor else { return }
      let bytes = Array(text.utf8)
      _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Waits until a text is written behind the one that was waited for before.
  ///
  /// - Returns: Whether it came; not when the program has ended without it, nor when the task is cancelled, as by the time
  ///   limit of the test, nor after forty seconds.
  public func shows(_ text: String) async -> Bool {
    let waiting = Task { await wait(for: text) }
    let limit = Task {
      try await Task.sleep(for: .seconds(40))
      waiting.cancel()
    }
    defer { limit.cancel() }
    return await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      waiting.cancel()
    }
  }

  private func wait(for text: String) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        let answer = state.withLock { state -> Bool? in
          if Self.find(Array(text.utf8), in: &state) { return true }
          guard state.descriptor != nil, !Task.isCancelled else { return false }
          state.waiter = (Array(text.utf8), tell)
          return nil
        }
        if let answer { tell.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.tell.resume(returning: false)
    }
  }

  /// All that was written, the echo of what was typed among it.
  public var text: String { String(decoding: state.withLock(\.written), as: UTF8.self) }

  /// How the program ended, once all that it has written is here.
  public var end: ChildProcess.End {
    get async {
      let end = await program.end
      // No program writes that.
      _ = await shows("\u{0}the end\u{0}")
      return end
    }
  }

  /// The lines that a person has before him now, as far as the program moves the cursor by ECMA-48 CUU, EL and ED.
  public var screen: [String] {
    var screen = Screen(size.columns, size.rows)
    for character in text { screen.take(character) }
    return screen.lines
  }
}
