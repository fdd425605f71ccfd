import Curl
import FakeBlueZ
import Glibc
import PrintTestKit
import Testing
import VirtualPrinter

@testable import printd

@Suite("A command that a signal ends lets go of the printer", .timeLimit(.minutes(2)))
struct InterruptionTests {
  /// What the command is at.
  enum Stage: CaseIterable {
    case connecting, listening, printing

    /// Makes the printer stand still there.
    ///
    /// - Returns: What waits until the command is there.
    func arrange(_ device: FakeDevice, of fake: FakeBlueZ) throws -> @Sendable () async -> Void {
      switch self {
      case .connecting:
        device.script { $0.connecting = [.waits] }
        return { await fake.called("Connect") }
      case .listening:
        try #require(device.characteristic(FakeService.uuid("2af0"))).script { $0.forgetsNotify = 1 }
        return { await fake.called("StartNotify") }
      case .printing:
        let (pages, page) = AsyncStream<Void>.makeStream()
        try #require(device.characteristic(FakeService.uuid("2af1"))).script {
          // Questions are short; a page comes in whole chunks.
          $0.writing = { _, value in
            guard value.count >= 100 else { return .accepts }
            page.yield()
            return .waits(arrives: true)
          }
        }
        return { for await _ in pages { return } }
      }
    }
  }

  /// A machine without a daemon, and with a BLE printer that is configured.
  private static func machine() async throws -> (machine: PrintersCommandTests.Machine, device: FakeDevice) {
    let machine = try await PrintersCommandTests.Machine(
      printers:
        #"{name: "belt", link: "ble", address: "\#(PrintersCommandTests.address)", profile: "generic-58"}"#)
    return (machine, PrintersCommandTests.addPrinter(to: machine).device)
  }

  private static func interrupt(_ words: [String], by signal: Int32, at stage: Stage) async throws {
    let (machine, device) = try await machine()
    let isThere = try stage.arrange(device, of: machine.fake)
    let command = try machine.start(words)
    await isThere()
    command.child.send(signal)
    await machine.fake.called("Disconnect")
    let (code, output) = try await command.end
    #expect(code == ExitCode.temporary.rawValue, "\(output)")
    #expect(output.hasSuffix("printd \(words[0]): stopped\n"), "\(output)")
    #expect(!device.isConnected)
  }

  @Test(
    "test-print, whether it connects, begins to listen, or is in mid-page", arguments: [SIGINT, SIGTERM],
    Stage.allCases)
  func testPrint(_ signal: Int32, _ stage: Stage) async throws {
    try await Self.interrupt(["test-print"], by: signal, at: stage)
  }

  @Test(
    "printers doctor and doctor", arguments: [["printers", "doctor"], ["doctor"]],
    [Stage.connecting, .listening])
  func doctor(_ words: [String], _ stage: Stage) async throws {
    try await Self.interrupt(words, by: SIGINT, at: stage)
  }

  @Test("test-print at a network printer that stands nearly still in mid-page")
  func network() async throws {
    let counter = try NetworkPrinter {
      $0.printsSlowly()
      $0.bytesPerSecond = 4
    }
    let folder = try TemporaryFolder()
    let config = try folder.write(
      """
      {printers: [\(counter.entry())], orders: {directory: "orders"}, control: {socket: "\(folder.path("control.sock"))"}}
      """, to: "printd.json5")
    let output = folder.path("output")
    let child = try ChildProcess(
      Programs.path("printd"), ["test-print", "--config", config], output: output)
    try await DaemonRig.until { counter.printer.bufferedBytes >= 64 }
    child.send(SIGINT)
    #expect(await child.end == .exit(ExitCode.temporary.rawValue))
    #expect(try Fixtures.text(ofFile: output).hasSuffix("printd test-print: stopped\n"))
    counter.server.stop()
  }

  @Test("pair in its test page: the entry is there, and the daemon that runs has read it")
  func pair() async throws {
    let machine = try await BesideDaemonTests.Machine()
    #expect(unlink(machine.rig.folder.path("printers.d/belt.json5")) == 0)
    #expect(try await machine.rig.ask(.post, "/v1/reload").status == 200)
    let isThere = try Stage.printing.arrange(machine.device, of: machine.fake)
    let before = machine.fake.calls(of: "Disconnect").count
    let pairing = try machine.start(["pair", BesideDaemonTests.Machine.address, "--yes"])
    await isThere()
    pairing.child.send(SIGINT)
    let (code, output) = try await pairing.end
    #expect(code == ExitCode.temporary.rawValue, "\(output)")
    #expect(output.contains("the test page: stopped"), "\(output)")
    #expect(output.contains("the daemon has read it: mpt-ii is ready"), "\(output)")
    #expect(!output.contains("no daemon is running"), "\(output)")
    #expect(machine.fake.calls(of: "Disconnect").count > before)
    let status = try await machine.rig.read(StatusMessage.self, .get, "/v1/status")
    #expect(status.printers.map(\.name) == ["mpt-ii"])
    await machine.rig.stop()
  }
}
