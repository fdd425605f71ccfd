import ESCPOS
import PrintTestKit
import Testing

@testable import BLETransport

extension RigTests {
  @Suite("GATT links to its printer")
  struct GATTTests {
    @Test(
      "What is sent arrives byte for byte, whatever the way of writing and the MTU",
      arguments: BluetoothPrinter.WriteMode.allCases, [517, 185, 23])
    func everyByteArrives(mode: BluetoothPrinter.WriteMode, mtu: Int) async throws {
      try await withBlueZ { bluez in
        try await RigPrinter.ble.ctl("clear")
        try await RigPrinter.ble.ctl("mtu", "\(mtu)")
        let link = try await open(bluez) { $0.writeMode = mode }
        // A request a chunk of 20 bytes takes long on a machine with much to do.
        let bytes = pattern(mtu == 23 ? 4_000 : 20_000)
        #expect(link.chunk == min(mtu - 3, 244))
        try await link.send(bytes[...], by: Rig.soon())
        #expect(link.bytesAccepted == bytes.count)
        try await link.flush(by: Rig.soon())
        #expect(link.bytesAcknowledged == bytes.count)
        #expect(try await RigPrinter.ble.paper(of: bytes.count, by: Rig.soon()) == bytes)
        await link.close()
      }
    }

    @Test("The printer's answers come back")
    func answersComeBack() async throws {
      try await withBlueZ { bluez in
        let link = try await open(bluez)
        #expect(link.hasBackChannel)
        for question in 1...4 {
          try await link.send([0x10, 0x04, UInt8(question)], by: Rig.soon())
          #expect(try await link.receive(by: Rig.soon()) == [0x12])
        }
        await link.close()
      }
    }

    @Test("A slow printer loses nothing, though its buffer holds a fifth of the data")
    func aSlowPrinterLosesNothing() async throws {
      try await withBlueZ { bluez in
        try await RigPrinter.ble.ctl("clear")
        try await RigPrinter.ble.ctl("speed", "8000")
        let link = try await open(bluez) { $0.bytesPerSecond = 8_000 }
        let bytes = pattern(20_000)
        try await link.send(bytes[...], by: Rig.soon())
        try await link.flush(by: Rig.soon())
        #expect(link.bytesAcknowledged == bytes.count)
        #expect(try await RigPrinter.ble.paper(of: bytes.count, by: Rig.soon()) == bytes)
        await link.close()
      }
    }

    @Test("A printer that stops in the middle holds the sender, and loses nothing when it goes on")
    func aStalledPrinterHoldsTheSender() async throws {
      try await withBlueZ { bluez in
        try await RigPrinter.ble.ctl("clear")
        let link = try await open(bluez) { $0.bytesPerSecond = 8_000 }
        let bytes = pattern(20_000)
        try await link.send(bytes.prefix(5_000), by: Rig.soon())
        try await RigPrinter.ble.ctl("stall")
        let sending = Task { try await link.send(bytes.dropFirst(5_000), by: Rig.soon()) }
        #expect(try await RigPrinter.ble.ctl("filled", "20") == "true\n")
        // What goes on sending now, finds no room.
        #expect(link.bytesAccepted < 5_000 + 2 * 4_096)
        try await RigPrinter.ble.ctl("flow")
        try await sending.value
        try await link.flush(by: Rig.soon())
        #expect(try await RigPrinter.ble.paper(of: bytes.count, by: Rig.soon()) == bytes)
        await link.close()
      }
    }

    @Test("A deadline ends the wait for a stalled printer, and what was handed over counts")
    func aDeadlineEndsTheWait() async throws {
      try await withBlueZ { bluez in
        let link = try await open(bluez) { $0.writeMode = .requests }
        try await link.send(pattern(100)[...], by: Rig.soon())
        try await RigPrinter.ble.ctl("buffer", "0")
        try await RigPrinter.ble.ctl("stall")
        let error = await #expect(throws: LinkError.self) {
          try await link.send(pattern(20_000)[...], by: Rig.soon(.seconds(2)))
        }
        #expect(error?.code == .deadline)
        #expect(link.bytesAccepted > 100)
        #expect(link.bytesAcknowledged < link.bytesAccepted)
        await link.close()
      }
    }

    @Test("A dropped link is lost for all who wait, and the next opening works at once")
    func aDroppedLinkIsLost() async throws {
      try await withBlueZ { bluez in
        for _ in 1...3 {
          let link = try await open(bluez)
          let receiving = Task { try await link.receive(by: Rig.soon()) }
          try await RigPrinter.ble.ctl("drop")
          let error = await #expect(throws: LinkError.self) { try await receiving.value }
          #expect(error?.code == .lost)
          let late = await #expect(throws: LinkError.self) { try await link.send([1], by: Rig.soon()) }
          #expect(late?.code == .lost)
          #expect(link.bytesAccepted == 0)
          await link.close()
        }
        let link = try await open(bluez)
        try await link.send([0x10, 0x04, 1], by: Rig.soon())
        #expect(try await link.receive(by: Rig.soon()) == [0x12])
        await link.close()
      }
    }

    @Test("A link that was closed can be opened again right after")
    func closedAndOpened() async throws {
      try await withBlueZ { bluez in
        for _ in 1...3 {
          let link = try await open(bluez)
          try await link.send([0x10, 0x04, 1], by: Rig.soon())
          #expect(try await link.receive(by: Rig.soon()) == [0x12])
          await link.close()
        }
      }
    }

    @Test("A printer that refuses notifications is printed to without a back channel")
    func refusedNotifications() async throws {
      try await withBlueZ { bluez in
        try await RigPrinter.ble.ctl("clear")
        try await RigPrinter.ble.ctl("notify", "off")
        let link = try await open(bluez)
        #expect(!link.hasBackChannel)
        let bytes = pattern(3_000)
        try await link.send(bytes[...], by: Rig.soon())
        try await link.flush(by: Rig.soon())
        #expect(try await RigPrinter.ble.paper(of: bytes.count, by: Rig.soon()) == bytes)
        await link.close()
      }
    }

    @Test("A printer that takes data from paired hosts only prints nothing, and the pairing is named")
    func pairedHostsOnly() async throws {
      try await withBlueZ { bluez in
        let link = try await open(bluez, .bond)
        let error = await #expect(throws: LinkError.self) {
          try await link.send(pattern(1_000)[...], by: Rig.soon())
        }
        #expect(error?.message.contains("printd printers pair 00:AA:01:05:00:42") == true)
        #expect(link.bytesAccepted <= 244)
        #expect(link.bytesAcknowledged == 0)
        #expect(try RigPrinter.bond.paper.isEmpty)
        await link.close()
      }
    }
  }
}
