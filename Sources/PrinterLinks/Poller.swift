package import ESCPOS
import Glibc
import Threads

/// One thread that waits for the descriptors of all links (`poll`), so that nobody else blocks.
///
/// It sleeps without a time-out: a daemon whose links are quiet is not woken.
package final class Poller: Sendable {
  /// What a descriptor is waited for.
  package enum Direction: Sendable {
    case reading, writing
  }

  /// Why a wait ended.
  package enum Wake: Sendable {
    /// The descriptor can be read or written, or has an error to tell.
    case ready
    /// The deadline came first.
    case deadline
    /// The task was cancelled.
    case cancelled
    /// The descriptor is about to be closed.
    case closed
  }

  private struct Waiter {
    var descriptor: Int32
    var direction: Direction
    var tell: CheckedContinuation<Wake, Never>
  }

  private struct State {
    var nextID = 0
    var waiters: [Int: Waiter] = [:]
    /// Who waits until the thread has let go of descriptors that nobody waits for any more.
    var releases: [CheckedContinuation<Void, Never>] = []
    var isRunning = false
  }

  /// The poller of this process.
  package static let shared = Poller()

  private let state = Locked(State())
  /// A byte in this pipe makes the thread look at the waiters again.
  private let bell: (hear: Int32, ring: Int32)

  /// Starts a poller; its thread ends with the process.
  package init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = (ends[0], ends[1])
    if (try? OwnThread.start { self.run() }) != nil { state.withLock { $0.isRunning = true } }
  }

  /// Waits until the descriptor is ready, which an error of it is too.
  ///
  /// - Parameter isOpen: Asked once the wait is known to ``release(_:)``, so that no close in between is missed.
  package func wait(
    for direction: Direction, of descriptor: Int32, by deadline: BootInstant, clock: any BootTimeClock,
    while isOpen: () -> Bool = { true }
  ) async -> Wake {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    var timer: Task<Void, Never>?
    if deadline != BootInstant(nanoseconds: .max) {
      timer = Task {
        do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
        finish(id, .deadline)
      }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        state.withLock { $0.waiters[id] = Waiter(descriptor: descriptor, direction: direction, tell: tell) }
        // The timer and the cancellation may have come before there was anyone to tell.
        if Task.isCancelled { return finish(id, .cancelled) }
        if clock.now >= deadline { return finish(id, .deadline) }
        if !isOpen() { return finish(id, .closed) }
        ringBell()
      }
    } onCancel: {
      finish(id, .cancelled)
    }
  }

  /// Ends all waits for a descriptor that is about to be closed, and returns once the thread has let go of it: while
  /// poll(2) watches a descriptor, closing it neither hangs up nor lets anybody else open the device.
  package func release(_ descriptor: Int32) async {
    let waiters = state.withLock { state in
      let ids = state.waiters.filter { $0.value.descriptor == descriptor }.map(\.key)
      return ids.compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in waiters { waiter.tell.resume(returning: .closed) }
    await withCheckedContinuation { released in
      let isRunning = state.withLock { state in
        if state.isRunning { state.releases.append(released) }
        return state.isRunning
      }
      if isRunning { ringBell() } else { released.resume() }
    }
  }

  private func finish(_ id: Int, _ wake: Wake) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.tell.resume(returning: wake)
  }

  private func ringBell() {
    // A full pipe has rung already.
    _ = write(bell.ring, [1], 1)
  }

  /// The thread. A descriptor may be closed and its number used again while this thread polls it: what comes then has
  /// no waiter any more, or makes one try once too often.
  private func run() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let (waiters, released) = state.withLock { state in
        defer { state.releases = [] }
        return (state.waiters.map { (id: $0.key, waiter: $0.value) }, state.releases)
      }
      for waiter in released { waiter.resume() }
      var descriptors = [pollfd(fd: bell.hear, events: Int16(POLLIN), revents: 0)]
      descriptors += waiters.map { _, waiter in
        let events = waiter.direction == .reading ? POLLIN : POLLOUT
        return pollfd(fd: waiter.descriptor, events: Int16(events), revents: 0)
      }
      guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
      while read(bell.hear, &bytes, bytes.count) > 0 {}
      for (descriptor, (id, _)) in zip(descriptors.dropFirst(), waiters) where descriptor.revents != 0 {
        finish(id, .ready)
      }
    }
  }
}
