import ESCPOS
import Glibc

/// An address of the network that a stream socket can connect to.
struct SocketAddress: Sendable {
  private let family: Int32
  private let bytes: [UInt8]

  /// The addresses of a host in the order in which they should be tried.
  ///
  /// - Parameter numericOnly: Take addresses only and ask no name server: does not block.
  static func resolve(
    _ host: String, _ port: UInt16, numericOnly: Bool
  ) -> Result<[SocketAddress], LinkError> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : AI_ADDRCONFIG)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else {
      let words = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
      return .failure(LinkError(.unreachable, "\(host): \(words); check the printer's address"))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        addresses.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
      }
      next = entry.pointee.ai_next
    }
    return .success(addresses)
  }

  /// Connects a new socket; it is closed again on failure.
  func connect(
    by deadline: BootInstant, target: String, clock: any BootTimeClock
  ) async -> Result<Int32, LinkError> {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return .failure(SystemError.last.opening(target)) }
    if let failure = await finish(descriptor, by: deadline, target: target, clock: clock) {
      await Poller.shared.release(descriptor)
      close(descriptor)
      return .failure(failure)
    }
    return .success(descriptor)
  }

  private func finish(
    _ descriptor: Int32, by deadline: BootInstant, target: String, clock: any BootTimeClock
  ) async -> LinkError? {
    let status = bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) { address in
        Glibc.connect(descriptor, address.baseAddress, socklen_t(raw.count))
      }
    }
    if status == 0 { return nil }
    // An interrupted connect goes on by itself.
    guard errno == EINPROGRESS || errno == EINTR else { return SystemError.last.opening(target) }
    switch await Poller.shared.wait(for: .writing, of: descriptor, by: deadline, clock: clock) {
    case .deadline: return LinkError(.deadline, "\(target): no answer in time")
    case .cancelled, .closed: return LinkError(.cancelled, "the task was cancelled")
    case .ready: break
    }
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else {
      return SystemError.last.opening(target)
    }
    return number == 0 ? nil : SystemError(number: number).opening(target)
  }
}

/// How printd's sockets behave.
enum SocketOptions {
  /// Seconds that a silent peer may be silent before it is asked whether it lives, between questions, and how many.
  private static let keepAlive: (idle: Int32, interval: Int32, count: Int32) = (10, 5, 3)
  /// Milliseconds that sent bytes may stay unacknowledged. Longer than it takes to put in a roll of paper, since a
  /// printer that has stopped keeps its window shut.
  private static let userTimeout: Int32 = 120_000

  /// Sends at once, and finds out when the peer is gone.
  static func set(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, keepAlive.idle)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, keepAlive.interval)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, keepAlive.count)
    set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeout)
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
