import Curl
import Documents
import ESCPOS
import PrintTestKit
import TextRaster
import VirtualPrinter

@testable import printd

/// A printer in the test's own process, at a port of this machine as a network printer is: it outlives the daemon.
struct NetworkPrinter {
  private static let raster = PangoRaster()

  let printer: VirtualPrinter
  let server: VirtualPrinterServer

  init(_ profile: String = "generic-80", _ change: (inout Behaviour) -> Void = { _ in }) throws {
    guard let profile = try ProfileCatalogue.builtIn()[profile] else { throw Fixtures.Missing(path: profile) }
    var behaviour = Behaviour()
    change(&behaviour)
    var limits = Paper.Limits()
    limits.sheets = 1000
    printer = VirtualPrinter(
      profile: profile, glyphs: Self.raster, symbols: Self.raster, behaviour: behaviour, keeping: .text,
      limits: limits)
    server = try VirtualPrinterServer(printer)
  }

  /// The entry of the configuration's `printers`.
  func entry(_ name: String = "counter", more: String = "") -> String {
    #"{name: "\#(name)", link: "tcp", address: "127.0.0.1:\#(server.port)", profile: "\#(printer.profile.name)"\#(more)}"#
  }

  /// The text of each sheet that has something on it, the one in the printer included.
  var sheets: [String] { printer.printedSheets.map(\.text) }

  /// Waits until something is on paper, and nearly stands still from then on.
  func stopsInMidReceipt() async throws {
    try await DaemonRig.until { !sheets.isEmpty }
    printer.set { $0.bytesPerSecond = 4 }
  }

  /// How often words are on paper.
  func count(of words: String) -> Int {
    sheets.reduce(0) { $0 + $1.split(separator: "\n").count { $0.contains(words) } }
  }
}

extension Behaviour {
  /// A receipt takes seconds, and most of it is still on its way while it is printed.
  mutating func printsSlowly() {
    bytesPerSecond = 100
    bufferSize = 64
  }
}

extension DaemonRig {
  /// A budget for wakes that are to outlast it.
  static let quick = "budget: {seconds: 3, grace_ms: 200, report_reserve_ms: 300},"

  /// The jobs of an order, oldest first.
  func jobs(of order: String) async throws -> [JobMessage] {
    let response = try await ask(.get, "/v1/jobs?order=\(order)")
    return try DocumentReader.read(JobsMessage.self, from: response.body).jobs
  }

  /// Asks over the control socket and reads the answer.
  func read<Message: Decodable>(
    _ type: Message.Type, _ method: HTTPClient.Method = .get, _ path: String, _ body: String? = nil
  ) async throws -> Message {
    try DocumentReader.read(type, from: try await ask(method, path, body).body)
  }
}
