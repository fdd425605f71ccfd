import Dispatch
import Glibc
import Synchronization

/// Work that blocks (files, programs), each on a thread of its own.
///
/// Not on a queue of Dispatch: on Linux its queues take their threads from the pool that Swift's tasks run on, which has one for each
/// processor. Two programs that hang would stop every print, answer and deadline of a machine with two of them.
public enum SpeechQueue {
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Does work that blocks, and returns what it returns.
  public static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      start { done.resume(returning: work()) }
    }
  }

  static func start(_ work: @escaping @Sendable () -> Void) {
    // Signals are for the main thread: a new thread inherits the mask it is made under.
    var every = sigset_t()
    var before = sigset_t()
    sigfillset(&every)
    pthread_sigmask(SIG_SETMASK, &every, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let reference = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, reference.toOpaque())
    guard code == 0 else {
      reference.release()
      // The system has no thread left; whoever waits for this must have an end all the same.
      return DispatchQueue.global().async(execute: work)
    }
    pthread_detach(thread)
  }
}

/// Work that nobody waits for, of which a disk that hangs holds only so much: what is more is not done.
final class FewAtATime: Sendable {
  static let most = 4
  private let count = Mutex(0)

  /// Starts the work; false when as much of it is under way as may be.
  @discardableResult
  func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isFree = count.withLock { count in
      guard count < Self.most else { return false }
      count += 1
      return true
    }
    guard isFree else { return false }
    SpeechQueue.start {
      work()
      self.count.withLock { $0 -= 1 }
    }
    return true
  }
}
