import BLETransport
import ESCPOS

extension BluetoothCheck {
  /// What bluetoothd knows of a printer, before it is tried.
  static func known(
    _ printer: Configuration.Printer, _ bluetooth: BluetoothPrinter, _ tree: BlueZTree
  ) -> Finding {
    let subject = "bluetooth \(printer.name)"
    let devices = tree.devices.values.filter { $0.address == bluetooth.address }
    guard let device = devices.first(where: \.connected) ?? devices.first(where: \.paired) ?? devices.first
    else {
      guard bluetooth.bearer == .rfcomm else {
        return Finding(.good, subject, "not seen yet; it is looked for when it is needed")
      }
      return Finding(
        .odd, subject, "bluetoothd does not know it", remedy: "printd printers pair \(bluetooth.address)")
    }
    if device.blocked {
      return Finding(
        .bad, subject, "is blocked in bluetoothd", remedy: "bluetoothctl unblock \(bluetooth.address)")
    }
    if let stale = staleCache(bluetooth, device, tree) { return stale }
    let bond = device.paired ? "paired" : "not paired"
    if bluetooth.bearer == .rfcomm, !device.paired {
      return Finding(
        .odd, subject, "\(bond); some printers take nothing then",
        remedy: "printd printers pair \(bluetooth.address)")
    }
    return Finding(.good, subject, device.connected ? "\(bond), connected" : bond)
  }

  /// What to do about a printer that was just refused for its services, when bluetoothd remembers any; nil for another.
  static func remedyOfStaleCache(_ printer: Configuration.Printer) async -> String? {
    guard let bluetooth = printer.bluetooth else { return nil }
    let tree = await Bluetooth.bluez.tree
    let devices = tree.devices.values.filter { $0.address == bluetooth.address }
    return devices.lazy.compactMap { staleCache(bluetooth, $0, tree)?.remedy }.first
  }

  /// A BLE printer whose services in bluetoothd's memory lack the one that it is to print to: after a firmware update or
  /// a reset of the printer, since bluetoothd reads them only once. It remembers them while nobody is connected, too.
  private static func staleCache(
    _ bluetooth: BluetoothPrinter, _ device: Device, _ tree: BlueZTree
  ) -> Finding? {
    // While it is being connected they may be there in part.
    guard bluetooth.bearer == .ble, device.servicesResolved || !device.connected else { return nil }
    let remembered = tree.services(of: device.path)
    guard !remembered.isEmpty else { return nil }
    var missing = "none to print to"
    var first = ""
    do throws(PrintCharacteristics.Fault) {
      _ = try PrintCharacteristics.choose(in: tree, device: device.path, for: bluetooth)
      return nil
    } catch {
      switch error {
      // One that takes no ESC/POS takes none with other services either.
      case .refused: return nil
      case .missing(let what):
        missing = "no \(what)"
        if bluetooth.service != nil || bluetooth.writeCharacteristic != nil
          || bluetooth.notifyCharacteristic != nil
        {
          first = "correct what its entry names; if that is right: "
        }
      case .unknown: break
      }
    }
    let services = remembered.map(\.uuid.description).joined(separator: ", ")
    let adapter = tree.adapters[device.adapter]?.address?.description ?? "ADAPTER"
    return Finding(
      .bad, "bluetooth \(bluetooth.name)",
      "its services in bluetoothd's memory have \(missing) (\(services)); they may be of an older firmware",
      remedy:
        first
        + "printd printers forget \(bluetooth.address); rm /var/lib/bluetooth/\(adapter)/cache/\(bluetooth.address);"
        + " systemctl restart bluetooth; printd printers pair \(bluetooth.address)")
  }
}
