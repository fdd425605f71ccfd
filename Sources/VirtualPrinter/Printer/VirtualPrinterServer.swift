import ESCPOS
import Glibc
import Synchronization
import Threads

/// A virtual printer at a TCP port of this machine (127.0.0.1), as network printers listen at 9100.
///
/// One host at a time, as real ones: the next waits in the queue until the first has gone. A printer that does not
/// accept (``Behaviour/Opening``) resets the connection, and a link that is lost is reset too.
public final class VirtualPrinterServer: Sendable {
  /// A port that could not be opened.
  public struct Failure: Error, CustomStringConvertible {
    /// What failed and why.
    public let description: String
  }

  /// The port that it listens at.
  public let port: UInt16
  private let listener: Int32
  /// The end that the thread reads to be woken, and the one that wakes it.
  private let wakeUp: (read: Int32, write: Int32)
  private let isStopped = Atomic(false)
  private let hasEnded = Atomic(false)
  private let printer: VirtualPrinter

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - printer: The printer behind the port.
  ///   - port: 0 for any free one.
  /// - Throws: ``Failure`` when the port is taken or may not be opened.
  public init(_ printer: VirtualPrinter, port: UInt16 = 0) throws(Failure) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(description: "no socket: \(String(cString: strerror(errno)))") }
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    var ends: [Int32] = [-1, -1]
    guard isBound, pipe(&ends) == 0 else {
      let reason = String(cString: strerror(errno))
      Glibc.close(listener)
      throw Failure(description: "cannot listen at 127.0.0.1:\(port): \(reason); choose another port")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.listener = listener
    self.port = UInt16(bigEndian: address.sin_port)
    self.printer = printer
    wakeUp = (ends[0], ends[1])
    guard start() else {
      Glibc.close(listener)
      throw Failure(description: "no thread for the port could be started; the machine is out of threads")
    }
  }

  // The pipe is closed last: a session's closure may still wake a thread that has ended.
  deinit {
    Glibc.close(wakeUp.read)
    Glibc.close(wakeUp.write)
  }

  /// Closes the port and any connection, and returns when both are closed, some milliseconds later.
  public func stop() {
    guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
    wake()
    while !hasEnded.load(ordering: .sequentiallyConsistent) { usleep(500) }
  }

  private func wake() {
    var byte: UInt8 = 1
    _ = write(wakeUp.write, &byte, 1)
  }

  private func start() -> Bool {
    (try? OwnThread.start { self.serve() }) != nil
  }

  /// The thread: waits for a host, talks to it until one of them has had enough, and waits for the next.
  private func serve() {
    while !isStopped.load(ordering: .sequentiallyConsistent) {
      guard wait(for: listener, POLLIN, seconds: 60) else { continue }
      let host = accept(listener, nil, nil)
      guard host >= 0 else { continue }
      talk(to: host)
    }
    Glibc.close(listener)
    hasEnded.store(true, ordering: .sequentiallyConsistent)
  }

  /// Waits until `descriptor` is ready; false when woken, or after a while, for something else.
  private func wait(for descriptor: Int32, _ events: Int32, seconds: Double) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
      pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, Int32(seconds * 1000)) > 0 else { return false }
    if polled[1].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 256)
      while read(wakeUp.read, &bytes, bytes.count) > 0 {}
    }
    return polled[0].revents != 0
  }

  private func talk(to host: Int32) {
    let ready = printer.clock.now.advanced(by: printer.behaviour.openingDelay)
    while printer.clock.now < ready, !isStopped.load(ordering: .sequentiallyConsistent) {
      _ = wait(for: -1, POLLIN, seconds: 0.005)
    }
    guard let session = try? printer.attach({ [weak self] in self?.wake() }) else { return reset(host) }
    var unsent: ArraySlice<UInt8> = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var hasEnded = false
    while !isStopped.load(ordering: .sequentiallyConsistent) {
      if !unsent.isEmpty {
        let offer = printer.offer(unsent, session: session)
        unsent = unsent.dropFirst(offer.taken)
        if offer.isLost { return reset(host) }
      }
      let (replies, isLost) = printer.takeReplies(session: session)
      if isLost { return reset(host) }
      if printer.behaviour.hasBackChannel, !replies.isEmpty, !sendAll(replies, to: host) { break }
      if unsent.isEmpty, hasEnded { break }
      guard wait(for: host, unsent.isEmpty ? POLLIN : 0, seconds: 60) else { continue }
      // With bytes that wait for room only a broken connection ends the wait.
      guard unsent.isEmpty else { break }
      let count = recv(host, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        unsent = ArraySlice(buffer[..<count])
      } else if count == 0 || errno != EAGAIN && errno != EINTR {
        hasEnded = true
      }
    }
    printer.detach(session: session)
    Glibc.close(host)
  }

  /// Sends answers; a host that does not read them for a second is not waited for.
  private func sendAll(_ bytes: [UInt8], to host: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(host, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
      } else {
        guard errno == EAGAIN || errno == EINTR, wait(for: host, POLLOUT, seconds: 1) else { return false }
      }
    }
    return true
  }

  /// Closes a connection so that the host sees that it broke.
  private func reset(_ host: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(host, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    Glibc.close(host)
  }
}
