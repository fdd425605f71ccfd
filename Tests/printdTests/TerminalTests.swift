import DBus
import Documents
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Testing

@testable import printd

@Suite("On a terminal", .timeLimit(.minutes(2)))
struct TerminalTests {
  private typealias Machine = PrintersCommandTests.Machine

  @Test("pair asks for profile and name, and again when the answer is none; the entry is as answered")
  func pairAsks() async throws {
    let machine = try await Machine(
      printers: #"{name: "counter", link: "tcp", address: "10.0.0.1", profile: "generic-80"}"#)
    let (_, paper) = PrintersCommandTests.addPrinter(to: machine)
    let terminal = try machine.terminal("pair", PrintersCommandTests.address)
    try await terminal.expect("  1  generic-58")
    try await terminal.expect("  2  ")
    try await terminal.expect("Which profile? [1] ")
    terminal.type("99\n")
    try await terminal.expect("a number from 1 to ")
    try await terminal.expect("Which profile? [1] ")
    terminal.type("\n")
    try await terminal.expect("Its name in printd? [mpt-ii] ")
    terminal.type("the till\n")
    try await terminal.expect("without spaces and slashes, please")
    try await terminal.expect("Its name in printd? [mpt-ii] ")
    terminal.type("counter\n")
    try await terminal.expect("there is a printer of that name already")
    try await terminal.expect("Its name in printd? [mpt-ii] ")
    // The line is edited as on any terminal.
    terminal.type("tilly\u{7F}\n")
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    let entry = try #require(try machine.entries().first)
    #expect(entry.name == "till" && entry.profile == "generic-58")
    #expect(paper.printed.count > 1000, "the test page")
    let screen = terminal.screen
    #expect(screen.contains { $0.hasPrefix("printed a test page, and the printer says so") }, "\(screen)")
    #expect(!screen.contains { $0.hasPrefix("…") }, "what was going on is wiped away: \(screen)")
  }

  @Test(
    "pair takes the profile of the number that was typed, and asks for the PIN that none of the usual ones is"
  )
  func pairAsksForPIN() async throws {
    let machine = try await Machine()
    let (device, _) = PrintersCommandTests.addPrinter(to: machine, pairing: .pin("4711"))
    try #require(device.characteristic(FakeService.uuid("2af1"))).script { script in
      script.writing = { _, _ in
        device.value("Paired")?.boolean == true
          ? .accepts
          : .fails(DBusError(.remote("org.bluez.Error.NotAuthorized"), "Insufficient Authentication"))
      }
    }
    let terminal = try machine.terminal("pair", PrintersCommandTests.address, "--no-test")
    try await terminal.expect("Its PIN (on its label or self-test page): ")
    terminal.type("0815\n")
    try await terminal.expect("Its PIN (on its label or self-test page): ")
    terminal.type("4711\n")
    try await terminal.expect("  2  ")
    try await terminal.expect("Which profile? [1] ")
    terminal.type("2\n")
    try await terminal.expect("Its name in printd? [mpt-ii] ")
    terminal.type("\n")
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    let entry = try #require(try machine.entries().first)
    let second = try #require(
      terminal.screen.first { $0.hasPrefix("  2  ") }?.split(separator: " ").dropFirst().first)
    #expect(entry.name == "mpt-ii" && entry.profile == String(second))
    #expect(device.value("Paired")?.boolean == true)
  }

  @Test(
    "pair writes its test page as the profile says, whoever has chosen it",
    arguments: ["the person", "the command line", "the printer's name"])
  func profilesWrites(_ chooser: String) async throws {
    let folder = try TemporaryFolder()
    var profiles: [PrinterProfile] = []
    for (name, mode, chunk) in [("own-58", PrinterProfile.WriteMode.request, 33), ("other-58", .command, 21)]
    {
      var profile = try PrinterEntryTests.profile("generic-58")
      profile.name = name
      profile.writeMode = mode
      profile.chunk = chunk
      profiles.append(profile)
    }
    // What is guessed where nothing tells more.
    var guessed = try PrinterEntryTests.profile("generic-58")
    if chooser == "the printer's name" {
      guessed.writeMode = .request
      guessed.chunk = 33
    }
    profiles.append(guessed)
    let text = try profiles.map { String(decoding: try JSON.bytes($0), as: UTF8.self) }
    try folder.write(#"{"profiles": [\#(text.joined(separator: ","))]}"#, to: "own.json")
    let machine = try await Machine(more: #"profiles: "\#(folder.path)","#)
    let (device, paper) = PrintersCommandTests.addPrinter(to: machine)
    let words =
      ["pair", PrintersCommandTests.address] + (chooser == "the command line" ? ["--profile", "own-58"] : [])
    let terminal = try machine.terminal(words)
    if chooser != "the command line" {
      try await terminal.expect("Which profile? [1] ")
      let number = terminal.screen.first { $0.contains("own-58") }?.split(separator: " ").first
      terminal.type(chooser == "the person" ? "\(try #require(number))\n" : "\n")
    }
    try await terminal.expect("Its name in printd? [mpt-ii] ")
    let before = paper.printed.count
    let writesBefore = machine.fake.calls(of: "WriteValue").count
    terminal.type("\n")
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    let writes = machine.fake.calls(of: "WriteValue").dropFirst(writesBefore)
    #expect(writes.allSatisfy { $0.arguments.last?.variantDictionary?["type"]?.string == "request" })
    #expect(writes.compactMap { $0.arguments.first?.bytes?.count }.max() == 33)
    #expect(paper.printed.count > before + 1_000, "the test page")
    #expect(!device.isConnected)
    #expect(machine.fake.calls(of: "Connect").count == (chooser == "the command line" ? 1 : 2))
    let entry = try #require(try machine.entries().first)
    #expect(entry.profile == (chooser == "the printer's name" ? "generic-58" : "own-58"))
  }

  @Test(
    "pair takes what may be no printer when it is told to, and nothing when it is not", arguments: ["y", ""])
  func pairDoubts(_ answer: String) async throws {
    let machine = try await Machine()
    PrintersCommandTests.addPrinter(to: machine).device.set([
      "Name": .string("Thing"), "Alias": .string("Thing"), "UUIDs": .strings([]),
    ])
    let terminal = try machine.terminal("pair", PrintersCommandTests.address, "--no-test")
    try await terminal.expect("Nothing sure says that this is a printer. Go on? [y/N] ")
    terminal.type("\(answer)\n")
    guard answer == "y" else {
      #expect(await terminal.end == .exit(ExitCode.unavailable.rawValue))
      #expect(terminal.screen.contains("printd printers: nothing was changed"))
      #expect(try machine.entries().isEmpty && machine.fake.calls(of: "Connect").isEmpty)
      return
    }
    try await terminal.expect("Which profile? [1] ")
    terminal.type("\n")
    try await terminal.expect("Its name in printd? ")
    terminal.type("thing\n")
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    #expect(try machine.entries().map(\.name) == ["thing"])
  }

  @Test(
    "Ctrl-C at a question of pair hangs up, and writes nothing",
    arguments: ["Which profile?", "Its name in printd?"])
  func pairStops(_ question: String) async throws {
    let machine = try await Machine()
    let (device, _) = PrintersCommandTests.addPrinter(to: machine)
    let terminal = try machine.terminal("pair", PrintersCommandTests.address)
    try await terminal.expect("Which profile? [1] ")
    if question.hasPrefix("Its name") {
      terminal.type("\n")
      try await terminal.expect(question)
    }
    #expect(device.isConnected)
    terminal.type(Terminal.interrupt)
    #expect(await terminal.end == .exit(ExitCode.temporary.rawValue), "\(terminal.text)")
    #expect(terminal.screen.contains("printd printers: stopped; nothing was written"), "\(terminal.screen)")
    #expect(try machine.entries().isEmpty)
    #expect(!device.isConnected)
  }

  @Test("The end of input at a question of pair is no answer")
  func pairWithoutAnswer() async throws {
    let machine = try await Machine()
    _ = PrintersCommandTests.addPrinter(to: machine)
    let terminal = try machine.terminal("pair", PrintersCommandTests.address)
    try await terminal.expect("Which profile? [1] ")
    terminal.type("\u{04}")
    #expect(await terminal.end == .exit(ExitCode.temporary.rawValue), "\(terminal.text)")
    #expect(try machine.entries().isEmpty)
  }

  @Test("scan draws its table in its place again when a device shows itself, and Ctrl-C leaves it there")
  func scanRedraws() async throws {
    let machine = try await Machine()
    let adapter = machine.fake.addAdapter()
    adapter.addDevice(
      PrintersCommandTests.address, name: "MPT-II", properties: ["UUIDs": PrintersCommandTests.printService])
    let terminal = try machine.terminal("scan", "--seconds", "300")
    try await terminal.expect(PrintersCommandTests.address)
    let second = "00:AA:01:02:00:42"
    adapter.addDevice(second, name: "GB02", properties: ["RSSI": .int16(-70)])
    try await terminal.expect("\(second) is not taken: a cat printer")
    terminal.type(Terminal.interrupt)
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    let screen = terminal.screen
    #expect(screen.count == 4, "a head, two devices, and why one is not taken: \(screen)")
    #expect(screen.first?.hasPrefix("name ") == true)
    #expect(screen.count { $0.hasPrefix("MPT-II ") && $0.contains(PrintersCommandTests.address) } == 1)
    #expect(screen.count { $0.contains(second) } == 2)
    #expect(machine.fake.calls(of: "StopDiscovery").count == 1)
  }

  @Test("The table is as wide as the terminal at most")
  func scanNarrow() async throws {
    let machine = try await Machine()
    machine.fake.addAdapter().addDevice(
      PrintersCommandTests.address, name: "MPT-II", properties: ["UUIDs": PrintersCommandTests.printService])
    let terminal = try machine.terminal("scan", "--seconds", "300", columns: 40)
    try await terminal.expect("…\u{1B}[K\r\n")
    try await terminal.expect("…\u{1B}[K\r\n")
    terminal.type(Terminal.interrupt)
    #expect(await terminal.end == .exit(0), "\(terminal.text)")
    #expect(terminal.screen.map(\.count) == [40, 40], "\(terminal.screen)")
  }
}

extension PrintersCommandTests.Machine {
  /// Runs `printd printers …` on that bus, with a person before it.
  func terminal(_ words: String..., columns: Int = 120) throws -> Terminal {
    try terminal(words, columns: columns)
  }

  /// Runs `printd printers …` on that bus, with a person before it.
  func terminal(_ words: [String], columns: Int = 120) throws -> Terminal {
    try Terminal(
      Programs.path("printd"), ["printers"] + words + ["--config", config],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": fake.address.text], columns: columns)
  }
}

extension Terminal {
  /// Waits for a text, or ends the test with all that was shown instead.
  fileprivate func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isThere = await shows(text)
    try #require(isThere, "waited for \(text) in vain:\n\(self.text)", sourceLocation: sourceLocation)
  }
}
