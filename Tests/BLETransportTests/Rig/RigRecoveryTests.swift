import ESCPOS
import PrintTestKit
import Testing

@testable import BLETransport

extension RigTests {
  @Suite("Recovering")
  struct RecoveryTests {
    /// The error with which an opening fails; nil when it does not.
    private func failure(
      _ bluez: BlueZ, _ printer: RigPrinter = .ble, by deadline: BootInstant
    ) async -> LinkError? {
      await linkError { await (try await open(bluez, printer, by: deadline)).close() }
    }

    /// Waits until bluez has begun so many looks for absent printers: all but the last were in vain.
    private func looks(_ count: Int, by bluez: BlueZ) async {
      var (begun, isLooking) = (0, false)
      for await tree in bluez.trees() {
        let looks = tree.adapters.values.contains(where: \.discovering)
        if looks, !isLooking { begun += 1 }
        if begun == count { break }
        isLooking = looks
      }
    }

    @Test(
      "A printer that is off is unreachable; when it is back it is seen, and prints",
      .timeLimit(.minutes(2)))
    func offAndOn() async throws {
      try await withBlueZ { bluez in
        let opener = BLELinkOpener(try RigPrinter.ble.configured(), bluez)
        // Known to bluetoothd, as after a day of work.
        await (try await opener.open(by: Rig.soon())).close()
        try await RigPrinter.ble.ctl("off")
        let error = await #expect(throws: LinkError.self) {
          _ = try await opener.open(by: Rig.soon(.seconds(5)))
        }
        #expect(error?.code == .unreachable)
        let clock = BootClock()
        let printed = Task {
          var sightings = opener.presence()?.makeAsyncIterator()
          while await sightings?.next() != nil {
            guard let link = try? await opener.open(by: Rig.soon(.seconds(8))) else { continue }
            try await link.send([0x10, 0x04, 1], by: Rig.soon())
            #expect(try await link.receive(by: Rig.soon()) == [0x12])
            return (clock.now, link)
          }
          throw Rig.Failure(description: "the printer was not seen")
        }
        await looks(2, by: bluez)
        let back = clock.now
        try await RigPrinter.ble.ctl("on")
        let (end, link) = try await printed.value
        print("printed", back.duration(to: end), "after it was back")
        await link.close()
      }
    }

    @Test(
      "A restart of bluetoothd loses the link, and the next opening works", arguments: ["restart", "kill"])
    func bluetoothdRestarts(verb: String) async throws {
      try await withBlueZ { bluez in
        let link = try await open(bluez)
        let receiving = Task { try await link.receive(by: Rig.soon()) }
        try await Rig.run("bluetoothd", [verb])
        let error = await #expect(throws: LinkError.self) { try await receiving.value }
        #expect(error?.code == .lost)
        await link.close()
        if verb == "kill" {
          let error = await failure(bluez, by: Rig.soon(.seconds(2)))
          try await Rig.run("bluetoothd", ["start"])
          #expect(error?.code == .unreachable)
        }
        let again = try await open(bluez)
        try await again.send([0x10, 0x04, 1], by: Rig.soon())
        #expect(try await again.receive(by: Rig.soon()) == [0x12])
        await again.close()
      }
    }

    @Test("An adapter that is unplugged loses the link; plugged in again, it is seen and works")
    func adapterReplugged() async throws {
      try await withBlueZ { bluez in
        let link = try await open(bluez)
        let opener = BLELinkOpener(try RigPrinter.ble.configured(), bluez)
        let adapter = RigPrinter(name: "adapter", address: "")
        try await adapter.ctl("unplug")
        let error = await linkError { _ = try await link.receive(by: Rig.soon()) }
        await link.close()
        let absent = await failure(bluez, by: Rig.soon(.seconds(4)))
        var sightings = opener.presence()?.makeAsyncIterator()
        // Nothing has thrown before: the tests to come need the adapter.
        try await adapter.ctl("plug")
        #expect(error?.code == .lost)
        #expect(absent?.code == .unreachable)
        #expect(await sightings?.next() != nil)
        let again = try await opener.open(by: Rig.soon())
        try await again.send([0x10, 0x04, 1], by: Rig.soon())
        #expect(try await again.receive(by: Rig.soon()) == [0x12])
        await again.close()
      }
    }

    @Test("A printer that does not tell its services is unreachable, and works when it does again")
    func servicesNeverResolve() async throws {
      // One that no other test connects: bluetoothd does not ask a printer for its services twice.
      try await withBlueZ { bluez in
        let connects = try await RigPrinter.issc.connects
        try await RigPrinter.issc.ctl("discovery", "off")
        let error = await failure(bluez, .issc, by: Rig.soon(.seconds(15)))
        try await RigPrinter.issc.ctl("discovery", "on")
        #expect(error?.code == .unreachable)
        #expect(try await RigPrinter.issc.connects > connects)
        let link = try await open(bluez, .issc)
        try await link.send([0x10, 0x04, 1], by: Rig.soon())
        #expect(try await link.receive(by: Rig.soon()) == [0x12])
        await link.close()
      }
    }
  }
}
