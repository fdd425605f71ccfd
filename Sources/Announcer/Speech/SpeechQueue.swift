import Dispatch

/// Work that blocks (files, programs), away from the threads of Swift's tasks.
enum SpeechQueue {
  private static let queue = DispatchQueue(label: "printd.speech", attributes: .concurrent)

  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: work()) }
    }
  }

  static func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
