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

  /// A BLE printer that is connected and resolved, and whose services in bluetoothd's memory lack the one that it is to
  /// print to: after a firmware update or a reset of the printer, since bluetoothd reads them only once.
  private static func staleCache(
    _ bluetooth: BluetoothPrinter, _ device: Device, _ tree: BlueZTree
  ) -> Finding? {
    guard bluetooth.bearer == .ble, device.connected, device.servicesResolved else { return nil }
    guard (try? PrintCharacteristics.choose(in: tree, device: device.path, for: bluetooth)) == nil else {
      return nil
    }
    let services = tree.services(of: device.path).map(\.uuid.description).joined(separator: ", ")
    let adapter = tree.adapters[device.adapter]?.address?.description ?? "ADAPTER"
    return Finding(
      .bad, "bluetooth \(bluetooth.name)",
      "its services in bluetoothd's memory have none to print to (\(services)); they may be of an older firmware",
      remedy:
        "printd printers forget \(bluetooth.address); rm /var/lib/bluetooth/\(adapter)/cache/\(bluetooth.address);"
        + " systemctl restart bluetooth; printd printers pair \(bluetooth.address)")
  }
}
