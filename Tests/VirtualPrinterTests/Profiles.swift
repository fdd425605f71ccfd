import ESCPOS
import FoundationEssentials
import TextRaster
import VirtualPrinter

/// The models that the tests print on.
enum Profiles {
  static let a = #"{"columns": 48, "cell": {"width": 12, "height": 24}}"#
  static let b = #"{"columns": 64, "cell": {"width": 9, "height": 17}}"#

  /// An 80 mm printer with everything; the arguments are JSON.
  ///
  /// Width and code pages are put in behind the strict reading of profiles: other people's printers have pages and
  /// widths that no profile of ours may name.
  static func wide(
    name: String = "test-80", widthDots: Int = 576, codePages: String? = nil,
    kanji: String = #"{"encoding": "GB18030", "maximumBytes": 4}"#
  ) throws -> PrinterProfile {
    let pages =
      #"[{"slot": 0, "encoding": "CP437"}, {"slot": 16, "encoding": "CP1252"}, {"slot": 17, "encoding": "CP866"}, {"slot": 19, "encoding": "CP858"}]"#
    let json = """
      {"name": "\(name)", "title": "Test", "widthDots": 576, "fontA": \(a), "fontB": \(b),
       "codePages": \(pages), "kanji": \(kanji), "raster": {"maximumRows": 4095},
       "barcodes": ["ean13", "code128"], "qr": {"maximumBytes": 7089, "maximumModule": 16},
       "cutter": {"modes": ["full", "partial"], "command": "feedAndCut", "feedLines": 4}, "drawer": true,
       "beep": "escB", "withoutCommands": [], "status": {"dleEOT": true, "asb": true}, "fence": "processID",
       "bytesPerSecond": 20000}
      """
    var profile = try JSONDecoder().decode(PrinterProfile.self, from: Data(json.utf8))
    profile.widthDots = widthDots
    if let codePages, let any = profile.codePages.first {
      profile.codePages = try JSONDecoder().decode([Page].self, from: Data(codePages.utf8)).map { page in
        var codePage = any
        codePage.slot = page.slot
        codePage.encoding = page.encoding
        return codePage
      }
    }
    return profile
  }

  private struct Page: Decodable {
    var slot: Int
    var encoding: String
  }

  static let raster = PangoRaster()

  /// A printer with everything.
  static func printer(
    _ profile: PrinterProfile? = nil, clock: any BootTimeClock = BootClock(), keeping: Paper.Keeping = .dots,
    limits: Paper.Limits = Paper.Limits(), _ change: (inout Behaviour) -> Void = { _ in }
  ) throws -> VirtualPrinter {
    var behaviour = Behaviour()
    change(&behaviour)
    return VirtualPrinter(
      profile: try profile ?? wide(), glyphs: raster, symbols: raster, clock: clock, behaviour: behaviour,
      keeping: keeping, limits: limits)
  }
}
