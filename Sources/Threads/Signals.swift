import Glibc

/// Signals as a sequence.
///
/// Not by a signal source of Dispatch: that begins to listen some time after it was activated, on another thread, and a
/// signal in between is lost.
public enum Signals {
  private typealias Listener = (numbers: Set<Int32>, sequence: AsyncStream<Int32>.Continuation)

  private struct State {
    var nextID = 0
    var listeners: [Int: Listener] = [:]
    /// The reading end of the pipe; nil until somebody has listened.
    var reading: Int32?
  }

  private static let state = Locked(State())

  /// From this call on the signals no longer do to the process what they do by default, but come out of the sequence, each
  /// once for every time that it came in, also when the sequence is not read yet. That stays so after the sequence has ended.
  ///
  /// Where the system has no pipe or thread left, the signals do what they did.
  public static func arrivals(of numbers: [Int32]) -> AsyncStream<Int32> {
    AsyncStream { continuation in
      let isListening = state.withLock { state in
        state.nextID += 1
        let id = state.nextID
        state.listeners[id] = (Set(numbers), continuation)
        continuation.onTermination = { _ in Self.state.withLock { $0.listeners[id] = nil } }
        return begin(&state)
      }
      guard isListening else { return }
      for number in numbers {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
      }
    }
  }

  /// Makes the pipe, and the thread that reads it, once.
  private static func begin(_ state: inout State) -> Bool {
    guard state.reading == nil else { return true }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The handler must never wait.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    do throws(OwnThread.Failure) {
      try OwnThread.start(stack: 65_536) { read(from: reading) }
    } catch {
      close(reading)
      close(writing)
      return false
    }
    signalPipe = writing
    state.reading = reading
    return true
  }

  private static func read(from pipe: Int32) {
    while true {
      var byte: UInt8 = 0
      let count = Glibc.read(pipe, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return }
      let number = Int32(byte)
      let listeners = state.withLock { $0.listeners.values.filter { $0.numbers.contains(number) } }
      for listener in listeners { listener.sequence.yield(number) }
    }
  }
}

/// Where the handler writes. Set under the lock of `Signals`, before the handler is installed for the first time, and never
/// again.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// The handler: what may be called in it is little (signal-safety(7)).
private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe, &byte, 1)
  errno = before
}
