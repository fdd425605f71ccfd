import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit

/// A client of the fake that knows no more than D-Bus.
struct Client {
  let connection: DBusConnection
  let signals: AsyncStream<DBusSignal>

  init(_ fake: FakeBlueZ) async throws {
    connection = try await DBusConnection.connect(to: fake.address, clock: BootClock(), by: soon)
    signals = try await connection.signals(DBusMatch(sender: "org.bluez"), by: soon)
  }

  func call(_ path: String, _ interface: String, _ member: String, _ arguments: DBusValue...)
    async throws(DBusError)
    -> [DBusValue]
  {
    try await connection.call(
      DBusCall(
        destination: "org.bluez", path: path, interface: "org.bluez.\(interface)", member: member,
        arguments: arguments, autoStart: false), by: soon)
  }

  /// The name of the error that a call fails with, without its prefix; nil when it succeeds.
  func error(_ path: String, _ interface: String, _ member: String, _ arguments: DBusValue...) async
    -> String?
  {
    do throws(DBusError) {
      _ = try await connection.call(
        DBusCall(
          destination: "org.bluez", path: path, interface: "org.bluez.\(interface)", member: member,
          arguments: arguments, autoStart: false), by: soon)
      return nil
    } catch {
      return "\(error.name?.split(separator: ".").last ?? "\(error.code)"): \(error.message)"
    }
  }

  func write(_ path: String, _ value: [UInt8], _ type: String?) throws -> DBusPendingCall {
    try connection.begin(
      DBusCall(
        destination: "org.bluez", path: path, interface: "org.bluez.GattCharacteristic1",
        member: "WriteValue",
        arguments: [.bytes(value), .variants(type.map { ["type": .string($0)] } ?? [:])]), by: soon)
  }

  /// What has been signalled so far, shortly: `+path`, `-path`, `path Property=value`. Ends the connection.
  func events() async -> [String] {
    // What was signalled before this is answered has come before the answer.
    _ = try? await connection.call(
      DBusCall(
        destination: "org.bluez", path: "/", interface: DBusName.objectManager, member: "GetManagedObjects"),
      by: soon)
    await connection.close()
    var events: [String] = []
    for await signal in signals {
      let path = signal.arguments.first?.objectPath ?? signal.path
      let short = path.split(separator: "/").last.map(String.init) ?? path
      switch signal.member {
      case "InterfacesAdded": events.append("+\(short)")
      case "InterfacesRemoved": events.append("-\(short)")
      default:
        for (name, value) in (signal.arguments[1].variantDictionary ?? [:]).sorted(by: { $0.key < $1.key }) {
          events.append("\(short) \(name)=\(text(value))")
        }
      }
    }
    return events
  }

  private func text(_ value: DBusValue) -> String {
    value.boolean.map { "\($0)" } ?? value.bytes.map { "\($0)" } ?? value.int16.map { "\($0)" } ?? value
      .string ?? "?"
  }
}

/// Half a minute from now.
var soon: BootInstant { BootClock().now.advanced(by: .seconds(30)) }

/// What a client's call failed with.
func failure(_ pending: DBusPendingCall) async -> String? {
  do throws(DBusError) {
    _ = try await pending.values()
    return nil
  } catch {
    return error.description
  }
}

extension AsyncSequence {
  /// The next element.
  func next() async throws -> Element? {
    var iterator = makeAsyncIterator()
    return try await iterator.next()
  }
}
