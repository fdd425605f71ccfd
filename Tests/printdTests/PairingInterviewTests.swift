import BLETransport
import Documents
import ESCPOS
import PrintTestKit
import Testing
import TextRaster
import VirtualPrinter

@Suite("The interview of an unknown printer", .timeLimit(.minutes(1)))
struct PairingInterviewTests {
  static let raster = PangoRaster()

  /// Interviews a virtual printer; the clock is moved on each time that somebody waits, `waits` times.
  static func interview(
    _ profile: String, waits: Int, _ change: (inout Behaviour) -> Void = { _ in }
  ) async throws -> (answers: PrinterInterview.Answers, printer: VirtualPrinter, bytes: Int) {
    let clock = ManualClock()
    let profiles = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    var behaviour = Behaviour()
    change(&behaviour)
    let printer = VirtualPrinter(
      profile: try profiles.profile(named: profile), glyphs: raster, symbols: raster, clock: clock,
      behaviour: behaviour)
    let end = BootInstant(nanoseconds: .max)
    let link = try await printer.opener().open(by: end)
    let asking = Task {
      var interview = PrinterInterview(link: link, clock: clock)
      return try await interview.conduct(by: end)
    }
    for _ in 0..<waits {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
    }
    let answers = try await asking.value
    let bytes = link.bytesAccepted
    await link.close()
    return (answers, printer, bytes)
  }

  @Test("A printer that knows everything says who it is and proves its prints")
  func talkative() async throws {
    let (answers, printer, _) = try await Self.interview("epson-tm-m30", waits: 1)
    #expect(answers.maker == "printd")
    #expect(answers.model == "epson-tm-m30")
    #expect(answers.firmware == "1.00")
    #expect(answers.answersRealTime)
    #expect(answers.fence == .processID)
    #expect(answers.status.online == true && answers.status.paper == .present)
    #expect(printer.paper.current.entries.isEmpty)
  }

  @Test("A printer without process ids is left with GS r, and nothing is on its paper")
  func noProcessID() async throws {
    let (answers, printer, _) = try await Self.interview("generic-80", waits: 2) {
      $0.quirks = [.knowsNoProcessID]
    }
    #expect(answers.fence == .paperStatus)
    #expect(answers.answersProcessID == false)
    #expect(answers.fonts == "GB18030")
    // What it took for text was thrown away: the next line does not begin with it.
    printer.feed(Array("next\n".utf8))
    #expect(printer.paper.current.text == "next")
  }

  @Test("A mute printer is soon given up, and nothing is on its paper")
  func mute() async throws {
    // Before the first question, two real-time ones, one in turn, one for the maker.
    let (answers, printer, _) = try await Self.interview("generic-58", waits: 5) { $0.answers = false }
    #expect(answers.isMute)
    #expect(answers.fence == PrinterProfile.Fence.none)
    printer.feed(Array("next\n".utf8))
    #expect(printer.paper.current.text == "next")
  }

  @Test("A printer that cannot print is not asked what only a printing one answers")
  func paperEnd() async throws {
    let (answers, _, _) = try await Self.interview("generic-80", waits: 1) { $0.paper = .end }
    #expect(answers.status.obstacle == "paper out")
    #expect(answers.answersRealTime)
    #expect(answers.fence == nil)
  }

  @Test(
    "Where no answer can come nothing is asked, but one write shows whether the printer takes data at all")
  func noBackChannel() async throws {
    let (answers, printer, bytes) = try await Self.interview("generic-80", waits: 0) {
      $0.hasBackChannel = false
    }
    #expect(answers == PrinterInterview.Answers())
    #expect(bytes == 2, "ESC @")
    #expect(printer.paper.current.entries.isEmpty)
  }
}
