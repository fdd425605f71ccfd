/// The services over which printers take data.
public struct PrinterService: Equatable, Sendable {
  /// What a service tells of the device that names it.
  public enum Weight: Sendable {
    /// Receipt printers name it, and hardly anything else.
    case printer
    /// A serial module that is built into printers and into anything else.
    case module
    /// Printers that do not speak ESC/POS.
    case other(PrinterLanguage)
  }

  /// The UUID, 128 bits in small letters.
  public let uuid: String
  /// The short form that people read: `18f0`.
  public let name: String
  let weight: Weight

  private init(_ name: String, _ weight: Weight, long: String? = nil) {
    self.name = name
    self.weight = weight
    uuid = long ?? "0000\(name)-0000-1000-8000-00805f9b34fb"
  }

  /// Serial Port, the Classic one.
  public static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

  /// In the order in which they are taken for printing.
  static let all: [PrinterService] = [
    PrinterService("18f0", .printer),
    PrinterService("49535343", .module, long: "49535343-fe7d-4ae5-8fa9-9fafd205e455"),
    PrinterService("ff00", .module),
    PrinterService("e7810a71", .module, long: "e7810a71-73ae-499d-8c15-faa9aef0c3f2"),
    PrinterService("fff0", .module),
    PrinterService("ffe0", .module),
    PrinterService("ffe6", .module),
    PrinterService("6e400001", .module, long: "6e400001-b5a3-f393-e0a9-e50e24dcca9e"),
    PrinterService("ae30", .other(.cat)),
    PrinterService("af30", .other(.cat)),
    PrinterService("38eb4a80", .other(.linkOS), long: "38eb4a80-c570-11e3-9507-0002a5d5c51b"),
    PrinterService("be3dd650", .other(.letraTag), long: "be3dd650-2b3d-42f1-99c1-f0f749dd0678"),
  ]

  /// The service with this UUID, or nil when it is none over which printers take data.
  public static func named(_ uuid: String) -> PrinterService? { all.first { $0.uuid == uuid } }

  /// Equal when they have the same UUID.
  public static func == (left: PrinterService, right: PrinterService) -> Bool { left.uuid == right.uuid }
}
