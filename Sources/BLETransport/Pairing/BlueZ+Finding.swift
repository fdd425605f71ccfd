public import ESCPOS

extension BlueZ {
  /// How long a device that has been found is given to say its name and services.
  private static let nameTime = Duration.seconds(4)
  /// How long a device that bluetoothd remembers is given to show itself: an inquiry of Classic.
  private static let seeTime = Duration.seconds(11)

  /// What has been seen on an adapter: in this scan, or before.
  public func sightings(on adapter: Adapter) -> [Sighting] {
    tree.devices.values.filter { $0.adapter == adapter.path }.sorted { $0.path < $1.path }.map(Sighting.init)
  }

  /// Waits until ``sightings(on:)`` is another than this, the adapter is off or gone, or `deadline` comes.
  ///
  /// - Throws: ``LinkError`` with `.cancelled`.
  public func sightings(
    on adapter: Adapter, otherThan last: [Sighting], by deadline: BootInstant
  ) async throws(LinkError) -> [Sighting] {
    _ = try await wait(by: deadline) { bluez in
      bluez.sightings(on: adapter) != last || bluez.tree.adapters[adapter.path]?.powered != true
    }
    return sightings(on: adapter)
  }

  /// Whether a device has a bond, now or by `deadline`.
  func isPaired(_ path: String, by deadline: BootInstant) async throws(LinkError) -> Bool {
    try await wait(by: deadline) { $0.tree.devices[path]?.paired == true }
  }

  /// Finds a device, by a search where bluetoothd does not know it.
  ///
  /// - Parameters:
  ///   - deadline: When the search is given up; it returns sooner, when the device has told what it is.
  ///   - transport: What is searched; Low Energy alone takes seconds less.
  /// - Throws: ``LinkError`` with `.unreachable` when it does not show itself, `.cancelled`.
  public func find(
    _ address: BluetoothAddress, on adapter: Adapter, by deadline: BootInstant,
    over transport: BluetoothTransport = .both
  ) async throws(LinkError) -> Device {
    let known = tree.device(address, on: adapter.path)
    if let known, known.paired || known.connected { return known }
    let search = search(on: adapter, transport)
    defer { search.end() }
    // What bluetoothd remembers may be a part of the truth; one that hides is taken as it is remembered.
    let patience = known == nil ? deadline : min(deadline, clock.now.advanced(by: Self.seeTime))
    _ = try await wait(by: patience) { $0.tree.device(address, on: adapter.path)?.rssi != nil }
    let limit = min(deadline, clock.now.advanced(by: Self.nameTime))
    _ = try await wait(by: limit) { $0.tree.device(address, on: adapter.path)?.tellsWhatItIs == true }
    guard let device = tree.device(address, on: adapter.path) else {
      throw LinkError(
        .unreachable,
        "\(address) does not show itself: switch it on, take it near, disconnect phones from it, and see: printd printers scan"
      )
    }
    return device
  }
}

extension BlueZ {
  /// Whether a device on LE that bluetoothd remembers shows itself by `deadline`, or is connected.
  ///
  /// - Throws: ``LinkError`` with `.cancelled`.
  public func shows(itself device: Device, by deadline: BootInstant) async throws(LinkError) -> Bool {
    guard let adapter = tree.adapters[device.adapter] else { return false }
    let search = search(on: adapter, .le)
    defer { search.end() }
    return try await wait(by: deadline) { bluez in
      let known = bluez.tree.devices[device.path]
      return known?.rssi != nil || known?.connected == true
    }
  }
}

extension Device {
  /// Whether it has a name, and something more to judge it by.
  fileprivate var tellsWhatItIs: Bool { name != nil && (deviceClass != nil || !uuids.isEmpty) }
}

extension Sighting {
  /// What BlueZ has put together of a device.
  public init(_ device: Device) {
    self.init(address: device.address)
    name = device.name
    deviceClass = device.deviceClass
    appearance = device.appearance
    icon = device.icon
    services = device.uuids
    isRandomAddress = device.addressType == "random"
    rssi = device.rssi
    isPaired = device.paired
    isConnected = device.connected
  }
}
