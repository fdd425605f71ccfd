/// A service in a device's GATT table.
public struct FakeService: Sendable {
  /// A characteristic in a service.
  public struct Characteristic: Sendable {
    /// The UUID, in full.
    public var uuid: String
    /// BlueZ's flags: `write`, `write-without-response`, `notify`, `read`, …
    public var flags: [String]
    /// The value that a read gives.
    public var value: [UInt8]

    /// Creates a characteristic.
    public init(_ uuid: String, _ flags: [String], value: [UInt8] = []) {
      self.uuid = uuid
      self.flags = flags
      self.value = value
    }
  }

  /// The UUID, in full.
  public var uuid: String
  /// The characteristics, in order.
  public var characteristics: [Characteristic]

  /// Creates a service.
  public init(_ uuid: String, _ characteristics: [Characteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }

  /// A UUID of 16 bits, written in full.
  public static func uuid(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

  /// The print service that most receipt printers have: 18f0 with 2af1 (write) and 2af0 (notify).
  public static let print = FakeService(
    uuid("18f0"),
    [
      Characteristic(uuid("2af1"), ["write", "write-without-response"]),
      Characteristic(uuid("2af0"), ["notify"]),
    ])

  /// Generic access, with the device's name to read.
  public static let access = FakeService(
    uuid("1800"), [Characteristic(uuid("2a00"), ["read"], value: Array("Printer".utf8))])
}
