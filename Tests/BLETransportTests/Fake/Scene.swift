import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing
import Threads

@testable import BLETransport

/// A fake bluetoothd with one printer, and our side of it.
struct Scene {
  static let address = "00:11:22:33:44:55"

  let fake: FakeBlueZ
  let adapter: FakeAdapter
  let device: FakeDevice
  let paper: FakePrinter
  let clock: any BootTimeClock
  let bluez: BlueZ
  let notes = Notes()

  init(
    clock: any BootTimeClock = BootClock(), services: [FakeService] = [.print, .access],
    patience: Duration = .seconds(30),
    _ script: FakePrinter.Script = .init()
  ) async throws {
    self.clock = clock
    fake = try await FakeBlueZ()
    adapter = fake.addAdapter()
    paper = FakePrinter(clock: BootClock(), script)
    device = adapter.addDevice(Self.address, services: services, printer: paper)
    bluez = BlueZ(address: fake.address, clock: clock, patience: patience, note: { [notes] in notes.add($0) })
  }

  var soon: BootInstant { clock.now.advanced(by: .seconds(30)) }

  func printer(_ change: (inout BluetoothPrinter) -> Void = { _ in }) throws -> BluetoothPrinter {
    var printer = BluetoothPrinter(
      name: "kitchen", address: try #require(BluetoothAddress(Self.address)), bearer: .ble)
    change(&printer)
    return printer
  }

  func open(
    by deadline: BootInstant? = nil, _ change: (inout BluetoothPrinter) -> Void = { _ in }
  ) async throws -> GATTLink {
    let link = try await bluez.opener(for: printer(change)).open(by: deadline ?? soon)
    return try #require(link as? GATTLink)
  }

  /// The error with which an opening fails.
  func failure(
    by deadline: BootInstant? = nil, _ change: (inout BluetoothPrinter) -> Void = { _ in }
  ) async throws -> LinkError {
    do {
      let link = try await bluez.opener(for: printer(change)).open(by: deadline ?? soon)
      await link.close()
    } catch let error as LinkError {
      return error
    }
    throw Unexpected(description: "the link was opened")
  }

  func characteristic(_ short: String) throws -> FakeCharacteristic {
    try #require(device.characteristic(FakeService.uuid(short)))
  }

  struct Unexpected: Error, CustomStringConvertible {
    var description: String
  }
}

extension Scene {
  /// Moves the clock on until `body` has ended, for calls that wait for one instant after another.
  ///
  /// Ten milliseconds, or `step`, for each answer of the fake: with a clock that runs free, what waits for an answer would run out of
  /// time while the bus, which runs by the real one, is still at it.
  func run<Value: Sendable>(
    _ clock: ManualClock, by step: Duration = .milliseconds(10),
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let end = BootClock().now.advanced(by: .seconds(60))
    let pace = try await DBusConnection.connect(to: fake.address, clock: BootClock(), by: end)
    let isOver = Locked(false)
    let task = Task {
      defer { isOver.withLock { $0 = true } }
      return try await body()
    }
    while !isOver.withLock({ $0 }) {
      _ = try await pace.call(
        DBusCall(
          destination: BlueZName.service, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping"),
        by: end)
      clock.advance(by: step)
    }
    await pace.close()
    return try await task.value
  }
}

/// What was written to the log.
final class Notes: Sendable {
  private let lines = Locked<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func contain(_ part: String) -> Bool { lines.withLock { $0.contains { $0.contains(part) } } }
}

/// The error of a link's call.
func linkError(_ body: () async throws -> Void) async -> LinkError? {
  do { try await body() } catch { return error as? LinkError }
  return nil
}
