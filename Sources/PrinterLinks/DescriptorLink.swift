public import ESCPOS
import Glibc
import Threads

/// A link over a file descriptor that does not block: a socket or a character device.
///
/// A printer that takes nothing stops the sender: what the kernel does not accept stays here. No thread of the caller is
/// ever blocked.
public final class DescriptorLink: PrinterLink, Sendable {
  /// What is behind a descriptor.
  public enum Kind: Sendable {
    /// A stream socket: answers come back, and the peer acknowledges what it has.
    case socket
    /// A character device such as `/dev/usb/lp0`.
    case device(hasBackChannel: Bool)
    /// A connected RFCOMM socket of Bluetooth: answers come back. It says how much it can still take instead of how
    /// much it holds, another process may have it open too, and when its peer goes it may only hang up.
    case rfcomm
  }

  private struct State {
    var accepted = 0
    var isOpen = true
    /// Calls that use the descriptor now; it is closed when the last of them is out.
    var users = 0
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// How long ``close()`` waits for the peer to take what is on its way.
  public static let closingTime = Duration.seconds(1)
  /// How long it waits for a peer that has everything to close too; many printers never do.
  public static let partingTime = Duration.milliseconds(200)

  private let descriptor: Int32
  private let kind: Kind
  private let target: String
  private let clock: any BootTimeClock
  private let outgoing: @Sendable (Int32) -> Int
  /// What ``outgoing`` says while nothing is on its way.
  private let idle: Int
  private let state = Locked(State())

  /// Takes over an open descriptor; it becomes non-blocking, and ``close()`` or the link's end closes it.
  ///
  /// - Parameters:
  ///   - target: What is at the other end, for messages: `192.168.1.20:9100`.
  public convenience init(descriptor: Int32, kind: Kind, target: String, clock: any BootTimeClock) {
    self.init(descriptor: descriptor, kind: kind, target: target, clock: clock, outgoing: Self.outgoing)
  }

  /// - Parameter outgoing: Stands for the kernel's `TIOCOUTQ`: for an RFCOMM socket the space that is free, for any
  ///   other the bytes that are held.
  package init(
    descriptor: Int32, kind: Kind, target: String, clock: any BootTimeClock,
    outgoing: @escaping @Sendable (Int32) -> Int
  ) {
    self.descriptor = descriptor
    self.kind = kind
    self.target = target
    self.clock = clock
    self.outgoing = outgoing
    idle = if case .rfcomm = kind { outgoing(descriptor) } else { 0 }
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
  }

  deinit {
    if state.withLock({ $0.isOpen }) { _ = Glibc.close(descriptor) }
  }

  /// Bytes that the kernel has taken since the link was opened; when a device fails in the middle of a write, all of that
  /// write, since nobody knows how much of it reached the printer.
  public var bytesAccepted: Int { state.withLock { $0.accepted } }

  /// Whether the printer can answer.
  public var hasBackChannel: Bool {
    switch kind {
    case .socket, .rfcomm: true
    case .device(let hasBackChannel): hasBackChannel
    }
  }

  /// Sends `bytes`; returns once the kernel has taken the last of them.
  public func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    var rest = bytes
    while !rest.isEmpty {
      try check(deadline)
      switch try using({ write($0, rest) }) {
      case .success(let count):
        state.withLock { $0.accepted += count }
        rest = rest.dropFirst(count)
      case .failure(let error) where error.wouldBlock:
        try await ready(for: .writing, by: deadline)
      case .failure(let error):
        if case .device = kind, error.mayHaveWritten { state.withLock { $0.accepted += rest.count } }
        throw error.using(target)
      }
    }
  }

  /// Returns the next bytes from the printer.
  public func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      try check(deadline, reading: true)
      let result = try using { descriptor -> Result<Int, SystemError> in
        let count = retrying { Glibc.read(descriptor, &buffer, buffer.count) }
        return count < 0 ? .failure(.last) : .success(count)
      }
      switch result {
      case .success(0): throw LinkError(.lost, "\(target): the printer has closed the connection")
      case .success(let count): return Array(buffer.prefix(count))
      case .failure(let error) where error.wouldBlock: try await ready(for: .reading, by: deadline)
      case .failure(let error): throw error.using(target)
      }
    }
  }

  /// Returns once the kernel's send queue is empty (`SIOCOUTQ`): a network socket's peer has then acknowledged every
  /// byte, and an RFCOMM socket's peer has granted the credits for every byte.
  public func flush(by deadline: BootInstant) async throws(LinkError) {
    var pause = Duration.milliseconds(1)
    while true {
      // In this order: RFCOMM drops its queue when the peer is gone, but hangs up before that.
      let isEmpty = try using { outgoing($0) == idle }
      try checkHealth()
      if isEmpty { return }
      try check(deadline)
      do {
        try await clock.sleep(until: min(deadline, clock.now.advanced(by: pause)), tolerance: nil)
      } catch {
        throw Self.cancelled
      }
      pause = min(pause * 2, .milliseconds(50))
    }
  }

  /// Closes the link after the kernel has handed over what it took, or after ``closingTime``.
  ///
  /// A socket with unread answers in it that is simply closed resets the connection, and the printer may then drop the
  /// end of the receipt; so the sending side is shut first, and answers are read until the peer closes too. An RFCOMM
  /// socket knows no half: it is emptied, then shut for whoever else has it open (bluetoothd keeps a copy), and the
  /// kernel sends what is still in it for up to 40 s more.
  public func close() async {
    let first = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard first else { return }
    await Poller.shared.release(descriptor)
    await withCheckedContinuation { closer in
      state.withLock { state in
        if state.users == 0 { closer.resume() } else { state.closers.append(closer) }
      }
    }
    switch kind {
    case .device: break
    case .socket:
      await hangUp()
      await Poller.shared.release(descriptor)
    case .rfcomm:
      await empty()
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
    _ = Glibc.close(descriptor)
  }

  /// In a task of its own, so that a caller who was cancelled still closes in good order.
  private func hangUp() async {
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { return }
    await Task { [descriptor, clock, outgoing, idle] in
      var end = clock.now.advanced(by: Self.closingTime)
      var isEmpty = false
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while clock.now < end {
        if !isEmpty, outgoing(descriptor) == idle {
          isEmpty = true
          end = min(end, clock.now.advanced(by: Self.partingTime))
        }
        let count = retrying { Glibc.read(descriptor, &buffer, buffer.count) }
        if count == 0 || (count < 0 && !SystemError.last.wouldBlock) { return }
        guard count < 0 else { continue }
        let next = min(end, clock.now.advanced(by: .milliseconds(20)))
        _ = await Poller.shared.wait(for: .reading, of: descriptor, by: next, clock: clock)
      }
    }.value
  }

  /// Waits for the send queue, as ``hangUp()`` does in a task of its own.
  private func empty() async {
    await Task { [descriptor, clock, outgoing, idle] in
      let end = clock.now.advanced(by: Self.closingTime)
      while clock.now < end, outgoing(descriptor) != idle, !Self.hasHungUp(descriptor) {
        try? await clock.sleep(until: min(end, clock.now.advanced(by: .milliseconds(20))), tolerance: nil)
      }
    }.value
  }

  private static let cancelled = LinkError(.cancelled, "the task was cancelled")

  private func check(_ deadline: BootInstant, reading: Bool = false) throws(LinkError) {
    if Task.isCancelled { throw Self.cancelled }
    guard clock.now < deadline else {
      throw LinkError(.deadline, "\(target): \(reading ? "no answer" : "the printer takes no data") in time")
    }
  }

  private func ready(for direction: Poller.Direction, by deadline: BootInstant) async throws(LinkError) {
    // Here there was nothing to read or no room: a hung-up descriptor would be ready for ever.
    if case .rfcomm = kind { try checkHealth() }
    let wake = await Poller.shared.wait(
      for: direction, of: descriptor, by: deadline, clock: clock, while: { state.withLock { $0.isOpen } })
    switch wake {
    case .ready, .deadline: return
    case .cancelled: throw Self.cancelled
    case .closed: throw closed
    }
  }

  private var closed: LinkError { LinkError(.lost, "\(target): the link is closed") }

  /// Runs a call on the descriptor while it cannot be closed.
  private func using<Value>(_ call: (Int32) -> Value) throws(LinkError) -> Value {
    let isOpen = state.withLock { state in
      if state.isOpen { state.users += 1 }
      return state.isOpen
    }
    guard isOpen else { throw closed }
    defer {
      let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.users -= 1
        guard state.users == 0 else { return [] }
        defer { state.closers.removeAll() }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
    return call(descriptor)
  }

  private func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Result<Int, SystemError> {
    let count = bytes.withUnsafeBytes { raw in
      switch kind {
      case .socket, .rfcomm:
        retrying { Glibc.send(descriptor, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL)) }
      case .device: retrying { Glibc.write(descriptor, raw.baseAddress, raw.count) }
      }
    }
    return count < 0 ? .failure(.last) : .success(count)
  }

  /// An error that the peer or the network has left on the socket, or that it is gone without one.
  private func checkHealth() throws(LinkError) {
    if case .device = kind { return }
    let number = try using { descriptor in
      var number: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 ? number : errno
    }
    if number != 0 { throw SystemError(number: number).using(target) }
    // The error is told once, and whoever shares the socket may have heard it.
    if case .rfcomm = kind, try using({ Self.hasHungUp($0) }) {
      throw LinkError(.lost, "\(target): the printer has closed the connection, or is out of reach")
    }
  }

  private static func hasHungUp(_ descriptor: Int32) -> Bool {
    var descriptor = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) > 0 && Int32(descriptor.revents) & (POLLHUP | POLLNVAL) != 0
  }

  /// What the kernel says of the send queue; 0 where it does not say.
  private static func outgoing(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    // SIOCOUTQ of sockets and TIOCOUTQ of terminals are the same request.
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}
