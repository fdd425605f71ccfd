import Documents
import ESCPOS
import PrintTestKit
import TextRaster
import VirtualPrinter

/// A virtual printer at a port of this process, that keeps the text of what it printed.
final class BenchPrinter: Sendable {
  private let printer: VirtualPrinter
  private let server: VirtualPrinterServer

  init() throws {
    let catalogue = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    let profile = try catalogue.profile(named: "generic-80")
    let raster = PangoRaster()
    var limits = Paper.Limits()
    limits.sheets = 100_000
    limits.totalRows = .max
    printer = VirtualPrinter(
      profile: profile, glyphs: raster, symbols: raster, keeping: .text, limits: limits)
    server = try VirtualPrinterServer(printer)
  }

  /// The configuration's `printers`.
  var configuration: String {
    #"[{name: "counter", link: "tcp", address: "127.0.0.1:\#(server.port)", profile: "generic-80"}]"#
  }

  /// Sheets that were cut off.
  var sheetCount: Int { printer.paper.sheets.count }

  /// The orders on the sheets, in the order of the paper.
  var orders: [String] {
    printer.paper.sheets.compactMap { sheet in
      sheet.text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "-" })
        .first { $0.hasPrefix("bench-") }.map(String.init)
    }
  }
}

/// Orders of an everyday size, a file each.
struct BenchOrders {
  let folder: TemporaryFolder
  let ids: [String]

  init(count: Int) throws {
    folder = try TemporaryFolder()
    ids = (0..<count).map { "bench-\(100_000 + $0)" }
    for id in ids {
      let items = (1...12).map {
        #"{"name":"Article \#($0)","quantity":\#($0),"unit_price":"1.25","amount":"\#($0).25"}"#
      }
      try folder.write(
        """
        {"id":"\(id)","number":"\(id)","currency":"EUR","paid_at":"2030-01-01T12:00:00Z","pay_type":"card",
         "merchant":{"name":"Bench","lines":["1 Loopback Road"]},"items":[\(items.joined(separator: ","))],
         "totals":[{"label":"Total","amount":"81.00","emphasis":true}]}
        """, to: "\(id).json")
    }
  }
}
