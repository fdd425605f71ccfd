import ESCPOS
import Glibc
import PrinterLinks

/// Asks a printer on which RFCOMM channels it has a serial port (SDP).
enum ServiceDiscovery {
  /// How long a server may take to answer once it is connected; some never do.
  static let answeringTime = Duration.seconds(2)
  /// The most packets of one answer; a packet has 64 KB at the most and 672 bytes as a rule.
  static let mostPackets = 64

  /// Connects to the printer's SDP server and asks; nothing is left open.
  ///
  /// - Returns: The channels, best first; none when the printer has no serial port.
  static func serialPortChannels(
    of address: String, from adapter: String? = nil, by deadline: BootInstant, clock: any BootTimeClock
  ) async throws(ClassicFault) -> [UInt8] {
    switch SDPSession.connecting(to: address, from: adapter) {
    case .failure(let error): throw .system(error)
    case .success(let session):
      return try await withRelease(of: session) { () throws(ClassicFault) in
        try await wait(for: .writing, of: session, by: deadline, clock: clock)
        if let error = SystemError.pending(on: session.descriptor) { throw .system(error) }
        let end = min(deadline, clock.now.advanced(by: answeringTime))
        return try await ask(session, by: end, clock: clock)
      }
    }
  }

  /// Asks over a session that is connected; nobody waits for its socket any more then, so that its end hangs up.
  static func serialPortChannels(
    asking session: SDPSession, by deadline: BootInstant, clock: any BootTimeClock, poller: Poller = .shared
  ) async throws(ClassicFault) -> [UInt8] {
    try await withRelease(of: session, poller) { () throws(ClassicFault) in
      try await ask(session, by: deadline, clock: clock, poller)
    }
  }

  /// Lets go of the session's socket, whatever comes of it: one that is polled stays open at the printer.
  private static func withRelease(
    of session: SDPSession, _ poller: Poller = .shared, _ body: () async throws(ClassicFault) -> [UInt8]
  ) async throws(ClassicFault) -> [UInt8] {
    let result: Result<[UInt8], ClassicFault>
    do throws(ClassicFault) { result = .success(try await body()) } catch { result = .failure(error) }
    await poller.release(session.descriptor)
    return try result.get()
  }

  private static func ask(
    _ session: SDPSession, by deadline: BootInstant, clock: any BootTimeClock, _ poller: Poller = .shared
  ) async throws(ClassicFault) -> [UInt8] {
    if let error = session.ask(forService: SerialPortRecords.serialPort) { throw .system(error) }
    for _ in 0..<mostPackets {
      try await wait(for: .reading, of: session, by: deadline, clock: clock, poller)
      switch session.process() {
      case .waiting: continue
      case .failed(let error): throw .system(error)
      case .answered(let lists):
        do { return try SerialPortRecords(lists).channels } catch { throw .malformed(error) }
      }
    }
    throw .malformed(SDPElement.Malformed(offset: 0, fault: "an answer of more than \(mostPackets) packets"))
  }

  private static func wait(
    for direction: Poller.Direction, of session: SDPSession, by deadline: BootInstant,
    clock: any BootTimeClock, _ poller: Poller = .shared
  ) async throws(ClassicFault) {
    switch await poller.wait(for: direction, of: session.descriptor, by: deadline, clock: clock) {
    case .ready: return
    case .deadline: throw .deadline
    case .cancelled, .closed: throw .cancelled
    }
  }
}
