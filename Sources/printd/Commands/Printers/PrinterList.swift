import BLETransport
import Curl
import ESCPOS

/// `printd printers list`
enum PrinterList {
  /// A printer as `printd printers --json` shows it.
  private struct Row: Encodable {
    var name: String
    var link: String
    var address: String?
    var profile: String
    /// Whether bluetoothd has a bond with it; left out for other printers, and when bluetoothd does not say.
    var paired: Bool?
    var status: StatusMessage.Printer?

    /// How it is, for people.
    var state: String {
      let state = status?.text ?? "daemon not running"
      guard let paired else { return state }
      return "\(state); \(paired ? "paired" : "not paired")"
    }
  }

  /// Shows the configured printers.
  static func show(_ options: CommonOptions, json: Bool) async throws -> ExitCode {
    let loaded = try options.loadPrinters()
    let client = ControlClient(socket: loaded.configuration.control.socket)
    var status: StatusMessage?
    if await client.isRunning() { status = try await client.read(StatusMessage.self, .get, "/v1/status") }
    let printers = loaded.configuration.printers
    let bonds = await bonds(of: printers)
    let rows = printers.map { printer in
      Row(
        name: printer.name, link: printer.link.rawValue, address: printer.address, profile: printer.profile,
        paired: printer.link.isBluetooth ? bonds?.contains(printer.address ?? "") : nil,
        status: status?.printers.first { $0.name == printer.name })
    }
    if json {
      try JSON.print(rows)
      return .success
    }
    var table = TextTable(["printer", "link", "address", "profile", "state"])
    for row in rows { table.add([row.name, row.link, row.address ?? "", row.profile, row.state]) }
    Console.print(table.text)
    return .success
  }

  /// The addresses that bluetoothd has a bond with; nil when there is no Bluetooth printer, or nobody to ask.
  private static func bonds(of printers: [Configuration.Printer]) async -> Set<String>? {
    guard printers.contains(where: \.link.isBluetooth) else { return nil }
    do throws(LinkError) {
      try await Bluetooth.bluez.ready(by: BootClock().now.advanced(by: .seconds(2)))
    } catch {
      return nil
    }
    return Set(await Bluetooth.bluez.tree.devices.values.filter(\.paired).map(\.address.description))
  }
}
