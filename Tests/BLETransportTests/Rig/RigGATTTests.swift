import ESCPOS
import PrintTestKit
import Testing

@testable import BLETransport

@Suite("GATT links to the rig's printer", .enabled(if: Rig.isHere, "runs in the Bluetooth rig"), .serialized)
struct RigGATTTests {
  private let bluez = BlueZ(clock: BootClock(), note: { print("note:", $0) })

  @Test(
    "20,000 bytes arrive byte for byte, whatever the way of writing",
    arguments: BluetoothPrinter.WriteMode.allCases)
  func everyByteArrives(mode: BluetoothPrinter.WriteMode) async throws {
    try await RigPrinter.ble.ctl("clear")
    let printer = try RigPrinter.ble.configured { $0.writeMode = mode }
    let clock = BootClock()
    let begin = clock.now
    let link = try await BLELinkOpener(printer, bluez).open(by: Rig.soon())
    print(mode, "opened in", begin.duration(to: clock.now))
    let bytes = pattern(20_000)
    let start = clock.now
    try await link.send(bytes[...], by: Rig.soon())
    print(mode, "sent in", start.duration(to: clock.now))
    try await link.flush(by: Rig.soon())
    print(mode, "flushed in", start.duration(to: clock.now), (link as? GATTLink)?.state.withLock { $0.way } as Any)
    #expect(link.bytesAccepted == 20_000)
    #expect((link as? GATTLink)?.bytesAcknowledged == 20_000)
    let paper = try await RigPrinter.ble.paper(of: 20_000, by: Rig.soon())
    #expect(paper == bytes)
    #expect(link.hasBackChannel)
    let ask = clock.now
    try await link.send([0x10, 0x04, 0x01], by: Rig.soon())
    #expect(try await link.receive(by: Rig.soon()) == [0x12])
    print(mode, "answered in", ask.duration(to: clock.now))
    await link.close()
    await bluez.stop(by: Rig.soon())
  }
}
