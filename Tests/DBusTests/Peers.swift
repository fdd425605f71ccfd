import DBus
import ESCPOS
import PrintTestKit

/// A bus, one who calls, and one who keeps the calls until a test answers them.
struct Peers {
  let bus: PrivateBus
  let server: DBusConnection
  let client: DBusConnection
  let keeper = Keeper()
  private let export: DBusExport

  /// - Parameter clock: The caller's.
  init(_ clock: any BootTimeClock = BootClock()) async throws {
    bus = try await PrivateBus()
    server = try await bus.connect()
    client = try await bus.connect(clock: clock)
    export = try server.export(keeper, at: "/test")
  }

  /// Takes the callee off the bus.
  func release() { export.release() }
}
