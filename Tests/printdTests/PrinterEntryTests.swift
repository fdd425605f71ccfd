import BLETransport
import Documents
import ESCPOS
import PrintTestKit
import Testing

@testable import printd

@Suite("The entry that pairing writes")
struct PrinterEntryTests {
  static func read(_ text: String) throws -> Configuration.Printer {
    try DocumentReader.read(Configuration.Printer.self, from: Array(text.utf8), json5: true)
  }

  static func profile(_ name: String) throws -> PrinterProfile {
    try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON).profile(named: name)
  }

  @Test("It is read as what it was meant to be")
  func round() throws {
    var entry = PrinterEntry(
      name: "belt", link: .ble, address: "00:AA:01:01:00:42", profile: "generic-58",
      profileReason: "Guessed.",
      adapter: "hci1", pinFile: "/etc/printd/pin \"a\"")
    entry.overrides = .init(fence: .paperStatus, bytesPerSecond: 1900, status: true)
    entry.findings = ["\"MPT-II\", ble; name"]
    entry.rateReason = "Measured."
    #expect(try Self.read(entry.text) == entry.printer)
    #expect(entry.text.contains("// Guessed.\n  profile:"))
    let bare = PrinterEntry(name: "a", link: .rfcomm, address: "00:AA:01:01:00:42", profile: "generic-80")
    #expect(try Self.read(bare.text) == bare.printer)
    #expect(!bare.text.contains("overrides"))
  }

  @Test("What a printer says of itself cannot leave its comment")
  func untrustedWords() throws {
    var entry = PrinterEntry(name: "a", link: .ble, address: "00:AA:01:01:00:42", profile: "generic-58")
    entry.findings = ["x\n}, {name: \"evil\"", "y\u{2028}{", "*/ \r z", String(repeating: "w", count: 5000)]
    entry.profileReason = "model \"\u{2029}name: 'b',\""
    #expect(try Self.read(entry.text) == entry.printer)
    #expect(entry.text.split(separator: "\n").allSatisfy { $0.utf8.count < 320 })
  }

  @Test(
    "A name is made of what the printer calls itself",
    arguments: [
      ("Rig BLE", "rig-ble"), ("MPT-II", "mpt-ii"), ("  --  ", "printer"), (nil, "printer"),
      ("打印机", "printer"),
      ("POS_58/\u{1B}[0m", "pos-58-0m"), ("Taken", "taken-2"),
    ] as [(String?, String)])
  func names(words: String?, name: String) {
    #expect(PrinterEntry.name(from: words, taken: ["taken"]) == name)
    #expect(PrinterEntry.isName(name))
  }

  @Test(
    "Words that are no file's name or no word are no name", arguments: ["", "a b", "a/b", "..", ".x", "a\n"])
  func noNames(word: String) { #expect(!PrinterEntry.isName(word)) }

  @Test("What the interview has shown is written where the profile says otherwise")
  func overrides() throws {
    func overrides(_ profile: String, _ change: (inout PrinterInterview.Answers) -> Void) throws
      -> Configuration.Overrides
    {
      var answers = PrinterInterview.Answers()
      change(&answers)
      var entry = PrinterEntry(name: "a", link: .ble, address: "00:AA:01:01:00:42", profile: profile)
      entry.override(try Self.profile(profile), by: answers, hasBackChannel: true)
      return entry.overrides
    }
    let mute: (inout PrinterInterview.Answers) -> Void = { $0.answersPaperStatus = false }
    #expect(try overrides("generic-58", mute) == .init())
    #expect(try overrides("generic-80", mute) == .init(status: false))
    let full: (inout PrinterInterview.Answers) -> Void = {
      $0.answersRealTime = true
      $0.answersPaperStatus = true
    }
    #expect(try overrides("generic-80", full) == .init())
    #expect(try overrides("generic-58", full) == .init(fence: .paperStatus, status: true))
    #expect(try overrides("epson-tm-m30", full) == .init(fence: .paperStatus))
    // It answers in turn, and nothing in real time.
    #expect(
      try overrides("generic-80") { $0.answersPaperStatus = true }
        == .init(fence: .paperStatus, status: false))
    // It could not be asked, since it has no paper.
    #expect(try overrides("generic-80") { $0.answersRealTime = true } == .init())
  }

  @Test("The overrides mean to the profile what the interview has shown")
  func meaning() throws {
    let catalogue = ProfileCatalogue(profiles: [
      try Self.profile("generic-58"), try Self.profile("generic-80"),
    ])
    func profile(_ name: String, _ overrides: Configuration.Overrides) -> PrinterProfile? {
      Configuration.Printer(name: "a", link: .ble, profile: name, overrides: overrides).profile(
        from: catalogue)
    }
    let talking = profile("generic-58", .init(fence: .paperStatus, status: true))
    #expect(talking?.status.dleEOT == true && talking?.fence == .paperStatus)
    let mute = profile("generic-80", .init(status: false))
    #expect(mute?.status.dleEOT == false && mute?.fence == PrinterProfile.Fence.none)
    let inTurn = profile("generic-80", .init(fence: .paperStatus, status: false))
    #expect(inTurn?.status.dleEOT == false && inTurn?.fence == .paperStatus)
  }

  @Test("A rate has two digits and stays in the configuration's range")
  func rates() {
    #expect(PairPrinter.rate(of: 12_345, in: .seconds(1)) == 12_000)
    #expect(PairPrinter.rate(of: 2_450, in: .milliseconds(1_300)) == 1_800)
    #expect(PairPrinter.rate(of: 100, in: .seconds(60)) == 100)
    #expect(PairPrinter.rate(of: 1 << 30, in: .zero) == 1_000_000)
  }

  @Test("A file that is there is never written over")
  func newFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("mine", to: "a.json5")
    #expect(throws: Failure.self) { try Files.write(Array("other".utf8), toNew: path) }
    #expect(try Fixtures.text(ofFile: path) == "mine")
    #expect(Files.names(in: folder.path) == ["a.json5"])
    try Files.write(Array("new".utf8), toNew: folder.path("b.json5"))
    #expect(try Fixtures.text(ofFile: folder.path("b.json5")) == "new")
  }

  @Test("What of the daemon's unit stands against Bluetooth")
  func unit() {
    var unit = ServiceUnitCheck.Unit()
    #expect(unit.faults.isEmpty)
    unit.families = (true, ["AF_UNIX", "AF_INET", "AF_BLUETOOTH"])
    #expect(unit.faults.isEmpty)
    unit.families = (true, ["AF_INET"])
    #expect(unit.faults.count == 2)
    unit.families = (false, ["AF_BLUETOOTH"])
    #expect(unit.faults.map(\.remedy) == ["RestrictAddressFamilies=AF_BLUETOOTH"])
    // An empty list that denies restricts nothing.
    unit.families = (false, [])
    unit.privateNetwork = true
    #expect(unit.faults.map(\.remedy) == ["PrivateNetwork=no"])
  }
}
