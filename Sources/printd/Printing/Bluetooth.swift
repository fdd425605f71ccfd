import BLETransport
import ESCPOS
import Synchronization

/// This process's BlueZ: one for all Bluetooth printers, started by the first that needs it.
enum Bluetooth {
  private static let sink = Mutex<@Sendable (String) -> Void>({ _ in })

  /// Nothing is opened before its first use.
  static let bluez = BlueZ(clock: BootClock()) { line in sink.withLock { $0 }(line) }

  /// Where its notes go; nowhere, unless the daemon wants them in its log.
  static func note(_ take: @escaping @Sendable (String) -> Void) {
    sink.withLock { $0 = take }
  }

  /// A command that had a loan of the daemon before asks this one for it within 10 s; until then its connection must not be
  /// taken for one that was left behind.
  static let shortestGrace = Duration.seconds(15)

  /// Makes this process the one that ends connections that it finds: those of a daemon before that was killed. Without a job
  /// they are kept for as long as a job's link would be.
  static func own(_ graces: [BluetoothAddress: Duration]) async {
    await bluez.takeOverConnections(to: graces)
  }

  /// Opens links to a printer.
  static func opener(for printer: BluetoothPrinter) -> any LinkOpener {
    switch printer.bearer {
    case .ble: BLELinkOpener(printer, bluez)
    case .rfcomm: RFCOMMLinkOpener(printer, bluez)
    }
  }

  /// Lets go of every printer, so that a phone can have it; does nothing when none was used.
  static func stop() async {
    await bluez.stop(by: BootClock().now.advanced(by: .seconds(5)))
  }

  /// How long a command waits for a printer: its radio may sleep, and a Classic one is called for some seconds.
  static let patience = Duration.seconds(30)
}

extension Configuration.Printer {
  /// The printer as the transport knows it; nil when it is no Bluetooth printer.
  var bluetooth: BluetoothPrinter? { bluetooth(of: nil) }

  /// The same, with what its profile says of the model where the entry says nothing.
  func bluetooth(of profile: PrinterProfile?) -> BluetoothPrinter? {
    guard link.isBluetooth, let address = address.flatMap({ BluetoothAddress($0) }) else { return nil }
    return BluetoothPrinter(
      name: name, address: address, bearer: link == .ble ? .ble : .rfcomm, adapter: adapter,
      service: service.flatMap { BluetoothUUID($0) },
      writeCharacteristic: characteristic.flatMap { BluetoothUUID($0) },
      notifyCharacteristic: notify.flatMap { BluetoothUUID($0) },
      writeMode: BluetoothPrinter.WriteMode(writeMode ?? profile?.writeMode ?? .auto),
      chunk: chunk ?? profile?.chunk, bytesPerSecond: profile?.bytesPerSecond,
      channel: channel.flatMap(UInt8.init(exactly:)), pace: pace)
  }

  /// How long a command waits for it to answer.
  var patience: Duration { link.isBluetooth ? Bluetooth.patience : .seconds(10) }
}

extension BluetoothPrinter.WriteMode {
  init(_ mode: PrinterProfile.WriteMode) {
    self =
      switch mode {
      case .auto: .automatic
      case .command: .commands
      case .request: .requests
      }
  }
}

extension Failure {
  /// Why Bluetooth cannot be used, or a printer not reached.
  init(_ error: LinkError) {
    switch error.code {
    case .refused: self.init(.noPermission, error.message)
    case .busy: self.init(.temporary, error.message)
    case .deadline, .unreachable, .lost: self.init(.unavailable, error.message)
    case .cancelled: self = .stopped
    }
    if error.code != .cancelled { remedy = "printd printers doctor" }
  }
}
