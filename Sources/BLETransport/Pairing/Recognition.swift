/// Whether a device is a printer, why that is thought, and whether printd can speak with it.
public struct Recognition: Equatable, Sendable {
  /// The ways to answer.
  public enum Verdict: String, Sendable {
    /// A printer that takes ESC/POS, as far as can be told before it is asked.
    case printer
    /// A serial module that may be in a printer as well as in anything else.
    case possible
    /// A printer that speaks something else; ``refusal`` says what.
    case refused
    /// Nothing that points to a printer, or something that is known to be none.
    case other
  }

  /// One thing that points to an answer, for a person.
  public enum Reason: Equatable, Sendable {
    /// It names a service of printers.
    case service(String)
    /// Its class of device says so.
    case deviceClass
    /// The name is of a family of printers.
    case name
    /// The name is of something that is no printer.
    case foreignName(String)
    /// Its appearance or icon says what it is.
    case icon(String)

    /// `service 18f0`, `class`, `name`.
    public var text: String {
      switch self {
      case .service(let name): "service \(name)"
      case .deviceClass: "class"
      case .name: "name"
      case .foreignName(let what): what
      case .icon(let icon): "icon \(icon)"
      }
    }
  }

  /// The answer.
  public var verdict: Verdict
  /// The language; nil when nothing points to a printer.
  public var language: PrinterLanguage?
  /// What points there.
  public var reasons: [Reason]

  /// Why it is not taken, for a person; nil when it is.
  public var refusal: String? { verdict == .refused ? language?.refusal : nil }

  /// Judges a device by what it has shown of itself.
  ///
  /// A name of a known family decides, since services are shared: the same serial module sits in receipt printers,
  /// label printers and the diagnosis plugs of cars. Then services that only printers have, then the class of device.
  public init(_ sighting: Sighting) {
    let services = sighting.printServices
    let foreign = services.lazy.compactMap(PrinterLanguage.ofService).first
    let isPrinter = sighting.isPrinterByClass
    let isAlone = services.isEmpty && !isPrinter
    let meaning = sighting.name.flatMap { PrinterName.meaning($0, isAlone: isAlone) }
    if case .other(let what) = meaning {
      self.init(.other, nil, [.foreignName(what)])
      return
    }
    var reasons = services.map { Reason.service($0.abbreviation) }
    if isPrinter { reasons.append(.deviceClass) }
    if case .printer(let language) = meaning {
      reasons.append(.name)
      // A cat printer that calls itself "printer" is known by its service.
      let spoken = language == .escpos ? foreign ?? sighting.pageLanguage ?? .escpos : language
      self.init(spoken == .escpos ? .printer : .refused, spoken, reasons)
      return
    }
    if let language = foreign ?? sighting.pageLanguage {
      self.init(.refused, language, reasons)
    } else if isPrinter || services.contains(.receiptPrinter) {
      self.init(.printer, .escpos, reasons)
    } else if let icon = sighting.foreignIcon {
      self.init(.other, nil, [.icon(icon)])
    } else if !services.isEmpty {
      self.init(.possible, .escpos, reasons)
    } else if sighting.isUnclassedSerialPort {
      self.init(.possible, .escpos, [.service(BluetoothUUID.serialPort.abbreviation)])
    } else {
      self.init(.other, nil, reasons)
    }
  }

  private init(_ verdict: Verdict, _ language: PrinterLanguage?, _ reasons: [Reason]) {
    self.verdict = verdict
    self.language = language
    self.reasons = reasons
  }
}

extension BluetoothUUID {
  /// The short form, or the first eight digits: `18f0`, `e7810a71`.
  var abbreviation: String { String(description.prefix(8)) }
  /// Hardly anything else than a receipt printer names it. (The ISSC module is sold to everybody.)
  fileprivate static let receiptPrinter = BluetoothUUID(0x18F0)
}

extension Sighting {
  /// The services that it names over which printers take data, the ones for printing in their order of preference.
  fileprivate var printServices: [BluetoothUUID] {
    let known = PrintService.table.map(\.uuid) + PrinterLanguage.services.map(\.uuid)
    var found: [BluetoothUUID] = []
    for uuid in known where services.contains(uuid) || serviceData.contains(uuid) {
      if !found.contains(uuid) { found.append(uuid) }
    }
    return found
  }

  /// Major class Imaging with the printer bit (Assigned Numbers, "Class of Device"), or BlueZ's icon for it.
  fileprivate var isPrinterByClass: Bool {
    if let deviceClass { return deviceClass >> 8 & 0x1F == 0x06 && deviceClass & 0x80 != 0 }
    return icon == "printer"
  }

  /// Serial Port, and a class of device that says nothing (Miscellaneous, Uncategorized), or none.
  fileprivate var isUnclassedSerialPort: Bool {
    hasSerialPort && (deviceClass.map { [0x00, 0x1F].contains($0 >> 8 & 0x1F) } ?? true)
  }

  /// The icon of something that is no printer: a phone, a headset, a keyboard.
  fileprivate var foreignIcon: String? {
    guard let icon, icon != "printer", icon != "unknown" else { return nil }
    return icon
  }

  /// HCR Print, Direct Printing or Basic Printing without Serial Port: a printer for documents.
  fileprivate var pageLanguage: PrinterLanguage? {
    !hasSerialPort && services.contains { Self.pageServices.contains($0) } ? .pages : nil
  }
}
