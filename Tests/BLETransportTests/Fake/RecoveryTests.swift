import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import Testing
import Threads

@testable import BLETransport

@Suite("bluetoothd, adapter and bus that go and come back", .timeLimit(.minutes(1)))
struct RecoveryTests {
  @Test("Nothing is opened before it is needed")
  func lazy() async throws {
    let scene = try await Scene()
    #expect(await scene.bluez.condition == .starting)
    #expect(await scene.bluez.bus == nil)
    #expect(scene.fake.calls.isEmpty)
  }

  @Test("When bluetoothd goes all links are lost; when it is back, the next opening works")
  func bluetoothdRestarts() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    let receiving = Task { _ = try await link.receive(by: scene.soon) }
    await scene.fake.leave()
    #expect(await linkError { try await receiving.value }?.code == .lost)
    await link.close()
    #expect(await scene.bluez.condition == .daemonAway)
    let error = try await scene.failure(by: scene.clock.now.advanced(by: .milliseconds(100)))
    #expect(error.code == .unreachable)
    #expect(error.message.contains("bluetoothd"))
    try await scene.fake.come()
    let again = try await scene.open()
    try await again.send([1], by: scene.soon)
    #expect(scene.paper.printed == [1])
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("The bus is asked to start a bluetoothd that does not run by the first who needs it")
  func startsDaemon() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "[D-BUS Service]\nName=org.bluez\nExec=/usr/bin/touch \(folder.path("asked"))\n",
      to: "org.bluez.service")
    let bus = try await PrivateBus("<servicedir>\(folder.path)</servicedir>")
    let clock = BootClock()
    let bluez = BlueZ(address: DBusAddress(bus.address), clock: clock)
    let soon = clock.now.advanced(by: .seconds(30))
    let error = await linkError { try await bluez.ready(by: soon) }
    #expect(error?.message.contains("bluetoothd is not running") == true)
    #expect(access(folder.path("asked"), F_OK) == 0)
    await bluez.stop(by: soon)
  }

  @Test("What must be registered is registered again with every bluetoothd")
  func registrations() async throws {
    let scene = try await Scene()
    let count = Locked(0)
    let bell = Bell(clock: BootClock())
    let id = await scene.bluez.addRegistration { _ in
      count.withLock { $0 += 1 }
      bell.ring()
    }
    try await scene.bluez.ready(by: scene.soon)
    #expect(count.withLock { $0 } == 1)
    await scene.fake.leave()
    try await scene.fake.come()
    _ = try await bell.wait(by: scene.soon) { count.withLock { $0 } == 2 }
    try await scene.bluez.ready(by: scene.soon)
    _ = await scene.bluez.addRegistration { _ in count.withLock { $0 += 10 } }
    #expect(count.withLock { $0 } == 12)
    await scene.bluez.removeRegistration(id)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("When the bus goes all links are lost, and a new connection is made when it is back")
  func busRestarts() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    let receiving = Task { _ = try await link.receive(by: scene.soon) }
    await scene.fake.bus.kill()
    #expect(await linkError { try await receiving.value }?.code == .lost)
    await link.close()
    let error = try await scene.failure(by: scene.clock.now.advanced(by: .milliseconds(100)))
    #expect(error.code == .unreachable)
    #expect(error.message.contains("message bus"))
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("An adapter that is switched off, or pulled out, loses its links")
  func adapterGoes() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    scene.adapter.setPowered(false)
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    await link.close()
    scene.adapter.setPowered(true)
    let again = try await scene.open()
    scene.adapter.unplug()
    #expect(await linkError { _ = try await again.receive(by: scene.soon) }?.code == .lost)
    await again.close()
    scene.adapter.plugIn()
    scene.device.appear()
    let third = try await scene.open()
    try await third.send([3], by: scene.soon)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A print service that the printer withdraws ends the link")
  func serviceGoes() async throws {
    let scene = try await Scene()
    let link = try await scene.open()
    scene.device.hideServices()
    #expect(await linkError { _ = try await link.receive(by: scene.soon) }?.code == .lost)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("An absent printer is looked for while somebody waits for it, and not longer")
  func presence() async throws {
    let scene = try await Scene()
    try await scene.bluez.ready(by: scene.soon)
    scene.device.vanish()
    let sightings = Task { () -> Presence? in
      var sightings = scene.bluez.presence(of: try scene.printer()).makeAsyncIterator()
      return await sightings.next()
    }
    await scene.fake.called("StartDiscovery")
    scene.device.appear()
    #expect(try await sightings.value == .seen)
    await scene.fake.called("StopDiscovery")
    let rests = try await scene.bluez.wait(by: scene.soon) { !$0.isScanning }
    #expect(rests)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("One that bluetoothd still knows is seen when it is received again")
  func presenceOfAKnownPrinter() async throws {
    let scene = try await Scene()
    try await scene.bluez.ready(by: scene.soon)
    let sightings = Task { () -> Presence? in
      var sightings = scene.bluez.presence(of: try scene.printer()).makeAsyncIterator()
      return await sightings.next()
    }
    await scene.fake.called("StartDiscovery")
    scene.device.appear(rssi: -71)
    #expect(try await sightings.value == .seen)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A cancelled wait for a printer ends, and with it the scan")
  func presenceCancelled() async throws {
    let scene = try await Scene()
    try await scene.bluez.ready(by: scene.soon)
    scene.device.vanish()
    let sightings = Task { () -> Presence? in
      var sightings = scene.bluez.presence(of: try scene.printer()).makeAsyncIterator()
      return await sightings.next()
    }
    await scene.fake.called("StartDiscovery")
    sightings.cancel()
    #expect(try await sightings.value == nil)
    await scene.fake.called("StopDiscovery")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "An adapter that comes back is worth a try, for both bearers", arguments: BluetoothPrinter.Bearer.allCases
  )
  func presenceOfAnAdapter(bearer: BluetoothPrinter.Bearer) async throws {
    let scene = try await Scene()
    scene.adapter.setPowered(false)
    try await scene.bluez.ready(by: scene.soon)
    let sightings = Task { () -> Presence? in
      var sightings = scene.bluez.presence(of: try scene.printer { $0.bearer = bearer }).makeAsyncIterator()
      return await sightings.next()
    }
    await Task.yield()
    scene.adapter.setPowered(true)
    #expect(try await sightings.value != nil)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A Classic printer cannot be seen: it is due to be called when its rest is over, and never sooner")
  func classicIsDue() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    let start = clock.now
    let sign = try await scene.run(clock) {
      try await scene.bluez.ready(by: scene.soon)
      var signs = scene.bluez.presence(of: try scene.printer { $0.bearer = .rfcomm }).makeAsyncIterator()
      return await signs.next()
    }
    #expect(sign == .due)
    #expect(start.duration(to: clock.now) >= .seconds(2))
    #expect(scene.fake.calls(of: "StartDiscovery").isEmpty)
    await scene.bluez.stop(by: scene.soon)
  }

  @Test(
    "While scans are held nothing is discovered; a held scan goes on after it, and connecting is not held up")
  func holds() async throws {
    let scene = try await Scene()
    let adapter = try await scene.bluez.adapter(nil, for: "test", by: scene.soon)
    let search = await scene.bluez.search(on: adapter, .le)
    await scene.fake.called("StartDiscovery")
    let hold = await scene.bluez.holdScans(by: scene.soon)
    #expect(await !scene.bluez.isScanning)
    #expect(!scene.adapter.isDiscovering)
    let link = try await scene.open()
    #expect(scene.fake.calls(of: "StartDiscovery").count == 1)
    await link.close()
    hold.release()
    await scene.fake.called("StartDiscovery", times: 2)
    search.end()
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A discovery that the adapter refuses is asked for again")
  func refusedDiscovery() async throws {
    let scene = try await Scene()
    scene.adapter.script { $0.startDiscovery = .bluez("Failed", "Operation failed") }
    let adapter = try await scene.bluez.adapter(nil, for: "test", by: scene.soon)
    let search = await scene.bluez.search(on: adapter, .le)
    await scene.fake.called("StartDiscovery")
    scene.adapter.script { $0.startDiscovery = nil }
    await scene.fake.called("StartDiscovery", times: 2)
    search.end()
    await scene.fake.called("StopDiscovery")
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A search whose beginning is answered too late is ended, since it may begin yet")
  func lateDiscovery() async throws {
    let clock = ManualClock()
    let scene = try await Scene(clock: clock)
    let far = BootInstant(nanoseconds: .max)
    let adapter = try await scene.bluez.adapter(nil, for: "test", by: far)
    scene.adapter.script { $0.startDiscoveryWaits = true }
    let search = await scene.bluez.search(on: adapter, .le)
    await scene.fake.called("StartDiscovery")
    search.end()
    clock.advance(by: .seconds(5))
    await scene.fake.called("StopDiscovery")
    scene.adapter.answerStartDiscovery()
    #expect(scene.adapter.isDiscovering)
    try await scene.run(clock) { await scene.fake.called("StopDiscovery", times: 2) }
    #expect(await !scene.bluez.isScanning)
    #expect(!scene.adapter.isDiscovering)
    await scene.bluez.stop(by: far)
  }
}
