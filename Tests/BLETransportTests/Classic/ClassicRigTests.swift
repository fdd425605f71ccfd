import DBus
import ESCPOS
import Glibc
import PrintTestKit
import Testing

@testable import BLETransport

/// Classic links over the real bluetoothd, the real kernel and virtual printers; Tests/Rig/README.md says how to run them.
@Suite(
  "A Classic printer in the rig", .enabled(if: getenv("RIG") != nil), .serialized, .timeLimit(.minutes(3)))
struct ClassicRigTests {
  static let spp = ClassicRigPrinter(name: "spp", address: "00:AA:01:02:00:42")
  static let pin = ClassicRigPrinter(name: "pin", address: "00:AA:01:03:00:42")

  private let clock = BootClock()
  private let bluez = BlueZ(clock: BootClock(), note: { print("note:", $0) })
  private func soon(_ seconds: Int = 20) -> BootInstant { clock.now.advanced(by: .seconds(seconds)) }

  private func job(_ count: Int) -> [UInt8] {
    // No DLE EOT, which a printer answers.
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }.map { $0 == 0x10 ? 0x11 : $0 }
  }

  /// Lets bluetoothd find the printer, as a user would who looks for it.
  private func discover(_ printer: BluetoothPrinter) async throws {
    let adapter = try await bluez.adapter(nil, for: printer.title, by: soon())
    let search = await bluez.search(on: adapter, .classic)
    for await tree in bluez.trees() where tree.device(printer.address, on: adapter.path) != nil { break }
    search.end()
  }

  /// Waits for the link that is under all RFCOMM links to end, some seconds after the last of them.
  private func parted(_ printer: BluetoothPrinter) async throws {
    try await bluez.ready(by: soon())
    for await tree in bluez.trees() where !tree.devices.values.contains(where: \.connected) { break }
  }

  private func open(_ printer: BluetoothPrinter, by deadline: BootInstant? = nil) async throws -> RFCOMMLink {
    let start = clock.now
    let link = try await RFCOMMLinkOpener(printer, bluez).open(by: deadline ?? soon())
    let rfcomm = try #require(link as? RFCOMMLink)
    print("\(printer.title): \(rfcomm.way) in \(start.duration(to: clock.now))")
    return rfcomm
  }

  private func failure(_ printer: BluetoothPrinter, by deadline: BootInstant) async -> LinkError? {
    let start = clock.now
    defer { print("\(printer.title): failed after \(start.duration(to: clock.now))") }
    do {
      _ = try await RFCOMMLinkOpener(printer, bluez).open(by: deadline)
      return nil
    } catch {
      print(error)
      return error
    }
  }

  @Test("prints 20,000 bytes, every one of them, by bluetoothd and by the socket", arguments: [spp, pin])
  func everyByte(_ rig: ClassicRigPrinter) async throws {
    try await rig.ctl("clear")
    var printer = try rig.printer
    // bluetoothd does not know it yet.
    for way in [RFCOMMLink.Way.socket, .bluetoothd, .socket] {
      if way == .bluetoothd { try await discover(printer) }
      let link = try await open(printer)
      #expect(link.way == way)
      try await link.send([0x10, 0x04, 0x04], by: soon())
      #expect(try await link.receive(by: soon()) == [0x12])
      try await rig.ctl("clear")
      let start = clock.now
      try await link.send(job(20_000)[...], by: soon())
      try await link.flush(by: soon())
      print("sent and flushed in \(start.duration(to: clock.now))")
      #expect(link.bytesAccepted == 20_003)
      #expect(try await rig.paper(of: 20_000) == job(20_000))
      await link.close()
      try await rig.ctl("clear")
      if way == .bluetoothd { printer.channel = 3 }
    }
    await bluez.stop(by: soon())
  }

  @Test("that stalls stops the sender, and has everything when it goes on")
  func stall() async throws {
    let rig = Self.spp
    let printer = try rig.printer
    try await rig.ctl("clear")
    let link = try await open(printer)
    try await rig.ctl("stall")
    let bytes = job(200_000)
    let error = await #expect(throws: LinkError.self) { try await link.send(bytes[...], by: soon(3)) }
    #expect(error?.code == .deadline)
    print("accepted \(link.bytesAccepted) while stalled")
    #expect(link.bytesAccepted < 100_000)
    let late = await #expect(throws: LinkError.self) { try await link.flush(by: soon(1)) }
    #expect(late?.code == .deadline)
    try await rig.ctl("flow")
    try await link.send(bytes[link.bytesAccepted...], by: soon())
    try await link.flush(by: soon())
    #expect(try await rig.paper(of: bytes.count) == bytes)
    await link.close()
    await bluez.stop(by: soon())
  }

  @Test("that stalls for good does not keep the next link from being opened", arguments: [true, false])
  func stallForGood(isKnown: Bool) async throws {
    let rig = Self.spp
    var printer = try rig.printer
    if isKnown { try await discover(printer) } else { printer.channel = 3 }
    let first = try await open(printer)
    try await rig.ctl("stall")
    await #expect(throws: LinkError.self) { try await first.send(job(200_000)[...], by: soon(2)) }
    await first.close()
    let second = try await open(printer)
    try await rig.ctl("flow")
    try await rig.ctl("clear")
    try await second.send(job(1_000)[...], by: soon())
    try await second.flush(by: soon())
    #expect(try await rig.paper(of: 1_000) == job(1_000))
    await second.close()
    await bluez.stop(by: soon())
  }

  @Test("that drops the link in the middle of a job is lost, and can be opened again")
  func drop() async throws {
    let rig = Self.spp
    let printer = try rig.printer
    try await discover(printer)
    for way in [RFCOMMLink.Way.bluetoothd, .socket] {
      var printer = printer
      if way == .socket { printer.channel = 3 }
      try await rig.ctl("rate", "20000")
      let link = try await open(printer)
      #expect(link.way == way)
      let bytes = job(200_000)
      let deadline = soon()
      let sending = Task { try await link.send(bytes[...], by: deadline) }
      let hearing = Task { try await link.receive(by: deadline) }
      _ = try await rig.paper(of: 5_000)
      try await rig.ctl("drop")
      for result in [await sending.result.map { [] }, await hearing.result] {
        let error = #expect(throws: LinkError.self) { try result.get() }
        #expect(error?.code == .lost)
      }
      let end = await #expect(throws: LinkError.self) { try await link.flush(by: deadline) }
      #expect(end?.code == .lost)
      #expect((1..<bytes.count).contains(link.bytesAccepted))
      await link.close()
      try await rig.ctl("rate", "0")
      try await rig.ctl("clear")
    }
    let link = try await open(printer)
    try await link.send(job(1_000)[...], by: soon())
    #expect(try await rig.paper(of: 1_000) == job(1_000))
    await link.close()
    await bluez.stop(by: soon())
  }

  @Test("that is off does not answer; when it is on again it prints", arguments: [false, true])
  func offAndOn(isKnown: Bool) async throws {
    let rig = Self.spp
    var printer = try rig.printer
    if isKnown { try await discover(printer) } else { printer.channel = 3 }
    try await parted(printer)
    try await rig.ctl("off")
    #expect(await failure(printer, by: soon(30))?.code == .unreachable)
    #expect(await failure(printer, by: soon(2))?.code != nil)
    try await rig.ctl("on")
    try await rig.ctl("clear")
    let link = try await open(printer)
    try await link.send(job(1_000)[...], by: soon())
    #expect(try await rig.paper(of: 1_000) == job(1_000))
    await link.close()
    await bluez.stop(by: soon())
  }

  @Test("is opened and closed 25 times in a row, by either way", arguments: [true, false])
  func reopen(isKnown: Bool) async throws {
    let rig = Self.spp
    var printer = try rig.printer
    if isKnown { try await discover(printer) } else { printer.channel = 3 }
    for round in 1...25 {
      try await rig.ctl("clear")
      let link = try await open(printer)
      #expect(link.way == (isKnown ? .bluetoothd : .socket))
      try await link.send(job(2_000)[...], by: soon())
      await link.close()
      #expect(try await rig.paper(of: 2_000) == job(2_000), "round \(round)")
    }
    await bluez.stop(by: soon())
  }

  @Test("is reached by the socket while another process has the Serial Port, and by bluetoothd afterwards")
  func taken() async throws {
    let rig = Self.spp
    let printer = try rig.printer
    try await discover(printer)
    let other = try await DBusConnection.connect(to: .system, clock: clock, by: soon())
    _ = try await other.call(
      DBusCall(
        destination: BlueZName.service, path: BlueZName.root, interface: BlueZName.profileManager,
        member: "RegisterProfile",
        arguments: [.objectPath("/other"), .string(BluetoothUUID.serialPort.full), .variants([:])]),
      by: soon())
    try await rig.ctl("clear")
    var link = try await open(printer)
    #expect(link.way == .socket)
    try await link.send(job(20_000)[...], by: soon())
    #expect(try await rig.paper(of: 20_000) == job(20_000))
    await link.close()
    await other.close()
    link = try await open(printer)
    #expect(link.way == .bluetoothd)
    await link.close()
    await bluez.stop(by: soon())
  }

  @Test("is reached by bluetoothd again after that has started anew")
  func restarted() async throws {
    let rig = Self.spp
    let printer = try rig.printer
    try await discover(printer)
    var link = try await open(printer)
    #expect(link.way == .bluetoothd)
    await link.close()
    let child = try ChildProcess("\(ClassicRigPrinter.folder)/bluetoothd", ["restart"], output: "/dev/null")
    #expect(await child.end == .exit(0))
    try await discover(printer)
    link = try await open(printer)
    #expect(link.way == .bluetoothd)
    await link.close()
    await bluez.stop(by: soon())
  }

  @Test("whose service has moved to another channel is found there")
  func moved() async throws {
    let rig = Self.spp
    var printer = try rig.printer
    printer.channel = 3
    try await rig.ctl("channel", "5")
    try await rig.ctl("clear")
    let link = try await open(printer)
    try await link.send(job(1_000)[...], by: soon())
    #expect(try await rig.paper(of: 1_000) == job(1_000))
    await link.close()
    try await rig.ctl("channel", "3")
    await bluez.stop(by: soon())
  }
}

/// A virtual printer of the rig.
struct ClassicRigPrinter: CustomTestStringConvertible, Sendable {
  static let folder = getenv("RIG").map { String(cString: $0) } ?? ""

  var name: String
  var address: String
  var testDescription: String { name }

  struct Failure: Error { var words: String }

  var printer: BluetoothPrinter {
    get throws {
      BluetoothPrinter(name: name, address: try #require(BluetoothAddress(address)), bearer: .rfcomm)
    }
  }

  func ctl(_ words: String...) async throws {
    let folder = try TemporaryFolder()
    let child = try ChildProcess(
      "\(Self.folder)/printer-ctl", [name] + words, output: "\(folder.path)/output")
    guard await child.end == .exit(0) else {
      throw Failure(
        words: "printer-ctl \(name) \(words): \(try Fixtures.text(ofFile: "\(folder.path)/output"))")
    }
  }

  /// What has arrived, once that is `count` bytes; less after 20 s.
  func paper(of count: Int) async throws -> [UInt8] {
    let path = "\(getenv("RIG_OUT").map { String(cString: $0) } ?? "")/\(name).bin"
    var paper: [UInt8] = []
    for _ in 0..<1_000 where paper.count < count {
      try await Task.sleep(for: .milliseconds(20))
      guard let file = fopen(path, "rb") else { continue }
      defer { fclose(file) }
      paper = [UInt8](repeating: 0, count: count + 1)
      paper.removeLast(paper.count - fread(&paper, 1, paper.count, file))
    }
    return paper
  }
}
