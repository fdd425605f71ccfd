import Curl
import PrintJobs
import ESCPOS
import TextRaster

/// `printd test-print`
struct TestPrintCommand: Command {
  static let name = "test-print"
  static let summary = "a page that shows what the printer can do and what it says of itself"
  static let help = """
    usage: printd test-print [--printer NAME] [--config FILE]

    Prints width, fonts, styles, code pages, a barcode, a QR code, a cut, and what the status channel said. With a
    running daemon the page goes through its queue; without one the command speaks to the printer itself; Ctrl-C ends
    that, and lets go of the printer.

      --printer NAME   the printer (default: the first one)

    exit codes: 0 printed · 69 the printer cannot be reached or cannot print · 75 queued, or stopped · 78 no such printer

    Examples:
      printd test-print
      printd test-print --printer kitchen
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let name = try arguments.option("--printer", "-p")
    try arguments.finish()
    let loaded = try options.loadPrinters()
    let printer = try loaded.printer(named: name)
    let client = ControlClient(socket: loaded.configuration.control.socket)
    if await client.isRunning() {
      let completion = try await client.read(
        CompletionMessage.self, .post, "/v1/printers/\(printer.name.pathSegment)/test-print")
      WakeCommand.show(completion)
      return completion.result == .failed ? .temporary : .success
    }
    let raster = loaded.configuration.raster
    let direct = try DirectPrint(printer, loaded, raster: raster)
    let fence = try await Interruption.run {
      try await direct.print(patience: printer.patience, within: .seconds(60)) { (answers) throws(Failure) in
        let page = TestPage(printer: printer.name, profile: direct.profile, answers: answers)
        let rendered: RenderedReceipt
        do {
          rendered = try Renderer(profile: direct.profile, dots: raster).render(page.receipt)
        } catch {
          throw Failure(.software, "the test page cannot be rendered: \(error)")
        }
        for warning in rendered.warnings { Console.error("warning: \(warning)") }
        if Console.isTerminal { Console.error("printing \(rendered.bytes.count) bytes on \(printer.name) …") }
        return rendered.bytes
      }
    }
    switch fence {
    case .proven:
      Console.print("printed on \(printer.name), and the printer says so")
    case .unconfirmed:
      Console.print("sent to \(printer.name); it cannot say whether it printed")
    case .missing(let status):
      throw Failure(
        .temporary, "\(printer.name) took the page but has not confirmed it: \(status.text)",
        remedy: "look at the paper")
    }
    return .success
  }
}

extension ConfigurationFile.Loaded {
  /// The printer with this name, or the first one.
  func printer(named name: String?) throws(Failure) -> Configuration.Printer {
    let printers = configuration.printers
    guard let name else {
      guard let first = printers.first else { throw Failure(.configuration, "no printer is configured") }
      return first
    }
    if let printer = printers.first(where: { $0.name == name }) { return printer }
    let nearest = nearestWord(to: name, among: printers.map(\.name))
    throw Failure(
      .configuration, "there is no printer \"\(name)\"",
      remedy: nearest.map { "--printer \($0)" } ?? "printd printers list")
  }
}
