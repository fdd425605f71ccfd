import Threads

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

  /// Starts the thread, which ends with the connection.
  static func start(_ start: Start) throws(DBusError) {
    do throws(OwnThread.Failure) {
      // It takes no signal: a write to a socket that is closed must not raise SIGPIPE.
      try OwnThread.start(stack: stack) { run(start) }
    } catch {
      throw DBusError(.unavailable, "no thread for a connection: \(error)")
    }
  }

  private static func run(_ start: Start) {
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
