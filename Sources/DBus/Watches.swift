import Glibc

/// The descriptors and intervals that libdbus waits for, in an epoll instance. Used by the connection's thread alone.
final class Watches {
  private struct Interval {
    var milliseconds: Int32
    var next: Int64
  }

  private let epoll: Epoll
  /// What each watch waits for, by descriptor; nil when it is disabled. Two watches usually share a descriptor.
  private var watches: [Int32: [OpaquePointer: Readiness?]] = [:]
  /// What epoll has been told of a descriptor.
  private var armed: [Int32: Readiness] = [:]
  private var intervals: [OpaquePointer: Interval] = [:]

  /// Makes the epoll instance, which also waits for `mailbox`.
  init(mailbox: Int32) throws(DBusError) {
    epoll = try Epoll()
    guard epoll.arm(mailbox, .reading, isNew: true) else {
      throw DBusError(.unavailable, "epoll: \(String(cString: strerror(errno)))")
    }
  }

  /// The watches at an address that was made of them.
  static func at(_ context: UnsafeMutableRawPointer) -> Watches {
    Unmanaged<Watches>.fromOpaque(context).takeUnretainedValue()
  }

  func add(_ watch: OpaquePointer, descriptor: Int32, _ wanted: Readiness?) {
    watches[descriptor, default: [:]].updateValue(wanted, forKey: watch)
    arm(descriptor)
  }

  func change(_ watch: OpaquePointer, descriptor: Int32, _ wanted: Readiness?) {
    guard watches[descriptor]?.keys.contains(watch) == true else { return }
    add(watch, descriptor: descriptor, wanted)
  }

  func remove(_ watch: OpaquePointer, descriptor: Int32) {
    watches[descriptor]?.removeValue(forKey: watch)
    if watches[descriptor]?.isEmpty == true { watches.removeValue(forKey: descriptor) }
    arm(descriptor)
  }

  /// Sets a timeout that recurs until it is set to nil.
  func set(_ timeout: OpaquePointer, interval: Int32?) {
    intervals[timeout] = interval.map { Interval(milliseconds: $0, next: Self.now + Int64($0)) }
  }

  /// A descriptor that no enabled watch waits for leaves the epoll instance, which would report its end for ever.
  private func arm(_ descriptor: Int32) {
    let enabled = watches[descriptor]?.values.compactMap { $0 } ?? []
    guard !enabled.isEmpty else {
      if armed.removeValue(forKey: descriptor) != nil { epoll.disarm(descriptor) }
      return
    }
    let wanted = Readiness(enabled)
    guard armed[descriptor] != wanted else { return }
    if epoll.arm(descriptor, wanted, isNew: armed[descriptor] == nil) { armed[descriptor] = wanted }
  }

  /// Waits for the first of all, unless `isBusy`, and lets libdbus handle what is ready.
  func wait(isBusy: Bool) {
    for (descriptor, ready) in epoll.wait(isBusy ? 0 : remaining) {
      // Handling one watch may remove or disable another.
      for watch in (watches[descriptor] ?? [:]).keys {
        guard case .some(.some(let wanted)) = watches[descriptor]?[watch] else { continue }
        // An end is told to every watch, wanted or not.
        let ready = ready.intersection(wanted.union([.failed, .hungUp]))
        if !ready.isEmpty { WireConnection.handle(watch, ready) }
      }
    }
    guard !intervals.isEmpty else { return }
    let now = Self.now
    for timeout in intervals.filter({ $0.value.next <= now }).keys {
      guard let interval = intervals[timeout] else { continue }
      intervals[timeout]?.next = now + Int64(interval.milliseconds)
      WireConnection.fire(timeout)
    }
  }

  /// Milliseconds to the next interval's end; −1 without any.
  private var remaining: Int32 {
    guard let next = intervals.values.map(\.next).min() else { return -1 }
    return Int32(clamping: max(0, next - Self.now))
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
