public import ESCPOS
import Glibc
import Synchronization

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
  private let state = Mutex(State())

  /// Takes over an open descriptor; it becomes non-blocking, and ``close()`` or the link's end closes it.
  ///
  /// - Parameters:
  ///   - target: What is at the other end, for messages: `192.168.1.20:9100`.
  public init(descriptor: Int32, kind: Kind, target: String, clock: any BootTimeClock) {
    self.descriptor = descriptor
    self.kind = kind
    self.target = target
    self.clock = clock
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
    case .socket: true
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

  /// Returns once the kernel's send queue is empty (`SIOCOUTQ`): a socket's peer has then acknowledged every byte.
  public func flush(by deadline: BootInstant) async throws(LinkError) {
    var pause = Duration.milliseconds(1)
    while true {
      let queued = try using { descriptor -> Result<Int, SystemError> in .success(Self.queued(descriptor)) }
      if case .success(0) = queued { return try checkHealth() }
      try checkHealth()
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
  /// end of the receipt; so the sending side is shut first, and answers are read until the peer closes too.
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
    if case .socket = kind {
      await hangUp()
      await Poller.shared.release(descriptor)
    }
    _ = Glibc.close(descriptor)
  }

  /// In a task of its own, so that a caller who was cancelled still closes in good order.
  private func hangUp() async {
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { return }
    await Task { [descriptor, clock] in
      var end = clock.now.advanced(by: Self.closingTime)
      var isEmpty = false
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while clock.now < end {
        if !isEmpty, Self.queued(descriptor) == 0 {
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

  private static let cancelled = LinkError(.cancelled, "the task was cancelled")

  private func check(_ deadline: BootInstant, reading: Bool = false) throws(LinkError) {
    if Task.isCancelled { throw Self.cancelled }
    guard clock.now < deadline else {
      throw LinkError(.deadline, "\(target): \(reading ? "no answer" : "the printer takes no data") in time")
    }
  }

  private func ready(for direction: Poller.Direction, by deadline: BootInstant) async throws(LinkError) {
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
      case .socket: retrying { Glibc.send(descriptor, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL)) }
      case .device: retrying { Glibc.write(descriptor, raw.baseAddress, raw.count) }
      }
    }
    return count < 0 ? .failure(.last) : .success(count)
  }

  /// An error that the peer or the network has left on the socket.
  private func checkHealth() throws(LinkError) {
    guard case .socket = kind else { return }
    let number = try using { descriptor in
      var number: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 ? number : errno
    }
    if number != 0 { throw SystemError(number: number).using(target) }
  }

  /// Bytes that the kernel still holds; 0 where it does not say.
  private static func queued(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    // SIOCOUTQ of sockets and TIOCOUTQ of terminals are the same request.
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}
