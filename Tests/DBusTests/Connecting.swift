import DBus
import ESCPOS
import PrintTestKit

extension PrivateBus {
  /// A connection with a generous deadline.
  func connect(clock: any BootTimeClock = BootClock()) async throws -> DBusConnection {
    try await DBusConnection.connect(
      to: DBusAddress(address), clock: clock, by: clock.now.advanced(by: .seconds(30)))
  }
}

/// Half a minute from now: more than anything takes that is to happen.
var soon: BootInstant { BootClock().now.advanced(by: .seconds(30)) }

/// What is thrown instead of a result.
func failure<Value>(_ body: () async throws(DBusError) -> Value) async -> DBusError? {
  do throws(DBusError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
