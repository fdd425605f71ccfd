import Dispatch

/// Work on many files, away from the threads of Swift's tasks.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "printd.files")

  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: work()) }
    }
  }
}
