import DBus
import ESCPOS

extension BlueZ {
  /// Takes a signal in its turn.
  func take(_ signal: DBusSignal) {
    guard signal.sender == owner else { return }
    if early != nil { early?.append(signal) } else { apply(signal) }
  }

  /// Takes a signal in; one of another shape than its interface promises is left out.
  func apply(_ signal: DBusSignal) {
    let arguments = signal.arguments
    switch (signal.interface, signal.member) {
    case (BlueZName.objectManager, "InterfacesAdded"):
      guard arguments.count == 2, let path = arguments[0].objectPath else { return }
      tree.add(path, BlueZTree.interfaces(arguments[1]))
      saw(path)
    case (BlueZName.objectManager, "InterfacesRemoved"):
      guard arguments.count == 2, let path = arguments[0].objectPath, let names = arguments[1].strings else {
        return
      }
      if names.contains(BlueZName.device) { forgetMade(path) }
      tree.remove(path, names)
    case (BlueZName.properties, "PropertiesChanged"):
      guard arguments.count == 3, let interface = arguments[0].string,
        let properties = arguments[1].variantDictionary
      else { return }
      if interface == BlueZName.gattCharacteristic, let value = properties["Value"]?.bytes {
        listeners[signal.path]?.take(value)
        if properties.count == 1 { return }
      }
      if let isConnected = properties["Connected"]?.boolean {
        connectionNews += 1
        if !isConnected { forgetMade(signal.path) }
      }
      tree.change(signal.path, interface, to: properties, invalidated: arguments[2].strings ?? [])
      if interface == BlueZName.device, properties["RSSI"] != nil || properties["Connected"]?.boolean == true
      {
        saw(signal.path)
      }
    default:
      return
    }
    changed()
  }

  /// Asks for a device's properties and takes them in, unless there is news of connections meanwhile, which may be newer.
  func reread(_ device: String, by deadline: BootInstant) async {
    let news = connectionNews
    let answer = try? await call(
      device, BlueZName.properties, "GetAll", [.string(BlueZName.device)], by: deadline)
    guard let properties = answer?.first?.variantDictionary, news == connectionNews else { return }
    tree.change(device, BlueZName.device, to: properties, invalidated: [])
    changed()
  }

  /// After every change: links that are gone learn it, discovery is set right, and all waits look again.
  func changed() {
    for link in links.values {
      guard let loss = loss(of: link) else { continue }
      link.lose(loss.error, isConnectionOver: loss.isConnectionOver)
      if loss.isConnectionOver { release(link.number, of: link.printer.address) }
    }
    forgetLeftovers()
    if !endured.isEmpty { endured.formIntersection(scanningAdapters) }
    discover()
    bell.ring()
  }

  /// Why a link is no more, and whether its connection is over with it; nil while it is.
  func loss(of link: GATTLink) -> (error: LinkError, isConnectionOver: Bool)? {
    func loss(_ words: String, isConnectionOver: Bool = true) -> (LinkError, Bool) {
      (LinkError(.lost, "\(link.printer.title): \(words)"), isConnectionOver)
    }
    guard condition == .ready else {
      // A bluetoothd that only the bus has parted from us keeps it, also while we read anew what it has.
      return loss("bluetoothd has gone, and the link with it", isConnectionOver: condition == .daemonAway)
    }
    guard let device = tree.devices[link.device] else {
      let hasAdapter = tree.adapters.keys.contains { link.device.hasPrefix($0 + "/") }
      return loss(hasAdapter ? "the printer was removed" : "the adapter is gone")
    }
    guard tree.adapters[device.adapter]?.powered == true else { return loss("the adapter was switched off") }
    guard device.connected else { return loss("the printer has hung up or is out of range") }
    guard tree.characteristics[link.characteristic] != nil else {
      return loss("the printer has withdrawn its print service", isConnectionOver: false)
    }
    return nil
  }
}
