import Glibc

/// The thread of a connection.
enum BusThread {
  /// What the thread is started with.
  struct Start: Sendable {
    var address: DBusAddress
    var mailbox: Mailbox
    var tree: ObjectTree
    /// Answered with this side's unique name, or with the reason why there is no connection.
    var opened: Answer
    /// Settled as the thread's last act.
    var closed: Slot<Void>
  }

  /// libdbus is not deeply recursive, and values are nested 64 deep at most.
  private static let stack = 1 << 20

  private final class Box: Sendable {
    let start: Start
    init(_ start: Start) { self.start = start }
  }

  /// Starts the thread, which ends with the connection.
  static func start(_ start: Start) throws(DBusError) {
    let box = Unmanaged.passRetained(Box(start))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stack)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { box in
        if let box { BusThread.run(Unmanaged<Box>.fromOpaque(box).takeRetainedValue().start) }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw DBusError(.unavailable, "no thread for a connection: \(String(cString: strerror(code)))")
    }
  }

  private static func run(_ start: Start) {
    // Signals are for other threads; and a write to a socket that is closed must not raise SIGPIPE.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    do {
      let loop = try BusLoop(start.address, start.mailbox, start.tree)
      loop.hello(start.opened)
      loop.run()
    } catch {
      start.opened.settle(.failure(error))
      _ = start.mailbox.close()
    }
    start.closed.settle(())
  }
}
