/// The characteristics of a connected printer that print data and answers go through.
public struct PrintCharacteristics: Equatable, Sendable {
  /// The service.
  public let service: GATTService
  /// Takes print data.
  public let write: GATTCharacteristic
  /// Carries answers; nil when the printer has none that notifies or indicates.
  public let notify: GATTCharacteristic?

  /// Why no characteristic was chosen.
  public enum Fault: Error, Equatable, Sendable {
    /// What the configuration names is not there (yet), or cannot be written: the words say which.
    case missing(String)
    /// No service that is known as a printer's is there (yet).
    case unknown(services: [BluetoothUUID])
    /// It is a printer, but not one for receipts in ESC/POS.
    case refused(String)
  }

  /// Chooses among what a printer exposes.
  ///
  /// What the configuration names is taken and nothing else. Without that, the known services are tried in the order
  /// of ``PrintService/table``. A characteristic counts when its flags say that it can be written; the first writable
  /// one of an unknown service is never guessed, since it may do anything. The answers come from where the table says, else
  /// from the print characteristic itself, else from the only one of the service that notifies.
  public static func choose(
    in tree: BlueZTree, device: String, for printer: BluetoothPrinter
  ) throws(Fault) -> PrintCharacteristics {
    let services = tree.services(of: device)
    if let uuid = printer.service {
      guard let service = services.first(where: { $0.uuid == uuid }) else {
        throw .missing("service \(uuid)")
      }
      return try choose(in: tree, service, PrintService.known(uuid), printer)
    }
    if let uuid = printer.writeCharacteristic {
      for service in services {
        let row = PrintService.known(service.uuid)
        if tree.characteristics(of: service.path).contains(where: { $0.uuid == uuid }) {
          return try choose(in: tree, service, row, printer)
        }
      }
      throw .missing("characteristic \(uuid)")
    }
    let refusal = services.lazy.compactMap { service -> String? in
      if case .refused(let what) = PrintService.known(service.uuid)?.meaning { what } else { nil }
    }.first
    var fault: Fault?
    for row in PrintService.table {
      if let refusal, row.meaning != .receiptPrinter { throw .refused(refusal) }
      for service in services where service.uuid == row.uuid {
        do throws(Fault) { return try choose(in: tree, service, row, printer) } catch {
          fault = fault ?? error
        }
      }
    }
    throw fault ?? .unknown(services: services.map(\.uuid))
  }

  private static func choose(
    in tree: BlueZTree, _ service: GATTService, _ row: PrintService?, _ printer: BluetoothPrinter
  ) throws(Fault) -> PrintCharacteristics {
    let all = tree.characteristics(of: service.path)
    func first(_ wanted: [BluetoothUUID], where holds: (GATTCharacteristic) -> Bool) -> GATTCharacteristic? {
      let found = wanted.compactMap { uuid in all.first { $0.uuid == uuid && holds($0) } }
      return found.first
    }
    let write: GATTCharacteristic
    if let uuid = printer.writeCharacteristic {
      guard let named = first([uuid], where: { _ in true }) else {
        throw .missing("characteristic \(uuid) in service \(service.uuid)")
      }
      guard named.isWritable else { throw .missing("characteristic \(uuid) that can be written") }
      write = named
    } else if let known = first(row?.write ?? [], where: \.isWritable) {
      write = known
    } else {
      // The configuration names a service that is not in the table: its one writable characteristic, if it is one.
      let writable = all.filter(\.isWritable)
      guard printer.service != nil, writable.count == 1 else {
        throw .missing("print characteristic in service \(service.uuid)")
      }
      write = writable[0]
    }
    let notify: GATTCharacteristic?
    if let uuid = printer.notifyCharacteristic {
      // Elsewhere than in the service of the print data is unusual, and possible.
      let everywhere = tree.services(of: service.device).flatMap { tree.characteristics(of: $0.path) }
      guard let named = (all + everywhere).first(where: { $0.uuid == uuid && $0.canNotify }) else {
        throw .missing("characteristic \(uuid) that notifies")
      }
      notify = named
    } else {
      let notifying = all.filter(\.canNotify)
      notify =
        first((row?.notify ?? []) + [write.uuid], where: \.canNotify)
        // A row of the table without any knows that none carries answers.
        ?? (notifying.count == 1 && row?.notify.isEmpty != true ? notifying[0] : nil)
    }
    return PrintCharacteristics(service: service, write: write, notify: notify)
  }
}
