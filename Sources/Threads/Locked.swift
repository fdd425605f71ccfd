import Glibc

/// A lock around a value, made of `pthread_mutex_t`.
///
/// `Synchronization.Mutex` would do, but its waiting path on Linux is in a library that the thread sanitizer does not
/// see into, so that it reports races that are none. What is proven under it, or shared with a C library's thread, is
/// kept in this one.
public final class Locked<Value>: @unchecked Sendable {
  // `value` is guarded by `mutex`.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates a lock around `value`, which nobody else has from here on.
  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while nobody else has it. Not recursive: a `body` that asks for the same lock never
  /// returns.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
