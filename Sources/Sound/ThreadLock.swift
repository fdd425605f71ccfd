import Glibc

/// A lock around a value, made of `pthread_mutex_t`: the thread sanitizer sees it, as it does not see
/// `Synchronization.Mutex` on Linux. Threads of C libraries are to be judged by it.
final class ThreadLock<Value>: @unchecked Sendable {
  // `value` is guarded by `mutex`.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while nobody else has it.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

/// A thread of its own for calls that block.
enum OwnThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that nobody waits for; false when the system has none left.
  static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    let body = Unmanaged.passRetained(Body(run))
    var thread = pthread_t()
    let failed = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    guard failed == 0 else {
      body.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
