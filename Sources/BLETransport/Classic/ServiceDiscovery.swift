import ESCPOS
import Glibc
import PrinterLinks

/// Asks a printer on which RFCOMM channels it has a serial port (SDP).
enum ServiceDiscovery {
  /// Why there is no answer.
  enum Fault: Error, Equatable {
    /// The printer's SDP server could not be reached, or failed.
    case system(SystemError)
    /// It did not answer in time.
    case deadline
    /// The task was cancelled.
    case cancelled
    /// What it answered is no list of records.
    case malformed(SDPElement.Malformed)
  }

  /// How long a server may take to answer once it is connected; some never do.
  static let answeringTime = Duration.seconds(2)
  /// The most packets of one answer; a packet has 64 KB at the most and 672 bytes as a rule.
  static let mostPackets = 64

  /// Connects to the printer's SDP server and asks; nothing is left open.
  ///
  /// - Returns: The channels, best first; none when the printer has no serial port.
  static func serialPortChannels(
    of address: String, from adapter: String? = nil, by deadline: BootInstant, clock: any BootTimeClock
  ) async throws(Fault) -> [UInt8] {
    switch SDPSession.connecting(to: address, from: adapter) {
    case .failure(let error): throw .system(error)
    case .success(let session):
      try await wait(for: .writing, of: session, by: deadline, clock: clock)
      if let error = SystemError.pending(on: session.descriptor) { throw .system(error) }
      let end = min(deadline, clock.now.advanced(by: answeringTime))
      return try await serialPortChannels(asking: session, by: end, clock: clock)
    }
  }

  /// Asks over a session that is connected.
  static func serialPortChannels(
    asking session: SDPSession, by deadline: BootInstant, clock: any BootTimeClock
  ) async throws(Fault) -> [UInt8] {
    if let error = session.ask(forService: SerialPortRecords.serialPort) { throw .system(error) }
    for _ in 0..<mostPackets {
      try await wait(for: .reading, of: session, by: deadline, clock: clock)
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
    clock: any BootTimeClock
  ) async throws(Fault) {
    switch await Poller.shared.wait(for: direction, of: session.descriptor, by: deadline, clock: clock) {
    case .ready: return
    case .deadline: throw .deadline
    case .cancelled, .closed: throw .cancelled
    }
  }
}

extension SystemError {
  /// The error that a socket has to tell (`SO_ERROR`), told once.
  static func pending(on descriptor: Int32) -> SystemError? {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .last }
    return number == 0 ? nil : SystemError(number: number)
  }
}
