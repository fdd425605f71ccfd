import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import Testing

@testable import BLETransport

/// Other programs' discoveries, which whoever speaks waits for, and cannot stop.
@Suite("The end of a scan of another program", .timeLimit(.minutes(1)))
struct ScanSilenceTests {
  private let clock = ManualClock()
  private let far = BootInstant(nanoseconds: .max)
  private var patience: BootInstant { clock.now.advanced(by: .seconds(1)) }

  /// Has the other program begin or end its scan, and returns when our side knows.
  private func scan(_ scene: Scene, _ isOn: Bool) async throws {
    scene.adapter.discover(isOn)
    _ = try await scene.bluez.wait(by: far) { $0.scanningAdapters.isEmpty != isOn }
  }

  @Test("is not looked for where nobody has asked for Bluetooth: not even the bus is opened")
  func unasked() async throws {
    let scene = try await Scene(clock: clock)
    scene.adapter.discover(true)
    await scene.bluez.scansHaveEnded(by: patience)
    #expect(await scene.bluez.bus == nil)
    #expect(scene.fake.calls.isEmpty)
  }

  @Test("is waited for as long as it takes, and no longer")
  func ends() async throws {
    let scene = try await Scene(clock: clock)
    try await scene.bluez.ready(by: far)
    await scene.bluez.scansHaveEnded(by: patience)
    try await scan(scene, true)
    let (bluez, deadline) = (scene.bluez, patience)
    let waiting = Task { await bluez.scansHaveEnded(by: deadline) }
    await clock.sleepers(atLeast: 1)
    // The clock stands: it is the end that is waited for.
    try await scan(scene, false)
    await waiting.value
    await scene.bluez.stop(by: far)
  }

  @Test("that does not come is waited for once; a scan that has ended, and begins again, is waited for again")
  func endures() async throws {
    let scene = try await Scene(clock: clock)
    try await scene.bluez.ready(by: far)
    let bluez = scene.bluez
    for _ in 0..<2 {
      try await scan(scene, true)
      let deadline = patience
      let waiting = Task { await bluez.scansHaveEnded(by: deadline) }
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
      await waiting.value
      // The clock stands from here.
      for _ in 0..<3 { await bluez.scansHaveEnded(by: patience) }
      try await scan(scene, false)
      await bluez.scansHaveEnded(by: patience)
    }
    await bluez.stop(by: far)
  }

  @Test("is looked for by who speaks alone, with nothing known before")
  func looking() async throws {
    let scene = try await Scene(clock: clock)
    scene.adapter.discover(true)
    let (bluez, deadline) = (scene.bluez, patience)
    let waiting = Task { await bluez.scansHaveEnded(by: deadline, looking: true) }
    _ = try await bluez.wait(by: far) { !$0.scanningAdapters.isEmpty }
    scene.adapter.discover(false)
    await waiting.value
    #expect(scene.fake.calls(of: "StopDiscovery").isEmpty)
    await bluez.stop(by: far)
  }

  @Test(
    "is over where there is no bluetoothd, which is not started to be asked, and no bus",
    arguments: [true, false])
  func nobody(hasBus: Bool) async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "[D-BUS Service]\nName=org.bluez\nExec=/usr/bin/touch \(folder.path("asked"))\n",
      to: "org.bluez.service")
    let bus = try await PrivateBus("<servicedir>\(folder.path)</servicedir>")
    if !hasBus { await bus.kill() }
    let bluez = BlueZ(address: DBusAddress(bus.address), clock: clock)
    // The clock stands.
    await bluez.scansHaveEnded(by: patience, looking: true)
    let condition = await bluez.condition
    if hasBus {
      #expect(condition == .daemonAway)
    } else {
      guard case .busAway = condition else {
        Issue.record("\(condition)")
        return
      }
    }
    #expect(access(folder.path("asked"), F_OK) != 0)
    await bluez.stop(by: far)
  }
}
