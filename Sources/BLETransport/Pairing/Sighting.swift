/// What a device has shown of itself: its advertisements, its inquiry response, and what BlueZ has kept of it.
///
/// Everything in here came over the air from anybody; it is shown to people only after it was made harmless.
public struct Sighting: Equatable, Sendable {
  /// The address.
  public var address: BluetoothAddress
  /// The name; nil when it has not been heard.
  public var name: String?
  /// The class of device of a Classic inquiry; nil when the device was not seen there.
  public var deviceClass: UInt32?
  /// The GAP appearance of an advertisement.
  public var appearance: UInt16?
  /// BlueZ's icon name, made from class or appearance.
  public var icon: String?
  /// The services that it names.
  public var services: [BluetoothUUID] = []
  /// The services of its service data.
  public var serviceData: [BluetoothUUID] = []
  /// The flags of an LE advertisement (Core Specification Supplement, part A, 1.3); nil when none came.
  public var advertisingFlags: UInt8?
  /// Whether the address is an LE random one.
  public var isRandomAddress = false
  /// The strength at the last sighting in dBm; nil when it was not seen in this scan.
  public var rssi: Int16?
  /// Whether there is a bond.
  public var isPaired = false
  /// Whether something holds a link to it on this machine.
  public var isConnected = false

  /// Creates a sighting of which nothing but the address is known.
  public init(address: BluetoothAddress) {
    self.address = address
  }

  /// The radios that a device speaks.
  public enum Radio: String, Sendable {
    /// Bluetooth Low Energy.
    case ble
    /// Bluetooth Classic.
    case classic
    /// Both.
    case dual
  }

  /// The radios, as far as what was heard tells.
  ///
  /// A class of device comes from a Classic inquiry alone; flags, an appearance, a GATT service or a random address
  /// from an LE advertisement alone.
  public var radio: Radio {
    let classic =
      deviceClass != nil || services.contains { Self.classicServices.contains($0) }
    let saysLEOnly = advertisingFlags.map { $0 & 0x04 != 0 } ?? false
    let ble =
      isRandomAddress || advertisingFlags != nil || appearance != nil || !serviceData.isEmpty
      || services.contains { PrintService.known($0) != nil || PrinterLanguage.ofService($0) != nil }
    switch (classic && !isRandomAddress && !(saysLEOnly && deviceClass == nil), ble) {
    case (true, true): return .dual
    case (true, false): return .classic
    default: return .ble
    }
  }

  /// Serial Port, and what else only a Classic printer names: Direct Printing, HCR Print, Basic Printing.
  private static let classicServices = Set([.serialPort] + pageServices)
  /// Direct Printing, Basic Printing, HCR Print (Assigned Numbers, "Service Class").
  static let pageServices = [BluetoothUUID(0x1118), BluetoothUUID(0x1122), BluetoothUUID(0x1126)]

  /// Whether it names the Serial Port service.
  public var hasSerialPort: Bool { services.contains(.serialPort) }
}
