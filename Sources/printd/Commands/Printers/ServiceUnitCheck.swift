import DBus
import ESCPOS

/// Whether systemd's unit of the daemon lets it use Bluetooth; asked of systemd itself, so that drop-ins count.
enum ServiceUnitCheck {
  /// What of a unit stands against Bluetooth.
  struct Unit: Equatable {
    /// `RestrictAddressFamilies`: whether the list allows, and the families; nil when nothing is restricted.
    var families: (isAllowList: Bool, names: [String])?
    var privateNetwork = false

    /// What is wrong, and the drop-in that mends it.
    var faults: [(message: String, remedy: String)] {
      var faults: [(String, String)] = []
      if let families, !families.names.isEmpty || families.isAllowList,
        families.names.contains("AF_BLUETOOTH") != families.isAllowList
      {
        faults.append(
          ("RestrictAddressFamilies keeps Bluetooth sockets away", "RestrictAddressFamilies=AF_BLUETOOTH"))
      }
      if let families, families.isAllowList, !families.names.contains("AF_UNIX") {
        faults.append(
          ("RestrictAddressFamilies keeps the message bus away", "RestrictAddressFamilies=AF_UNIX"))
      }
      if privateNetwork {
        faults.append(("PrivateNetwork hides the adapters", "PrivateNetwork=no"))
      }
      return faults
    }

    static func == (left: Unit, right: Unit) -> Bool {
      left.families?.isAllowList == right.families?.isAllowList
        && left.families?.names == right.families?.names
        && left.privateNetwork == right.privateNetwork
    }
  }

  /// Nothing where there is no systemd, or no such unit.
  static func findings(_ address: DBusAddress = .system) async -> [Finding] {
    guard let unit = await unit(address) else { return [] }
    let faults = unit.faults
    guard !faults.isEmpty else { return [Finding(.good, "printd.service", "lets the daemon use Bluetooth")] }
    return faults.map {
      Finding(.bad, "printd.service", $0.message, remedy: "systemctl edit printd: [Service], \($0.remedy)")
    }
  }

  /// `org.freedesktop.systemd1.Service`: `RestrictAddressFamilies` is `(bas)`, `PrivateNetwork` is `b`.
  private static func unit(_ address: DBusAddress) async -> Unit? {
    let clock = BootClock()
    let deadline = clock.now.advanced(by: .seconds(3))
    guard let bus = try? await DBusConnection.connect(to: address, clock: clock, by: deadline) else {
      return nil
    }
    defer { Task { await bus.close() } }
    let systemd = "org.freedesktop.systemd1"
    func ask(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) async
      -> [DBusValue]
    {
      let call = DBusCall(
        destination: systemd, path: path, interface: interface, member: member, arguments: arguments,
        autoStart: false)
      return (try? await bus.call(call, by: deadline)) ?? []
    }
    let path = await ask(
      "/org/freedesktop/systemd1", "\(systemd).Manager", "LoadUnit", [.string("printd.service")])
    guard let unit = path.first?.objectPath else { return nil }
    let properties = await ask(unit, DBusName.properties, "GetAll", [.string("\(systemd).Service")])
    guard let values = properties.first?.variantDictionary, values["ExecStart"]?.array?.isEmpty == false
    else {
      return nil
    }
    var result = Unit()
    if let parts = values["RestrictAddressFamilies"]?.structure, parts.count == 2 {
      result.families = (parts[0].boolean ?? false, parts[1].strings ?? [])
    }
    result.privateNetwork = values["PrivateNetwork"]?.boolean ?? false
    return result
  }
}
