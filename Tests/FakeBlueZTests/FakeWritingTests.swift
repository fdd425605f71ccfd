import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@Suite("The fake's characteristics and printers")
struct FakeWritingTests {
  private struct Bench {
    let fake: FakeBlueZ
    let device: FakeDevice
    let printer: FakePrinter
    let clock = ManualClock()
    let client: Client
    let write: FakeCharacteristic
    let notify: FakeCharacteristic

    init(_ script: FakePrinter.Script = .init()) async throws {
      fake = try await FakeBlueZ()
      printer = FakePrinter(clock: clock, script)
      device = fake.addAdapter().addDevice(
        "00:11:22:33:44:55", services: [.print, .access], printer: printer)
      client = try await Client(fake)
      _ = try await client.call(device.path, "Device1", "Connect")
      write = try #require(device.characteristic(FakeService.uuid("2af1")))
      notify = try #require(device.characteristic(FakeService.uuid("2af0")))
    }
  }

  @Test("BlueZ's refusals: too long, acquired, another request, no such way to write, no link")
  func refusals() async throws {
    let bench = try await Bench()
    let (client, write) = (bench.client, bench.write)
    func refused(_ count: Int, _ type: String?) async throws -> String? {
      await failure(try client.write(write.path, [UInt8](repeating: 1, count: count), type))
    }
    write.script { $0.mtu = 23 }
    #expect(try await refused(21, "command") == "org.bluez.Error.Failed: Failed to initiate write")
    #expect(try await refused(20, "command") == nil)
    // Longer than the MTU allows, a request becomes a long write.
    #expect(try await refused(21, "request") == nil)
    #expect(try await refused(513, "request") == "org.bluez.Error.InvalidArguments: Invalid Length")
    #expect(
      try await refused(1, "signed") == "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
    write.script { $0.isAcquired = true }
    #expect(try await refused(1, "command") == "org.bluez.Error.NotPermitted: Write acquired")
    write.script { $0.isAcquired = false }
    #expect(try await refused(1, nil) == nil)
    #expect(
      write.writes.last.map { [$0.type, "\($0.value)", "\($0.isExplicit)"] } == ["request", "[1]", "false"])
    #expect(bench.printer.printed.count == 42)
    bench.device.drop()
    #expect(try await refused(1, "command") == "org.bluez.Error.Failed: Not connected")
  }

  @Test("while a request is out every other write is in progress, and the link's end fails it")
  func inProgress() async throws {
    let bench = try await Bench()
    bench.write.script { $0.writing = { number, _ in number == 1 ? .waits(arrives: true) : .accepts } }
    #expect(await failure(try bench.client.write(bench.write.path, [0], "request")) == nil)
    let pending = try bench.client.write(bench.write.path, [1], "request")
    #expect(
      await failure(try bench.client.write(bench.write.path, [2], "command"))
        == "org.bluez.Error.InProgress: In Progress")
    bench.write.answerWrites()
    #expect(await failure(pending) == nil)
    #expect(await failure(try bench.client.write(bench.write.path, [3], "command")) == nil)
    #expect(bench.printer.printed == [0, 1, 3])
    bench.write.script { $0.writing = { _, _ in .waits(arrives: false) } }
    let open = try bench.client.write(bench.write.path, [4], "request")
    await bench.fake.called("WriteValue", times: 5)
    bench.device.drop()
    #expect(await failure(open) == "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
    #expect(bench.printer.printed == [0, 1, 3])
  }

  @Test("commands overflow a printer that is slow, requests wait for it")
  func overflow() async throws {
    var script = FakePrinter.Script()
    script.capacity = 100
    script.rate = 50
    let bench = try await Bench(script)
    for _ in 0..<3 {
      #expect(
        await failure(try bench.client.write(bench.write.path, [UInt8](repeating: 1, count: 40), "command"))
          == nil)
    }
    #expect(bench.printer.buffered.count == 100)
    #expect(bench.printer.lost == 20)
    let request = try bench.client.write(bench.write.path, [UInt8](repeating: 2, count: 50), "request")
    await bench.fake.called("WriteValue", times: 4)
    await bench.clock.sleepers(atLeast: 1)
    bench.clock.advance(by: .milliseconds(500))
    #expect(bench.printer.printed.count == 25)
    bench.clock.advance(by: .milliseconds(501))
    #expect(await failure(request) == nil)
    bench.device.drop()
    #expect(bench.printer.lost == 20 + 100)
    #expect(bench.printer.printed == [UInt8](repeating: 1, count: 50))
  }

  @Test("status commands are answered by notifications, in their turn, to whoever listens")
  func status() async throws {
    var script = FakePrinter.Script()
    script.rate = 10
    let bench = try await Bench(script)
    bench.notify.script { $0.notifying = .bluez("NotPermitted", "Notify refused") }
    #expect(
      await bench.client.error(bench.notify.path, "GattCharacteristic1", "StartNotify")
        == "NotPermitted: Notify refused")
    bench.notify.script { $0.notifying = nil }
    #expect(await bench.client.error(bench.notify.path, "GattCharacteristic1", "StartNotify") == nil)
    let job = [UInt8](repeating: 65, count: 7) + [0x1D, 0x72, 1, 0x10, 4]
    #expect(await failure(try bench.client.write(bench.write.path, job, "command")) == nil)
    #expect(await failure(try bench.client.write(bench.write.path, [1], "command")) == nil)
    await bench.clock.sleepers(atLeast: 1)
    bench.clock.advance(by: .seconds(2))
    #expect(bench.printer.printed == job + [1])
    _ = try await bench.client.call(
      bench.device.characteristic(FakeService.uuid("2a00"))?.path ?? "", "GattCharacteristic1", "ReadValue")
    let values = await bench.client.events().filter { $0.contains("Value=") }
    #expect(values == ["char0012 Value=[18]", "char0012 Value=[0]"])
  }

  @Test("a process id is given back once what came before it is on paper, however the command was cut up")
  func processID() async throws {
    let bench = try await Bench()
    _ = try await bench.client.call(bench.notify.path, "GattCharacteristic1", "StartNotify")
    for part in [[65, 0x1D, 0x28, 0x48], [6, 0, 0x30, 0x30, 0x20, 0x21], [0x22, 0x23]] as [[UInt8]] {
      #expect(await failure(try bench.client.write(bench.write.path, part, "command")) == nil)
    }
    bench.printer.script { $0.status?.hasProcessID = false }
    let command: [UInt8] = [0x1D, 0x28, 0x48, 6, 0, 0x30, 0x30, 0x24, 0x25, 0x26, 0x27]
    #expect(await failure(try bench.client.write(bench.write.path, command, "request")) == nil)
    let values = await bench.client.events().filter { $0.contains("Value=") }
    #expect(values == ["char0012 Value=[55, 34, 32, 33, 34, 35, 0]"])
  }
}
