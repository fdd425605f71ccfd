import DBus
import ESCPOS
import PrintTestKit
import Testing

@testable import BLETransport

/// A Classic printer of the rig, and our side of it.
final class ClassicScene {
  let rig: RigPrinter
  let bluez: BlueZ
  var printer: BluetoothPrinter

  init(_ rig: RigPrinter, _ bluez: BlueZ) throws {
    self.rig = rig
    self.bluez = bluez
    printer = try rig.configured()
  }

  /// Lets bluetoothd find the printer, as a user would who looks for it, and keep it.
  ///
  /// It forgets by itself what was paired for one connection only, unless that is trusted.
  func discover() async throws {
    try await forget()
    let adapter = try await bluez.adapter(nil, for: printer.title, by: Rig.soon())
    let search = await bluez.search(on: adapter, .classic)
    let address = printer.address
    try await until("\(printer.title) found") { $0.tree.device(address, on: adapter.path) != nil }
    search.end()
    try await bluez.set(
      try await device().path, BlueZName.device, "Trusted", to: .boolean(true), by: Rig.soon())
  }

  /// Lets another program have bluetoothd read the printer's records, for a profile that nobody has; ends when it has.
  func read() async throws -> Task<Void, Never> {
    let other = try await DBusConnection.connect(to: .system, clock: BootClock(), by: Rig.soon())
    let path = try await device().path
    let deadline = Rig.soon(.seconds(60))
    return Task {
      _ = try? await other.call(
        DBusCall(
          destination: BlueZName.service, path: path, interface: BlueZName.device, member: "ConnectProfile",
          arguments: [.string(BluetoothUUID(0x111E).full)]), by: deadline)
      await other.close()
    }
  }

  /// Waits for something that bluetoothd tells.
  func until(
    _ what: String, by deadline: BootInstant = Rig.soon(),
    _ holds: @escaping @Sendable (isolated BlueZ) -> Bool
  ) async throws {
    guard try await bluez.wait(by: deadline, until: holds) else {
      throw Rig.Failure(description: "not \(what)")
    }
  }

  /// Makes the printer unknown to bluetoothd, as it is before anybody has looked for it.
  func forget() async throws {
    try await bluez.ready(by: Rig.soon())
    for device in await bluez.tree.devices.values where device.address == printer.address {
      try await bluez.call(
        device.adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)], by: Rig.soon())
    }
    let address = printer.address
    try await until("\(printer.title) forgotten") { bluez in
      !bluez.tree.devices.values.contains { $0.address == address }
    }
  }

  /// The printer as bluetoothd knows it.
  func device() async throws -> Device {
    try await bluez.ready(by: Rig.soon())
    return try #require(await bluez.tree.devices.values.first { $0.address == printer.address })
  }

  /// Waits for the link that is under all RFCOMM links to end, some seconds after the last of them.
  func parted(by deadline: BootInstant = Rig.soon()) async throws {
    try await bluez.ready(by: Rig.soon())
    let address = printer.address
    try await until("\(printer.title) parted", by: deadline) { bluez in
      !bluez.tree.devices.values.contains { $0.address == address && $0.connected }
    }
  }

  func open(by deadline: BootInstant = Rig.soon()) async throws -> RFCOMMLink {
    let clock = BootClock()
    let start = clock.now
    let link = try #require(try await RFCOMMLinkOpener(printer, bluez).open(by: deadline) as? RFCOMMLink)
    print("\(printer.title): \(link.way) in \(start.duration(to: clock.now))")
    return link
  }

  /// The error with which an opening fails; nil when it does not.
  func failure(by deadline: BootInstant) async -> LinkError? {
    do {
      await (try await open(by: deadline)).close()
      return nil
    } catch {
      print(error)
      return error as? LinkError
    }
  }

  /// Opens a link, prints over it and closes it; all bytes must have come.
  func prints(_ count: Int = 1_000, by way: RFCOMMLink.Way? = nil) async throws {
    try await rig.ctl("clear")
    let link = try await open()
    if let way { #expect(link.way == way) }
    try await link.send(job(count)[...], by: Rig.soon())
    #expect(try await rig.paper(of: count) == job(count))
    await link.close()
  }
}

/// Runs a test with a Classic printer as it was at first, that has received nothing.
///
/// - Parameter isKnown: Whether bluetoothd has found it, so that the link goes by its profile, or has not and the entry names
///   the channel, so that it goes by the socket; nil for neither.
func withClassic(
  _ rig: RigPrinter = .spp, isKnown: Bool? = nil, _ body: (ClassicScene) async throws -> Void
) async throws {
  try await withBlueZ { bluez in
    let scene = try ClassicScene(rig, bluez)
    try await rig.ctl("reset")
    try await rig.ctl("clear")
    switch isKnown {
    case true?: try await scene.discover()
    case false?: scene.printer.channel = 3
    case nil: break
    }
    try await body(scene)
  }
}

/// Print data in which every place can be told, of all bytes but DLE, which may begin what a printer answers.
func job(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }.map { $0 == 0x10 ? 0x11 : $0 }
}
