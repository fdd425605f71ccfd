import Glibc

/// A thread of its own, for what blocks or loops for long.
public enum OwnThread {
  /// The system has no thread left.
  public struct Failure: Error, CustomStringConvertible {
    /// What the system says.
    public let description: String
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// What a thread's own fault raises. Blocked, they would end the process without the backtrace of the crash.
  private static let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  /// Starts a thread that nobody waits for and that takes no signals but those of its own faults: they are for the main
  /// thread.
  ///
  /// - Parameter stack: Its size in bytes; nil for the system's, which is 8 MB as a rule.
  /// - Throws: ``Failure``; `run` is not called then.
  public static func start(stack: Int? = nil, _ run: @escaping @Sendable () -> Void) throws(Failure) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    if let stack { pthread_attr_setstacksize(&attributes, stack) }
    // A new thread inherits the mask that it is made under.
    var every = sigset_t()
    var before = sigset_t()
    sigfillset(&every)
    for fault in faults { sigdelset(&every, fault) }
    pthread_sigmask(SIG_SETMASK, &every, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let body = Unmanaged.passRetained(Body(run))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw Failure(description: String(cString: strerror(code)))
    }
  }
}
