import Glibc

/// Work that a person may end by Ctrl-C.
enum Interruption {
  /// Runs `work`; the first SIGINT or SIGTERM cancels it, so that it can undo what it has begun, the second ends the
  /// process at once.
  static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
  {
    let task = Task { try await work() }
    let signals = Signals.requests()
    let watching = Task {
      for await request in signals where request == .stop {
        if task.isCancelled { exit(128 + SIGINT) }
        task.cancel()
      }
    }
    defer { watching.cancel() }
    return try await task.value
  }
}
