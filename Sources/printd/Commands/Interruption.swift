import Glibc
import Threads

/// Work that a person may end by Ctrl-C.
enum Interruption {
  /// Runs `work`; the first SIGINT, SIGTERM or SIGHUP (its terminal has gone) cancels it, so that it can undo what it has
  /// begun, the second ends the process at once.
  static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
  {
    // Before the work begins, or a signal in its first moments ends the process with what it has begun.
    let signals = Signals.arrivals(of: [SIGINT, SIGTERM, SIGHUP])
    let task = Task { try await work() }
    let watching = Task {
      for await _ in signals {
        if task.isCancelled { exit(128 + SIGINT) }
        task.cancel()
      }
    }
    defer { watching.cancel() }
    return try await task.value
  }

  /// Goes on unless the work has been interrupted.
  ///
  /// - Throws: ``Failure/stopped``.
  static func check() throws(Failure) {
    if Task.isCancelled { throw .stopped }
  }
}
