import CEvents
import Glibc

/// What a descriptor is ready for, or is to be.
struct Readiness: OptionSet, Sendable {
  let rawValue: UInt32
  static let reading = Readiness(rawValue: EPOLLIN.rawValue)
  static let writing = Readiness(rawValue: EPOLLOUT.rawValue)
  static let failed = Readiness(rawValue: EPOLLERR.rawValue)
  static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
}

/// An epoll instance, closed with its owner.
struct Epoll: ~Copyable {
  private let number: Int32

  init() throws(DBusError) {
    number = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .noDescriptor }
  }

  deinit { _ = close(number) }

  /// Waits for a descriptor from now on; with `isNew` false it already did.
  func arm(_ descriptor: Int32, _ wanted: Readiness, isNew: Bool) -> Bool {
    var event = epoll_event(
      events: wanted.rawValue, data: epoll_data(u64: UInt64(UInt32(bitPattern: descriptor))))
    return epoll_ctl(number, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event) == 0
  }

  /// Waits for a descriptor no longer.
  func disarm(_ descriptor: Int32) { _ = epoll_ctl(number, EPOLL_CTL_DEL, descriptor, nil) }

  /// Waits so many milliseconds at most, without end when negative; returns what is ready.
  func wait(_ milliseconds: Int32) -> [(descriptor: Int32, ready: Readiness)] {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 8) { events in
      let count = epoll_wait(number, events.baseAddress, Int32(events.count), milliseconds)
      return events.prefix(Int(max(0, count))).map {
        (Int32(truncatingIfNeeded: $0.data.u64), Readiness(rawValue: $0.events))
      }
    }
  }
}

/// An eventfd: readable from ``ring()`` to ``hush()``. Closed by whoever owns it.
struct Bell: Sendable {
  let descriptor: Int32

  init() throws(DBusError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .noDescriptor }
  }

  func ring() { eventfd_write(descriptor, 1) }

  func hush() {
    var count = eventfd_t()
    eventfd_read(descriptor, &count)
  }
}

extension DBusError {
  fileprivate static let noDescriptor = DBusError(
    .unavailable, "no descriptor left for a connection to the message bus")
}
