/// What BlueZ says there is: adapters, devices, and what they expose by GATT.
///
/// It is read leniently: a property of another type than BlueZ documents counts as absent, an object without a parent
/// or without its identifying property is not there.
public struct BlueZTree: Equatable, Sendable {
  /// By object path.
  public internal(set) var adapters: [String: Adapter] = [:]
  /// By object path.
  public internal(set) var devices: [String: Device] = [:]
  /// By object path.
  public internal(set) var services: [String: GATTService] = [:]
  /// By object path.
  public internal(set) var characteristics: [String: GATTCharacteristic] = [:]
  /// By object path.
  public internal(set) var descriptors: [String: GATTDescriptor] = [:]

  /// An empty tree, as while bluetoothd is not there.
  public init() {}

  /// The device with an address below an adapter.
  public func device(_ address: BluetoothAddress, on adapter: String) -> Device? {
    devices.values.first { $0.adapter == adapter && $0.address == address }
  }

  /// A device's services in the order of its attribute table.
  public func services(of device: String) -> [GATTService] {
    services.values.filter { $0.device == device }.sorted { $0.path < $1.path }
  }

  /// A service's characteristics in the order of the attribute table.
  public func characteristics(of service: String) -> [GATTCharacteristic] {
    characteristics.values.filter { $0.service == service }.sorted { $0.path < $1.path }
  }

  /// Whether an object is there, of whatever kind.
  func has(_ path: String) -> Bool {
    adapters[path] != nil || devices[path] != nil || services[path] != nil || characteristics[path] != nil
      || descriptors[path] != nil
  }
}

/// A Bluetooth adapter (`org.bluez.Adapter1`).
public struct Adapter: Equatable, Sendable {
  /// The object path.
  public let path: String
  /// Its address; nil when BlueZ gave none that can be read.
  public internal(set) var address: BluetoothAddress?
  /// The name that it shows to others.
  public internal(set) var alias = ""
  /// Whether it is switched on.
  public internal(set) var powered = false
  /// Whether somebody's discovery is running on it.
  public internal(set) var discovering = false

  /// `hci0`.
  public var name: String { String(path.split(separator: "/").last ?? "") }

  /// Whether the configuration means this one by `name`.
  func isCalled(_ name: String) -> Bool {
    self.name == name || (address != nil && address == BluetoothAddress(name))
  }
}

/// A remote device that BlueZ knows (`org.bluez.Device1`).
public struct Device: Equatable, Sendable {
  /// The object path.
  public let path: String
  /// The adapter's object path.
  public let adapter: String
  /// Its address.
  public let address: BluetoothAddress
  /// `public` or `random`.
  public internal(set) var addressType = "public"
  /// The name that it gives itself; nil while unknown.
  public internal(set) var name: String?
  /// The name, or what the user calls it, or the address.
  public internal(set) var alias = ""
  /// BlueZ's guess at what it is: `printer`.
  public internal(set) var icon: String?
  /// The class of device of Classic.
  public internal(set) var deviceClass: UInt32?
  /// The appearance of LE.
  public internal(set) var appearance: UInt16?
  /// Signal strength in dBm; only while a discovery sees it.
  public internal(set) var rssi: Int16?
  /// Whether it is paired.
  public internal(set) var paired = false
  /// Whether the pairing's keys are kept.
  public internal(set) var bonded = false
  /// Whether it may connect to us unasked.
  public internal(set) var trusted = false
  /// Whether the user has blocked it.
  public internal(set) var blocked = false
  /// Whether it is from before Secure Simple Pairing; has false positives.
  public internal(set) var legacyPairing = false
  /// Whether there is a link, by whatever bearer and whoever made it.
  public internal(set) var connected = false
  /// Whether its services are known.
  public internal(set) var servicesResolved = false
  /// Services that it advertises or was found to have.
  public internal(set) var uuids: [BluetoothUUID] = []
}

/// A service of a device (`org.bluez.GattService1`).
public struct GATTService: Equatable, Sendable {
  /// The object path.
  public let path: String
  /// The device's object path.
  public let device: String
  /// What it is.
  public let uuid: BluetoothUUID
}

/// A characteristic (`org.bluez.GattCharacteristic1`).
public struct GATTCharacteristic: Equatable, Sendable {
  /// The object path.
  public let path: String
  /// The service's object path.
  public let service: String
  /// What it is.
  public let uuid: BluetoothUUID
  /// What may be done with it, in BlueZ's words: `read`, `write`, `write-without-response`, `notify`, `indicate`, …
  public internal(set) var flags: Set<String> = []
  /// The link's ATT MTU in bytes; nil before BlueZ 5.62 and while not connected.
  public internal(set) var mtu: UInt16?
  /// Whether notifications are on for anybody.
  public internal(set) var notifying = false

  /// Takes Write Requests.
  public var takesRequests: Bool { flags.contains("write") }
  /// Takes Write Commands.
  public var takesCommands: Bool { flags.contains("write-without-response") }
  /// Takes data at all.
  public var isWritable: Bool { takesRequests || takesCommands }
  /// Can send values by itself.
  public var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
  /// Can be read.
  public var isReadable: Bool { flags.contains("read") }
}

/// A descriptor (`org.bluez.GattDescriptor1`).
public struct GATTDescriptor: Equatable, Sendable {
  /// The object path.
  public let path: String
  /// The characteristic's object path.
  public let characteristic: String
  /// What it is.
  public let uuid: BluetoothUUID
}
