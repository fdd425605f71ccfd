import ESCPOS
import Threads

/// What this process remembers of its Classic printers, for as long as it runs.
final class SerialPortMemory: Sendable {
  /// What it remembers of one.
  struct Entry: Equatable {
    /// The RFCOMM channel of the last connection.
    var channel: UInt8?
    /// Whether bluetoothd could not connect it while the socket could, so that the socket goes first.
    var prefersSocket = false
    /// Links that are being closed.
    var closing = 0
    /// Whether bluetoothd waited for its records in vain.
    var isMute = false
    /// When the last link was closed.
    var closed: BootInstant?
  }

  /// How long a printer is left alone between two links; many do not listen before.
  static let restTime = Duration.milliseconds(500)
  /// For so long after we have closed a link, one that stands in the way is ours: the kernel purges what a stalled
  /// printer has not taken after 40 s (`RFCOMM_DISC_TIMEOUT`, twice).
  static let takingDownTime = Duration.seconds(45)

  private let entries = Locked<[BluetoothAddress: Entry]>([:])
  private let bell: Bell
  private let clock: any BootTimeClock

  init(bell: Bell, clock: any BootTimeClock) {
    self.bell = bell
    self.clock = clock
  }

  subscript(_ address: BluetoothAddress) -> Entry { entries.withLock { $0[address] ?? Entry() } }

  /// Changes what is remembered of a printer.
  func change(_ address: BluetoothAddress, _ change: (inout Entry) -> Void) {
    entries.withLock { change(&$0[address, default: Entry()]) }
    bell.ring()
  }

  /// Returns when the printer has had its rest since the last link was closed.
  ///
  /// - Throws: ``LinkError``: `.deadline`, `.cancelled`.
  func rest(_ printer: BluetoothPrinter, by deadline: BootInstant) async throws(LinkError) {
    guard try await bell.wait(by: deadline, until: { self[printer.address].closing == 0 }) else {
      throw LinkError(.deadline, "\(printer.title): the last link was not closed in time")
    }
    guard let end = self[printer.address].closed?.advanced(by: Self.restTime), clock.now < end else { return }
    guard end < deadline else {
      throw LinkError(.deadline, "\(printer.title): too little time after the last link")
    }
    do { try await clock.sleep(until: end, tolerance: nil) } catch { throw .cancelled }
  }

  /// Whether a link that stands in the way of a new one is one that we have closed.
  func isTakingDown(_ address: BluetoothAddress) -> Bool {
    guard let closed = self[address].closed else { return false }
    return clock.now < closed.advanced(by: Self.takingDownTime)
  }
}
