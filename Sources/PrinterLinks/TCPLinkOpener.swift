public import ESCPOS
import Glibc
import Threads

/// Opens links to a printer in the network, most often on port 9100.
public struct TCPLinkOpener: LinkOpener {
  /// After so long without an answer the next address is tried beside the first (RFC 8305, section 5).
  static let headStart = Duration.milliseconds(250)

  private let host: String
  private let port: UInt16
  private let clock: any BootTimeClock

  /// Creates an opener.
  ///
  /// - Parameter host: A name, or an address of IPv4 or IPv6 (without brackets).
  public init(host: String, port: UInt16 = 9_100, clock: any BootTimeClock) {
    self.host = host
    self.port = port
    self.clock = clock
  }

  private var target: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Connects to the first address of the host that answers.
  ///
  /// - Throws: ``LinkError``: `.unreachable` when no address answers or the name is not known, `.deadline`,
  ///   `.cancelled`.
  public func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    guard clock.now < deadline else { throw LinkError(.deadline, "\(target): not connected in time") }
    let addresses = try await addresses(by: deadline)
    let descriptor = try await connect(addresses[...], by: deadline)
    SocketOptions.set(descriptor)
    return DescriptorLink(descriptor: descriptor, kind: .socket, target: target, clock: clock)
  }

  private func addresses(by deadline: BootInstant) async throws(LinkError) -> [SocketAddress] {
    if case .success(let addresses) = SocketAddress.resolve(host, port, numericOnly: true) {
      return addresses
    }
    let (host, port, target, clock) = (host, port, target, clock)
    // The look-up cannot be called off, so it is left to itself when time runs out.
    let found = await WorkThreads.opening.run(
      unless: {
        .failure(await clock.end(of: deadline, "\(target): the name was not found in time"))
      }
    ) { SocketAddress.resolve(host, port, numericOnly: false) }
    return try found.get()
  }

  private enum Step: Sendable {
    case tried(Result<Int32, LinkError>)
    case headStartOver
  }

  /// Tries the addresses in turn, each with a head start before the next; the first connection wins.
  private func connect(
    _ addresses: ArraySlice<SocketAddress>, by deadline: BootInstant
  ) async throws(LinkError) -> Int32 {
    let (clock, target) = (clock, target)
    let result = await withTaskGroup(of: Step.self) { group -> Result<Int32, LinkError> in
      var rest = addresses
      var running = 0
      var failures: [LinkError] = []
      func startNext() {
        guard let address = rest.popFirst() else { return }
        running += 1
        group.addTask { .tried(await address.connect(by: deadline, target: target, clock: clock)) }
        guard !rest.isEmpty else { return }
        group.addTask {
          try? await clock.sleep(until: clock.now.advanced(by: Self.headStart), tolerance: nil)
          return .headStartOver
        }
      }
      startNext()
      var winner: Int32?
      while let step = await group.next() {
        switch step {
        case .headStartOver:
          if winner == nil, !group.isCancelled { startNext() }
        case .tried(.success(let descriptor)):
          if winner == nil { winner = descriptor } else { close(descriptor) }
          group.cancelAll()
        case .tried(.failure(let error)):
          running -= 1
          failures.append(error)
          guard running == 0, winner == nil else { continue }
          if rest.isEmpty || group.isCancelled { group.cancelAll() } else { startNext() }
        }
      }
      if let winner { return .success(winner) }
      let telling = [LinkError.Code.cancelled, .refused, .unreachable, .deadline].lazy.compactMap { code in
        failures.first { $0.code == code }
      }
      return .failure(telling.first ?? LinkError(.unreachable, "\(target): the host has no address"))
    }
    return try result.get()
  }
}
