import BLETransport
import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit

/// Races the links of several printers on two adapters against one another and against all that ends a link, for a sanitizer
/// to judge: `swift build --sanitize=thread --product LinkRace`. A fake bluetoothd is behind them, since no sanitizer
/// runs in the Bluetooth rig. Exits with 1 when a call failed that had nothing against it, when bytes are not as they
/// were sent, or when descriptors are left.
@main
struct Main {
  static let rounds = 6

  static func main() async throws {
    // All that was made ends with its scope.
    let isRight = try await contest()
    exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  private static func contest() async throws -> Bool {
    let bluetooth = try await Contest()
    var faults = await bluetooth.run(rounds: 1, isCalm: true)
    let before = descriptors
    faults += await bluetooth.run(rounds: rounds, isCalm: true)
    async let disturbing: Void = bluetooth.disturb()
    faults += await bluetooth.run(rounds: rounds, isCalm: false)
    await bluetooth.rest()
    try await disturbing
    // Whatever was done to it, everything works again.
    faults += await bluetooth.run(rounds: 2, isCalm: true)
    let after = await settled(before)
    print("\(bluetooth.jobs) jobs, \(bluetooth.losses) links lost on purpose, \(faults) faults")
    print("descriptors \(before) → \(after)")
    await bluetooth.end()
    return faults == 0 && after <= before
  }

  /// The number of descriptors, once it has fallen to `least` or does not fall any more.
  private static func settled(_ least: Int) async -> Int {
    for _ in 0..<100 where descriptors > least { try? await BootClock().sleep(for: .milliseconds(20)) }
    return descriptors
  }

  private static var descriptors: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
