import DBus

extension BlueZTree {
  /// An object's interfaces and their properties, as ObjectManager gives them.
  typealias Interfaces = [String: [String: DBusValue]]

  /// Takes in `GetManagedObjects`' answer in the place of everything known.
  ///
  /// - Returns: False when the answer is no dictionary of objects; the tree is then empty.
  mutating func load(_ objects: DBusValue) -> Bool {
    self = BlueZTree()
    guard case .dictionary(_, _, let objects) = objects else { return false }
    for (path, interfaces) in objects {
      guard case .objectPath(let path) = path else { continue }
      add(path, Self.interfaces(interfaces))
    }
    return true
  }

  /// The dictionary `a{sa{sv}}`; what is of another type in it is left out.
  static func interfaces(_ value: DBusValue) -> Interfaces {
    guard case .dictionary(_, _, let entries) = value else { return [:] }
    var interfaces: Interfaces = [:]
    for (name, properties) in entries {
      guard let name = name.string, let properties = properties.variantDictionary else { continue }
      interfaces[name] = properties
    }
    return interfaces
  }

  /// Takes in new interfaces of an object (`InterfacesAdded`).
  mutating func add(_ path: String, _ interfaces: Interfaces) {
    for (name, properties) in interfaces {
      switch name {
      case BlueZName.adapter:
        adapters[path] = Adapter(path: path)
      case BlueZName.device:
        guard let address = properties["Address"]?.string.flatMap({ BluetoothAddress($0) }) else { continue }
        let parent = properties["Adapter"]?.objectPath ?? Self.parent(path)
        devices[path] = Device(path: path, adapter: parent, address: address)
      case BlueZName.gattService:
        guard let uuid = Self.uuid(properties) else { continue }
        let parent = properties["Device"]?.objectPath ?? Self.parent(path)
        services[path] = GATTService(path: path, device: parent, uuid: uuid)
      case BlueZName.gattCharacteristic:
        guard let uuid = Self.uuid(properties) else { continue }
        let parent = properties["Service"]?.objectPath ?? Self.parent(path)
        characteristics[path] = GATTCharacteristic(path: path, service: parent, uuid: uuid)
      case BlueZName.gattDescriptor:
        guard let uuid = Self.uuid(properties) else { continue }
        let parent = properties["Characteristic"]?.objectPath ?? Self.parent(path)
        descriptors[path] = GATTDescriptor(path: path, characteristic: parent, uuid: uuid)
      default:
        continue
      }
      change(path, name, to: properties, invalidated: [])
    }
  }

  /// Takes out interfaces of an object (`InterfacesRemoved`).
  mutating func remove(_ path: String, _ interfaces: [String]) {
    for name in interfaces {
      switch name {
      case BlueZName.adapter: adapters[path] = nil
      case BlueZName.device: devices[path] = nil
      case BlueZName.gattService: services[path] = nil
      case BlueZName.gattCharacteristic: characteristics[path] = nil
      case BlueZName.gattDescriptor: descriptors[path] = nil
      default: continue
      }
    }
  }

  /// Takes in changed properties (`PropertiesChanged`); those of objects that are not known are left out.
  mutating func change(
    _ path: String, _ interface: String, to changed: [String: DBusValue], invalidated: [String]
  ) {
    switch interface {
    case BlueZName.adapter:
      adapters[path]?.take(changed)
    case BlueZName.device:
      devices[path]?.take(changed)
      if invalidated.contains("RSSI") { devices[path]?.rssi = nil }
      if invalidated.contains("Name") { devices[path]?.name = nil }
    case BlueZName.gattCharacteristic:
      characteristics[path]?.take(changed)
    default:
      return
    }
  }

  private static func uuid(_ properties: [String: DBusValue]) -> BluetoothUUID? {
    properties["UUID"]?.string.flatMap { BluetoothUUID($0) }
  }

  private static func parent(_ path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}

extension Adapter {
  mutating func take(_ changed: [String: DBusValue]) {
    if let address = changed["Address"]?.string { self.address = BluetoothAddress(address) }
    if let alias = changed["Alias"]?.string { self.alias = alias }
    if let powered = changed["Powered"]?.boolean { self.powered = powered }
    if let discovering = changed["Discovering"]?.boolean { self.discovering = discovering }
  }
}

extension Device {
  mutating func take(_ changed: [String: DBusValue]) {
    if let type = changed["AddressType"]?.string { addressType = type }
    if let name = changed["Name"]?.string { self.name = name }
    if let alias = changed["Alias"]?.string { self.alias = alias }
    if let icon = changed["Icon"]?.string { self.icon = icon }
    if let bits = changed["Class"]?.uint32 { deviceClass = bits }
    if let appearance = changed["Appearance"]?.uint16 { self.appearance = appearance }
    if let rssi = changed["RSSI"]?.int16 { self.rssi = rssi }
    if let paired = changed["Paired"]?.boolean { self.paired = paired }
    if let bonded = changed["Bonded"]?.boolean { self.bonded = bonded }
    if let trusted = changed["Trusted"]?.boolean { self.trusted = trusted }
    if let blocked = changed["Blocked"]?.boolean { self.blocked = blocked }
    if let legacy = changed["LegacyPairing"]?.boolean { legacyPairing = legacy }
    if let connected = changed["Connected"]?.boolean { self.connected = connected }
    if let resolved = changed["ServicesResolved"]?.boolean { servicesResolved = resolved }
    if case .array(_, let uuids)? = changed["UUIDs"] {
      self.uuids = uuids.compactMap { $0.string.flatMap { BluetoothUUID($0) } }
    }
  }
}

extension GATTCharacteristic {
  mutating func take(_ changed: [String: DBusValue]) {
    if case .array(_, let flags)? = changed["Flags"] { self.flags = Set(flags.compactMap(\.string)) }
    if let mtu = changed["MTU"]?.uint16 { self.mtu = mtu }
    if let notifying = changed["Notifying"]?.boolean { self.notifying = notifying }
  }
}
