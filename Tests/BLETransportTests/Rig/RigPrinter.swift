import ESCPOS
import Glibc
import PrintTestKit
import Testing

@testable import BLETransport

/// What is proven with the real bluetoothd, the real kernel and virtual printers; Tests/Rig/README.md says how.
@Suite("In the Bluetooth rig", .enabled(if: Rig.isHere, "runs in the Bluetooth rig"), .serialized)
enum RigTests {}

/// The Bluetooth rig that these tests run in, when they do: `RIG` names its folder.
enum Rig {
  static let folder = getenv("RIG").map { String(cString: $0) }
  static var isHere: Bool { folder != nil }

  /// Runs one of the rig's programs and returns what it printed.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) async throws -> String {
    let folder = try TemporaryFolder()
    let output = "\(folder.path)/output"
    let child = try ChildProcess("\(Rig.folder ?? "")/\(program)", arguments, output: output)
    let end = await child.end
    let text = try Fixtures.text(ofFile: output)
    guard end == .exit(0) else { throw Failure(description: "\(program) \(arguments): \(end): \(text)") }
    return text
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static func soon(_ time: Duration = .seconds(20)) -> BootInstant { BootClock().now.advanced(by: time) }

  /// What is left until an instant, for a command line.
  static func seconds(until deadline: BootInstant) -> String {
    "\(max(0, BootClock().now.duration(to: deadline).milliseconds / 1_000))"
  }
}

/// One of the rig's virtual printers.
struct RigPrinter: CustomTestStringConvertible {
  static let ble = RigPrinter(name: "ble", address: "00:AA:01:01:00:42")
  static let spp = RigPrinter(name: "spp", address: "00:AA:01:02:00:42", bearer: .rfcomm)
  static let pin = RigPrinter(name: "pin", address: "00:AA:01:03:00:42", bearer: .rfcomm)
  static let issc = RigPrinter(name: "issc", address: "00:AA:01:04:00:42")
  static let bond = RigPrinter(name: "bond", address: "00:AA:01:05:00:42")

  var name: String
  var address: String
  var bearer = BluetoothPrinter.Bearer.ble

  var testDescription: String { name }

  /// Tells the printer something, and returns what it answers, as JSON.
  @discardableResult
  func ctl(_ words: String...) async throws -> String { try await Rig.run("printer-ctl", [name] + words) }

  /// How often it has been connected so far.
  var connects: Int {
    get async throws {
      let state = try await ctl("state")
      let number = state.split(separator: "\"connects\": ").dropFirst().first?.prefix { $0.isNumber }
      guard let number, let count = Int(number) else { throw Rig.Failure(description: state) }
      return count
    }
  }

  /// All bytes that the printer has received since the last `clear`.
  var paper: [UInt8] {
    get throws {
      let out = getenv("RIG_OUT").map { String(cString: $0) } ?? ""
      return try Fixtures.bytes(ofFile: "\(out)/\(name).bin")
    }
  }

  /// Waits for bytes to have come, and returns all that have; fewer when `deadline` was first.
  func paper(of count: Int, by deadline: BootInstant = Rig.soon()) async throws -> [UInt8] {
    try await ctl("received", "\(count)", Rig.seconds(until: deadline))
    return try paper
  }

  func configured(_ change: (inout BluetoothPrinter) -> Void = { _ in }) throws -> BluetoothPrinter {
    guard let address = BluetoothAddress(address) else { throw Rig.Failure(description: "address") }
    var printer = BluetoothPrinter(name: name, address: address, bearer: bearer)
    change(&printer)
    return printer
  }
}

/// Print data in which every place can be told: lines of ASCII.
func pattern(_ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  var line = 0
  while bytes.count < count {
    bytes += "line \(line) of the receipt\n".utf8
    line += 1
  }
  return Array(bytes.prefix(count))
}

/// Runs a test with a connection to bluetoothd of its own, which is ended after it; the BLE printer is as it was at first.
func withBlueZ(_ body: (BlueZ) async throws -> Void) async throws {
  try await RigPrinter.ble.ctl("reset")
  let bluez = BlueZ(clock: BootClock(), note: { print("note:", $0) })
  do {
    try await body(bluez)
  } catch {
    await bluez.stop(by: Rig.soon())
    throw error
  }
  await bluez.stop(by: Rig.soon())
}

/// Opens a link to one of the rig's BLE printers.
func open(
  _ bluez: BlueZ, _ printer: RigPrinter = .ble, by deadline: BootInstant = Rig.soon(),
  _ change: (inout BluetoothPrinter) -> Void = { _ in }
) async throws -> GATTLink {
  let link = try await BLELinkOpener(try printer.configured(change), bluez).open(by: deadline)
  guard let link = link as? GATTLink else { throw Rig.Failure(description: "no GATT link") }
  return link
}
