import ESCPOS
import Threads

/// The thread that turns a ``PulseWire``'s loop, and the waiting of those who ask it something.
///
/// It lives from ``start()`` to ``stop()``; between announcements there is none.
final class PulseThread: Sendable {
  /// Ends one wait, once; used on the thread alone.
  final class Reply<Value: Sendable> {
    private var waiter: CheckedContinuation<Result<Value, SoundError>, Never>?

    init(_ waiter: CheckedContinuation<Result<Value, SoundError>, Never>) { self.waiter = waiter }

    func end(_ result: Result<Value, SoundError>) {
      waiter?.resume(returning: result)
      waiter = nil
    }

    var isEnded: Bool { waiter == nil }
  }

  private struct Wait {
    let deadline: BootInstant
    let isEnded: () -> Bool
    let fail: (SoundError) -> Void
  }

  private typealias Work = @Sendable (PulseWire, inout [Wait]) -> Void

  private struct State {
    var wire: PulseWire?
    var incoming: [(work: Work, refuse: @Sendable () -> Void)] = []
    var isStopped = false
    var stopWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  private let clock: any BootTimeClock

  init(clock: any BootTimeClock) { self.clock = clock }

  /// Starts the thread; false when memory or threads are short.
  func start() -> Bool {
    guard let wire = PulseWire() else { return false }
    state.withLock { $0.wire = wire }
    do throws(OwnThread.Failure) {
      try OwnThread.start { self.run(wire) }
      return true
    } catch {
      state.withLock { $0.wire = nil }
      wire.close()
      return false
    }
  }

  /// Ends the thread with everything on its way; returns when it is over.
  func stop() async {
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        state.isStopped = true
        guard let wire = state.wire else { return true }
        state.stopWaiters.append(waiter)
        wire.wake()
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  /// Ends the thread some time soon.
  func abandon() {
    state.withLock { state in
      state.isStopped = true
      state.wire?.wake()
    }
  }

  /// Calls `begin` on the thread and waits until it ends the reply, or the deadline does.
  func perform<Value: Sendable>(
    by deadline: BootInstant, _ begin: @escaping @Sendable (PulseWire, Reply<Value>) -> Void
  ) async throws(SoundError) -> Value {
    let result = await withCheckedContinuation {
      (waiter: CheckedContinuation<Result<Value, SoundError>, Never>) in
      let refuse = { @Sendable in
        waiter.resume(returning: .failure(SoundError(.lost, "the sound server was left")))
      }
      let isTaken = state.withLock { state in
        guard !state.isStopped, let wire = state.wire else { return false }
        state.incoming.append(
          (
            { wire, waits in
              let reply = Reply(waiter)
              waits.append(
                Wait(deadline: deadline, isEnded: { reply.isEnded }, fail: { reply.end(.failure($0)) }))
              begin(wire, reply)
            }, refuse
          ))
        wire.wake()
        return true
      }
      if !isTaken { refuse() }
    }
    return try result.get()
  }

  // MARK: On the thread

  private func run(_ wire: PulseWire) {
    var waits: [Wait] = []
    while true {
      let (incoming, isStopped) = state.withLock { state in
        defer { state.incoming = [] }
        return (state.incoming, state.isStopped)
      }
      for entry in incoming {
        if isStopped { entry.refuse() } else { entry.work(wire, &waits) }
      }
      if isStopped { break }
      let now = clock.now
      for wait in waits where wait.deadline <= now {
        wait.fail(SoundError(.deadline, "the sound server did not answer in time"))
      }
      waits.removeAll { $0.isEnded() }
      wire.turn(waiting: waits.map(\.deadline).min().map { now.duration(to: $0) })
    }
    for wait in waits { wait.fail(SoundError(.lost, "the sound server was left")) }
    let (late, waiters) = state.withLock { state in
      state.wire = nil
      defer {
        state.incoming = []
        state.stopWaiters = []
      }
      return (state.incoming, state.stopWaiters)
    }
    wire.close()
    for entry in late { entry.refuse() }
    for waiter in waiters { waiter.resume() }
  }
}
