import ESCPOS
import PrinterLinks
import Threads

/// A link over a connected RFCOMM socket, whoever connected it.
///
/// The printer's credits reach through to the sender: a printer that takes nothing stops it. Accepted is what the kernel
/// has taken, some tens of kilobytes more than the printer has; flushed is what the printer's module has granted credits
/// for.
final class RFCOMMLink: PrinterLink {
  /// Ways to connect.
  enum Way: Equatable {
    /// bluetoothd has (Profile1).
    case bluetoothd
    /// We have, by the kernel's socket.
    case socket
  }

  private let link: DescriptorLink
  private let address: BluetoothAddress
  private let memory: SerialPortMemory
  private let clock: any BootTimeClock
  private let isClosed = Locked(false)
  private let pace: Locked<Pace>?
  private let hasClosed: @Sendable () async -> Void
  /// Who connected it.
  let way: Way

  /// Takes over the descriptor.
  ///
  /// - Parameter hasClosed: Called once, when the link is closed, or dropped without.
  init(
    _ descriptor: Int32, _ way: Way, to printer: BluetoothPrinter, _ memory: SerialPortMemory,
    clock: any BootTimeClock, hasClosed: @escaping @Sendable () async -> Void = {}
  ) {
    self.way = way
    self.hasClosed = hasClosed
    link = DescriptorLink(descriptor: descriptor, kind: .rfcomm, target: printer.title, clock: clock)
    address = printer.address
    pace = printer.pace.map { Locked(Pace(bytesPerSecond: $0)) }
    self.memory = memory
    self.clock = clock
  }

  deinit {
    guard !isClosed.withLock({ $0 }) else { return }
    Task { [link, hasClosed] in
      await link.close()
      await hasClosed()
    }
  }

  var bytesAccepted: Int { link.bytesAccepted }
  var hasBackChannel: Bool { link.hasBackChannel }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    guard let pace else { return try await link.send(bytes, by: deadline) }
    var rest = bytes
    while !rest.isEmpty {
      let slice = rest.prefix(Pace.slice)
      let due = pace.withLock { $0.due(slice.count, now: clock.now) }
      if clock.now < due {
        do { try await clock.sleep(until: min(due, deadline), tolerance: nil) } catch { throw .cancelled }
      }
      try await link.send(slice, by: deadline)
      pace.withLock { $0.sent(slice.count, at: clock.now) }
      rest = rest.dropFirst(slice.count)
    }
  }

  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    try await link.receive(by: deadline)
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {
    try await link.flush(by: deadline)
  }

  /// Closes the link after what it holds has been handed over; the next opening leaves the printer its rest.
  func close() async {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    memory.change(address) { $0.closing += 1 }
    await link.close()
    memory.change(address) { entry in
      entry.closing -= 1
      entry.closed = clock.now
    }
    await hasClosed()
  }
}
