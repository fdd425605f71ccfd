import Glibc

/// A lock around a value, made of `pthread_mutex_t`.
///
/// `Synchronization.Mutex` would do, but its waiting path on Linux is in a library that the thread sanitizer does not
/// see into, so that it reports races that are none. ``Completion`` is to be proven under it.
final class TracedLock<Value>: @unchecked Sendable {
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
