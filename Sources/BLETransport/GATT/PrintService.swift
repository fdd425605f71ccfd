/// A GATT service that printers are known by: what it is, and which of its characteristics carry print data.
///
/// Source: the services that printers of these makes were seen to expose, and the public drivers for them; no
/// specification exists.
public struct PrintService: Sendable {
  /// What to make of a device that has the service.
  public enum Meaning: Equatable, Sendable {
    /// A receipt printer that takes ESC/POS.
    case receiptPrinter
    /// A module that printers share with other things (a sensor, a car's diagnosis plug): only a printer when
    /// something else says so too.
    case shared
    /// Something that does not take ESC/POS, and what it is.
    case refused(String)
  }

  /// The service.
  public let uuid: BluetoothUUID
  /// What it tells.
  public let meaning: Meaning
  /// Characteristics that take print data, the best first.
  public let write: [BluetoothUUID]
  /// Characteristics that carry answers, the best first.
  public let notify: [BluetoothUUID]
  /// What it is, for messages and the scan's table.
  public let name: String

  /// The known services, in the order in which one is chosen when a printer has several.
  public static let table: [PrintService] = [
    PrintService(
      uuid: BluetoothUUID(0x18F0), meaning: .receiptPrinter, write: [BluetoothUUID(0x2AF1)],
      notify: [BluetoothUUID(0x2AF0)], name: "receipt printer (18f0)"),
    PrintService(
      uuid: BluetoothUUID(0x4953_5343_FE7D_4AE5, 0x8FA9_9FAF_D205_E455), meaning: .receiptPrinter,
      write: [
        BluetoothUUID(0x4953_5343_8841_43F4, 0xA8D4_ECBE_3472_9BB3),
        BluetoothUUID(0x4953_5343_1E4D_4BD9, 0xBA61_23C6_4724_9616),
      ], notify: [BluetoothUUID(0x4953_5343_1E4D_4BD9, 0xBA61_23C6_4724_9616)], name: "ISSC serial port"),
    PrintService(
      uuid: BluetoothUUID(0xFF00), meaning: .shared, write: [BluetoothUUID(0xFF02)],
      notify: [BluetoothUUID(0xFF01), BluetoothUUID(0xFF03)], name: "serial port (ff00)"),
    PrintService(
      uuid: BluetoothUUID(0xE781_0A71_73AE_499D, 0x8C15_FAA9_AEF0_C3F2), meaning: .shared,
      write: [BluetoothUUID(0xBEF8_D6C9_9C21_4C9E, 0xB632_BD58_C100_9F9F)],
      notify: [BluetoothUUID(0xBEF8_D6C9_9C21_4C9E, 0xB632_BD58_C100_9F9F)], name: "serial port (e7810a71)"),
    PrintService(
      uuid: BluetoothUUID(0xFFF0), meaning: .shared, write: [BluetoothUUID(0xFFF2), BluetoothUUID(0xFFF1)],
      notify: [BluetoothUUID(0xFFF1), BluetoothUUID(0xFFF4)], name: "serial port (fff0)"),
    PrintService(
      uuid: BluetoothUUID(0xFFE0), meaning: .shared, write: [BluetoothUUID(0xFFE1)],
      notify: [BluetoothUUID(0xFFE1)], name: "HM-10 serial port (ffe0)"),
    PrintService(
      uuid: BluetoothUUID(0xFFE6), meaning: .shared, write: [BluetoothUUID(0xFFE1)],
      notify: [BluetoothUUID(0xFFE2)], name: "serial port (ffe6)"),
    PrintService(
      uuid: BluetoothUUID(0x6E40_0001_B5A3_F393, 0xE0A9_E50E_24DC_CA9E), meaning: .shared,
      write: [BluetoothUUID(0x6E40_0002_B5A3_F393, 0xE0A9_E50E_24DC_CA9E)],
      notify: [BluetoothUUID(0x6E40_0003_B5A3_F393, 0xE0A9_E50E_24DC_CA9E)], name: "Nordic UART"),
    PrintService(
      uuid: BluetoothUUID(0xA76E_B9E0_F3AC_4990, 0x84CF_3A94_D242_6B2B), meaning: .shared,
      write: [BluetoothUUID(0xA76E_B9E2_F3AC_4990, 0x84CF_3A94_D242_6B2B)], notify: [],
      name: "serial port (a76eb9e0)"),
    PrintService(
      uuid: BluetoothUUID(0xABF0), meaning: .shared, write: [BluetoothUUID(0xABF1)],
      notify: [BluetoothUUID(0xABF2), BluetoothUUID(0xABF1)], name: "ESP32 serial port (abf0)"),
    PrintService(
      uuid: BluetoothUUID(0xF000_C0E0_0451_4000, 0xB000_0000_0000_0000), meaning: .shared,
      write: [BluetoothUUID(0xF000_C0E1_0451_4000, 0xB000_0000_0000_0000)],
      notify: [BluetoothUUID(0xF000_C0E1_0451_4000, 0xB000_0000_0000_0000)], name: "TI serial port"),
    refused(BluetoothUUID(0xAE30), "a cat printer: it takes dots in a language of its own, not ESC/POS"),
    refused(BluetoothUUID(0xAF30), "a cat printer: it takes dots in a language of its own, not ESC/POS"),
    refused(
      BluetoothUUID(0x38EB_4A80_C570_11E3, 0x9507_0002_A5D5_C51B),
      "a Zebra printer: it takes ZPL or CPCL, not ESC/POS"),
  ]

  private static func refused(_ uuid: BluetoothUUID, _ what: String) -> PrintService {
    PrintService(uuid: uuid, meaning: .refused(what), write: [], notify: [], name: what)
  }

  /// The row of a service, if it is known.
  public static func known(_ uuid: BluetoothUUID) -> PrintService? {
    table.first { $0.uuid == uuid }
  }
}
