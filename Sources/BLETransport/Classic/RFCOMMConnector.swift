import ESCPOS
import Glibc
import PrinterLinks

/// Connects to a printer's serial port by the kernel's RFCOMM socket.
///
/// The channel is the one that is known, else the printer's SDP server is asked, else the usual ones are tried.
struct RFCOMMConnector: Sendable {
  /// A connection: a descriptor, the receiver's to close, and where it leads.
  struct Connection: Equatable {
    var descriptor: Int32
    var channel: UInt8
  }

  /// Connects one channel; stands for the kernel in tests.
  typealias Connect =
    @Sendable (_ channel: UInt8, _ deadline: BootInstant) async -> Result<Int32, ClassicFault>
  /// Asks for the channels; stands for the printer's SDP server in tests.
  typealias Discover = @Sendable (_ deadline: BootInstant) async -> Result<[UInt8], ClassicFault>

  /// What cheap printers listen on; 1 nearly always.
  static let usualChannels: [UInt8] = [1, 2, 3]
  /// Pauses while the kernel takes our last link down, as a rule some 10 ms.
  static let pauses: [Duration] = [50, 100, 200, 400, 500, 500, 500].map { .milliseconds($0) }

  let clock: any BootTimeClock
  let connect: Connect
  let discover: Discover

  /// - Parameter adapter: The address of the adapter to use, or nil for any.
  init(to address: String, from adapter: String?, clock: any BootTimeClock) {
    self.init(
      clock: clock,
      connect: { channel, deadline in
        await Self.connect(to: address, channel: channel, from: adapter, by: deadline, clock: clock)
      },
      discover: { deadline in
        do throws(ClassicFault) {
          return .success(
            try await ServiceDiscovery.serialPortChannels(
              of: address, from: adapter, by: deadline, clock: clock))
        } catch {
          return .failure(error)
        }
      })
  }

  init(clock: any BootTimeClock, connect: @escaping Connect, discover: @escaping Discover) {
    self.clock = clock
    self.connect = connect
    self.discover = discover
  }

  /// Connects.
  ///
  /// - Parameters:
  ///   - known: The channel of the last time, or of the configuration; the others follow when it is refused.
  ///   - isMute: Whether the printer is known not to tell its channels: then the usual ones come first.
  func connection(
    _ known: UInt8?, isMute: Bool = false, by deadline: BootInstant
  ) async throws(ClassicFault) -> Connection {
    var refused: ClassicFault?
    func attempt(_ channel: UInt8) async throws(ClassicFault) -> Connection? {
      do throws(ClassicFault) {
        return Connection(descriptor: try await patiently(channel, by: deadline), channel: channel)
      } catch .system(let error) where error.number == ECONNREFUSED {
        refused = .system(error)
        return nil
      }
    }
    if let known, let connection = try await attempt(known) { return connection }
    var tried = known.map { [$0] } ?? []
    for channel in isMute ? Self.usualChannels : [] where channel != known {
      if let connection = try await attempt(channel) { return connection }
      tried.append(channel)
    }
    var channels: [UInt8] = []
    switch await discover(deadline) {
    case .success(let found): channels = found
    case .failure(.system(let error)) where error.isOfService: break
    case .failure(.deadline) where clock.now < deadline: break
    case .failure(.malformed): break
    case .failure(let fault): throw fault
    }
    for channel in Self.usualChannels where !channels.contains(channel) { channels.append(channel) }
    for channel in channels where !tried.contains(channel) {
      if let connection = try await attempt(channel) { return connection }
    }
    throw refused ?? .system(SystemError(number: ECONNREFUSED))
  }

  /// Connects one channel, again and again while our last link is being taken down.
  private func patiently(_ channel: UInt8, by deadline: BootInstant) async throws(ClassicFault) -> Int32 {
    var pauses = Self.pauses[...]
    while true {
      let result = await connect(channel, deadline)
      guard case .failure(.system(let error)) = result, error.isOfLastLink else { return try result.get() }
      guard let pause = pauses.popFirst(), clock.now.advanced(by: pause) < deadline else {
        throw .system(error)
      }
      do { try await clock.sleep(for: pause) } catch { throw .cancelled }
    }
  }

  private static func connect(
    to address: String, channel: UInt8, from adapter: String?, by deadline: BootInstant,
    clock: any BootTimeClock
  ) async -> Result<Int32, ClassicFault> {
    switch RFCOMMSocket.connecting(to: address, channel: channel, from: adapter) {
    case .failure(let error): return .failure(.system(error))
    case .success(let descriptor):
      let wake = await Poller.shared.wait(for: .writing, of: descriptor, by: deadline, clock: clock)
      var fault: ClassicFault?
      switch wake {
      case .ready: fault = SystemError.pending(on: descriptor).map { .system($0) }
      case .deadline: fault = .deadline
      case .cancelled, .closed: fault = .cancelled
      }
      guard let fault else { return .success(descriptor) }
      // Closing it calls the attempt off.
      await Poller.shared.release(descriptor)
      close(descriptor)
      return .failure(fault)
    }
  }
}
