import BLETransport
import DBus
import ESCPOS
import Glibc

/// What `doctor` looks at before it tries a Bluetooth printer: kernel, bus, bluetoothd, adapter, unit.
enum BluetoothCheck {
  /// The findings, from the ground up; what cannot be known without something that is missing is left out.
  ///
  /// - Parameter isNeeded: Whether there is anybody who wants Bluetooth.
  static func findings(_ printers: [Configuration.Printer], isNeeded: Bool) async -> [Finding] {
    let bluez = Bluetooth.bluez
    let clock = BootClock()
    var findings: [Finding] = []
    if printers.contains(where: { $0.link == .rfcomm }) { findings.append(kernel()) }
    if isNeeded { findings += await ServiceUnitCheck.findings() }
    do throws(LinkError) {
      try await bluez.ready(by: clock.now.advanced(by: .seconds(5)))
    } catch {
      // Nobody needs Bluetooth who has no Bluetooth printer.
      guard isNeeded else {
        return [Finding(.good, "bluetooth", "not in use (\(error.message))")]
      }
      return findings + [daemon(error, await bluez.condition)]
    }
    findings.append(await daemon())
    let tree = await bluez.tree
    findings += adapters(tree, isNeeded: isNeeded)
    if printers.contains(where: { $0.link == .rfcomm }) { findings.append(await serialPort(bluez)) }
    for printer in printers {
      if let bluetooth = printer.bluetooth { findings.append(known(printer, bluetooth, tree)) }
    }
    return findings
  }

  /// Whether this process may open Bluetooth sockets; they exist in the host's network namespace only.
  private static func kernel() -> Finding {
    // AF_BLUETOOTH and BTPROTO_RFCOMM (linux/socket.h, net/bluetooth/bluetooth.h).
    let socket = Glibc.socket(31, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 3)
    guard socket < 0 else {
      close(socket)
      return Finding(.good, "bluetooth sockets", "can be opened")
    }
    let reason = String(cString: strerror(errno)).lowercased()
    return Finding(
      .odd, "bluetooth sockets", "cannot be opened (\(reason)); Serial Port goes through bluetoothd alone",
      remedy: "modprobe rfcomm; and no container or network namespace of its own for printd")
  }

  private static func daemon(_ error: LinkError, _ condition: BlueZ.Condition) -> Finding {
    switch condition {
    case .busAway(let words):
      return Finding(
        .bad, "message bus", "cannot be reached: \(words)", remedy: "systemctl start dbus; apt install dbus")
    case .daemonAway:
      let isInstalled = bluetoothd != nil
      return Finding(
        .bad, "bluetoothd", isInstalled ? "does not run" : "is not installed",
        remedy: isInstalled ? "systemctl enable --now bluetooth" : "apt install bluez")
    case .forbidden(let words):
      return Finding(
        .bad, "bluetoothd", "does not let this user in (\(words))",
        remedy: "adduser NAME bluetooth, and log in again; for the daemon: adduser printd bluetooth")
    case .starting, .ready:
      return Finding(
        .bad, "bluetoothd", error.message, remedy: "journalctl -u bluetooth; systemctl restart bluetooth")
    }
  }

  /// Where distributions put it.
  private static var bluetoothd: String? {
    ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd"]
      .first { access($0, X_OK) == 0 }
  }

  private static func daemon() async -> Finding {
    guard let path = bluetoothd, let version = await BlueZVersion.asked(of: path) else {
      return Finding(.good, "bluetoothd", "runs")
    }
    // WriteValue's option `type`, without which commands are sent as requests, is of 5.51; printd is tried with 5.66.
    guard version >= BlueZVersion(numbers: [5, 55]) else {
      return Finding(
        .odd, "bluetoothd", "runs, version \(version); it is older than 5.55",
        remedy: "upgrade bluez: 5.66 is known to work")
    }
    return Finding(.good, "bluetoothd", "runs, version \(version)")
  }

  static func adapters(
    _ tree: BlueZTree, isNeeded: Bool, radio: RFKill = RFKill.bluetooth()
  ) -> [Finding] {
    let all = tree.adapters.values.sorted { $0.path < $1.path }
    guard !all.isEmpty else {
      return [
        Finding(
          isNeeded ? .bad : .good, "bluetooth adapter", "there is none",
          remedy: isNeeded ? "plug one in; dmesg | grep -i bluetooth says why one is not taken" : nil)
      ]
    }
    return all.map { adapter in
      let subject = "bluetooth adapter"
      let title = "\(adapter.name) \(adapter.address?.description ?? "")"
      guard !adapter.powered else { return Finding(.good, subject, "\(title), on") }
      // One that is off does no harm beside one that is on.
      let verdict: Finding.Verdict = isNeeded && !all.contains(where: \.powered) ? .bad : .odd
      switch radio {
      case .hard:
        return Finding(
          verdict, subject, "\(title), off by the machine's radio switch", remedy: "switch it on; rfkill list"
        )
      case .soft:
        return Finding(verdict, subject, "\(title), blocked", remedy: "rfkill unblock bluetooth")
      case .no:
        return Finding(
          verdict, subject, "\(title), off",
          remedy: "bluetoothctl power on; AutoEnable=true in /etc/bluetooth/main.conf")
      }
    }
  }

  /// Whether this machine's one client of Serial Port is somebody else.
  private static func serialPort(_ bluez: BlueZ) async -> Finding {
    let subject = "serial port"
    let deadline = BootClock().now.advanced(by: .seconds(5))
    let path = "/org/printd/doctor"
    let options: DBusValue = .variants(["Role": .string("client"), "AutoConnect": .boolean(false)])
    do throws(DBusError) {
      try await bluez.call(
        BlueZName.root, BlueZName.profileManager, "RegisterProfile",
        [.objectPath(path), .string(BluetoothUUID.serialPort.full), options], by: deadline)
    } catch {
      guard error.name == "org.bluez.Error.NotPermitted" else {
        return Finding(.odd, subject, "bluetoothd does not say whether it is free: \(error)")
      }
      return Finding(
        .good, subject,
        "another process has it (the daemon itself, or another program); direct sockets are used then")
    }
    _ = try? await bluez.call(
      BlueZName.root, BlueZName.profileManager, "UnregisterProfile", [.objectPath(path)], by: deadline)
    return Finding(.good, subject, "free")
  }
}
