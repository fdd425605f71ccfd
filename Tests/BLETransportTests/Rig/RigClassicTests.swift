import DBus
import ESCPOS
import PrintTestKit
import Testing

@testable import BLETransport

extension RigTests {
  @Suite("A Classic printer", .timeLimit(.minutes(3)))
  struct ClassicTests {
    @Test(
      "prints 20,000 bytes, every one of them, by bluetoothd and by the socket",
      arguments: [RigPrinter.spp, .pin])
    func everyByte(_ rig: RigPrinter) async throws {
      try await withClassic(rig) { scene in
        try await scene.forget()
        for way in [RFCOMMLink.Way.socket, .bluetoothd, .socket] {
          if way == .bluetoothd { try await scene.discover() }
          let link = try await scene.open()
          #expect(link.way == way)
          try await link.send([0x10, 0x04, 0x04], by: Rig.soon())
          #expect(try await link.receive(by: Rig.soon()) == [0x12])
          try await rig.ctl("clear")
          try await link.send(job(20_000)[...], by: Rig.soon())
          try await link.flush(by: Rig.soon())
          #expect(link.bytesAccepted == 20_003)
          #expect(try await rig.paper(of: 20_000) == job(20_000))
          await link.close()
          try await rig.ctl("clear")
          if way == .bluetoothd { scene.printer.channel = 3 }
        }
      }
    }

    @Test("that stalls stops the sender, and has everything when it goes on")
    func stall() async throws {
      try await withClassic { scene in
        let link = try await scene.open()
        try await scene.rig.ctl("stall")
        let bytes = job(200_000)
        let error = await #expect(throws: LinkError.self) {
          try await link.send(bytes[...], by: Rig.soon(.seconds(3)))
        }
        #expect(error?.code == .deadline)
        #expect(link.bytesAccepted < 100_000)
        let late = await #expect(throws: LinkError.self) { try await link.flush(by: Rig.soon(.seconds(1))) }
        #expect(late?.code == .deadline)
        try await scene.rig.ctl("flow")
        try await link.send(bytes[link.bytesAccepted...], by: Rig.soon())
        try await link.flush(by: Rig.soon())
        #expect(try await scene.rig.paper(of: bytes.count) == bytes)
        await link.close()
      }
    }

    @Test("that stalls for good does not keep the next link from being opened", arguments: [true, false])
    func stallForGood(isKnown: Bool) async throws {
      try await withClassic(isKnown: isKnown) { scene in
        let first = try await scene.open()
        try await scene.rig.ctl("stall")
        await #expect(throws: LinkError.self) {
          try await first.send(job(200_000)[...], by: Rig.soon(.seconds(2)))
        }
        await first.close()
        let second = try await scene.open()
        try await scene.rig.ctl("flow")
        try await scene.rig.ctl("clear")
        try await second.send(job(1_000)[...], by: Rig.soon())
        try await second.flush(by: Rig.soon())
        #expect(try await scene.rig.paper(of: 1_000) == job(1_000))
        await second.close()
      }
    }

    @Test(
      "that drops the link in the middle of a job is lost, and can be opened again", arguments: [true, false])
    func drop(isKnown: Bool) async throws {
      try await withClassic(isKnown: isKnown) { scene in
        try await scene.rig.ctl("rate", "20000")
        let link = try await scene.open()
        #expect(link.way == (isKnown ? .bluetoothd : .socket))
        let bytes = job(200_000)
        let deadline = Rig.soon()
        let sending = Task { try await link.send(bytes[...], by: deadline) }
        let hearing = Task { try await link.receive(by: deadline) }
        _ = try await scene.rig.paper(of: 5_000)
        try await scene.rig.ctl("drop")
        for result in [await sending.result.map { [] }, await hearing.result] {
          let error = #expect(throws: LinkError.self) { try result.get() }
          #expect(error?.code == .lost)
        }
        let end = await #expect(throws: LinkError.self) { try await link.flush(by: deadline) }
        #expect(end?.code == .lost)
        #expect((1..<bytes.count).contains(link.bytesAccepted))
        await link.close()
        try await scene.rig.ctl("rate", "0")
        try await scene.rig.ctl("clear")
        try await scene.prints()
      }
    }

    @Test("that is off does not answer; when it is on again it prints", arguments: [false, true])
    func offAndOn(isKnown: Bool) async throws {
      try await withClassic(isKnown: isKnown) { scene in
        try await scene.parted()
        try await scene.rig.ctl("off")
        #expect(await scene.failure(by: Rig.soon(.seconds(30)))?.code == .unreachable)
        #expect(await scene.failure(by: Rig.soon(.seconds(2))) != nil)
        try await scene.rig.ctl("on")
        try await scene.prints()
      }
    }

    @Test("is opened and closed 25 times in a row, by either way", arguments: [true, false])
    func reopen(isKnown: Bool) async throws {
      try await withClassic(isKnown: isKnown) { scene in
        for round in 1...25 {
          try await scene.rig.ctl("clear")
          let link = try await scene.open()
          #expect(link.way == (isKnown ? .bluetoothd : .socket))
          try await link.send(job(2_000)[...], by: Rig.soon())
          await link.close()
          #expect(try await scene.rig.paper(of: 2_000) == job(2_000), "round \(round)")
        }
      }
    }

    @Test("is reached by the socket while another process has the Serial Port, and by bluetoothd afterwards")
    func taken() async throws {
      try await withClassic(isKnown: true) { scene in
        let other = try await DBusConnection.connect(to: .system, clock: BootClock(), by: Rig.soon())
        _ = try await other.call(
          DBusCall(
            destination: BlueZName.service, path: BlueZName.root, interface: BlueZName.profileManager,
            member: "RegisterProfile",
            arguments: [.objectPath("/other"), .string(BluetoothUUID.serialPort.full), .variants([:])]),
          by: Rig.soon())
        try await scene.prints(20_000, by: .socket)
        // bluetoothd is told by the bus when we are.
        let watch = try await DBusConnection.connect(to: .system, clock: BootClock(), by: Rig.soon())
        var changes = try await watch.signals(.ownerChanges(of: other.uniqueName), by: Rig.soon())
          .makeAsyncIterator()
        await other.close()
        #expect(await changes.next() != nil)
        await watch.close()
        try await scene.prints(by: .bluetoothd)
      }
    }

    @Test("is reached by bluetoothd again after that has started anew")
    func restarted() async throws {
      try await withClassic(isKnown: true) { scene in
        try await scene.prints(by: .bluetoothd)
        let old = await scene.bluez.owner
        try await Rig.run("bluetoothd", ["restart"])
        try await scene.until("bluetoothd anew") { $0.owner != nil && $0.owner != old }
        try await scene.discover()
        try await scene.prints(by: .bluetoothd)
      }
    }

    @Test("whose records bluetoothd is reading already is not hung up on, and prints")
    func recordsRead() async throws {
      try await withClassic(isKnown: true) { scene in
        let connects = try await scene.rig.connects
        try await scene.rig.ctl("records", "300")
        let path = try await scene.device().path
        let reading = try await scene.read()
        try await scene.until("connected") { $0.tree.devices[path]?.connected == true }
        try await scene.prints()
        #expect(try await scene.rig.connects == connects + 1)
        await reading.value
        try await scene.rig.ctl("records", "0")
      }
    }

    @Test("whose records bluetoothd reads for ever is free for others after our link")
    func readForEver() async throws {
      try await withClassic(isKnown: true) { scene in
        try await scene.prints(by: .bluetoothd)
        try await scene.parted()
        // bluetoothd reads once more what it has read before, and is not done with that here when the link is open.
        try await scene.rig.ctl("records", "600")
        let link = try await scene.open()
        #expect(link.way == .bluetoothd)
        try await scene.rig.ctl("records", "600000")
        try await scene.rig.ctl("clear")
        let bytes = job(1_000)
        try await link.send(bytes[...], by: Rig.soon())
        #expect(try await scene.rig.paper(of: bytes.count) == bytes)
        await link.close()
        let closed = BootClock().now
        try await scene.parted(by: Rig.soon(BlueZ.remainTime + .seconds(20)))
        // The kernel alone would have ended it after 4 s, had there been nothing to read.
        #expect(closed.duration(to: BootClock().now) >= BlueZ.remainTime)
        try await scene.rig.ctl("records", "0")
      }
    }

    @Test("whose records never come is reached by the socket")
    func noRecords() async throws {
      try await withClassic(isKnown: true) { scene in
        try await scene.rig.ctl("records", "600000")
        try await scene.prints(by: .socket)
        try await scene.rig.ctl("records", "0")
      }
    }

    @Test("whose service has moved to another channel is found there")
    func moved() async throws {
      try await withClassic(isKnown: false) { scene in
        try await scene.rig.ctl("channel", "5")
        try await scene.prints()
        try await scene.rig.ctl("channel", "3")
      }
    }
  }
}
