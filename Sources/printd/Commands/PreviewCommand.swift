import Documents
import ESCPOS
import PrintJobs
import SpokenAmounts
import TextRaster
import VirtualPrinter

/// `printd preview FILE`
struct PreviewCommand: Command {
  static let name = "preview"
  static let summary = "a receipt or an order as the paper would look; no printer needed"
  static let help = """
    usage: printd preview FILE|- [-o OUT.png] [--text] [--profile NAME] [--locale NAME] [--time-zone NAME]
                          [--images FOLDER] [--config FILE]

    FILE is a receipt (Docs/schema/receipt.schema.json), an order (Docs/schema/order.schema.json) or the PNG of a
    virtual printer's sheet. It is rendered to ESC/POS and printed on the virtual printer. A terminal that is wide
    enough (288 columns for 80 mm paper, 192 for 58 mm) shows the picture, any other the text.

      -o OUT.png       also writes the picture
      --text           the text, however wide the terminal is
      --profile NAME   the printer (default: the one of the first printer, else generic-80)
      --images FOLDER  the pictures that receipts name (default: of the configuration, else the file's folder)

    exit codes: 0 shown · 65 not a receipt or order; the place is named · 66 no such file

    Examples:
      printd preview order.json
      printd preview receipt.json -o receipt.png --profile generic-58
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let output = try arguments.option("-o", "--output")
    let asText = arguments.flag("--text")
    let look = try Look(&arguments, options)
    let path = try arguments.position("FILE")
    try arguments.finish()
    let bytes = try Files.read(path, limit: 64 << 20)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      let beside = path.hasSuffix(".png") ? String(path.dropLast(4)) + ".txt" : nil
      PaperView.show(
        try picture(of: bytes), text: beside.flatMap { try? Files.read($0, limit: 16 << 20) }, asText: asText)
      return .success
    }
    let raster = PangoRaster(imageFolder: look.images ?? folder(of: path), locale: look.locale)
    let receipt = try receipt(in: bytes, path, look)
    let rendered: RenderedReceipt
    do throws(RenderError) {
      rendered = try Renderer(profile: look.profile, dots: raster).render(receipt)
    } catch {
      throw Failure(.badInput, "\(path): \(error)")
    }
    for warning in rendered.warnings { Console.error("warning: \(warning)") }
    let printer = VirtualPrinter.forViewing(look.profile, raster)
    printer.feed(rendered.bytes)
    printer.finish()
    PaperView.show(printer.printedSheets, asText: asText)
    if let output {
      for path in try PaperView.write(printer.printedSheets, to: output, raster) {
        Console.error("written: \(path)")
      }
    }
    return .success
  }

  private static func picture(of bytes: [UInt8]) throws(Failure) -> DotImage {
    do throws(RenderError) {
      let gray = try PaperPicture.gray(of: bytes)
      var dots = DotImage(width: gray.width, height: gray.height)
      for y in 0..<gray.height {
        for x in 0..<gray.width where gray.levels[y * gray.width + x] < 128 { dots[x, y] = true }
      }
      return dots
    } catch {
      throw Failure(.badInput, error.message)
    }
  }

  private static func receipt(in bytes: [UInt8], _ path: String, _ look: Look) throws(Failure) -> Receipt {
    let order: Order
    let name = path == "-" ? "standard input" : path
    do throws(DocumentFault) {
      let shape = try DocumentReader.read(Shape.self, from: bytes)
      if shape.blocks { return try DocumentReader.read(Receipt.self, from: bytes) }
      guard shape.items else {
        throw DocumentFault(
          path: "", message: "neither a receipt, which has \"blocks\", nor an order, which has \"items\"")
      }
      order = try DocumentReader.read(Order.self, from: bytes)
    } catch {
      throw Failure(.badInput, "\(name): \(error)")
    }
    let locale = look.namedLocale ?? order.locale ?? look.locale
    return OrderLayout(
      locale: locale, clock: try WallClock.shop(look.timeZone),
      capitals: look.capitals ? FinancialCapitals.text : nil
    ).receipt(for: order)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
  }

  /// Whether a document has blocks, and so is a receipt, or items, and so is an order.
  private struct Shape: Decodable {
    var blocks: Bool
    var items: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      blocks = container.contains(AnyKey("blocks"))
      items = container.contains(AnyKey("items"))
    }
  }
}

/// For which paper something is shown.
struct Look {
  var profile: PrinterProfile
  var locale: String
  /// The locale of the command line, which counts more than the order's own.
  var namedLocale: String?
  var timeZone: String?
  /// Whether a Chinese receipt has its total in capitals, too.
  var capitals: Bool
  var images: String?

  /// Takes the options out of the arguments; the configuration fills in what is not said, when there is one.
  init(_ arguments: inout Arguments, _ options: CommonOptions) throws(Failure) {
    let name = try arguments.option("--profile")
    let locale = try arguments.option("--locale")
    let timeZone = try arguments.option("--time-zone")
    let images = try arguments.option("--images")
    let loaded = options.hasConfiguration ? try options.load() : nil
    let catalogue = if let loaded { loaded.profiles } else { try ProfileCatalogue.builtIn() }
    let wanted = name ?? loaded?.configuration.printers.first?.profile ?? "generic-80"
    guard let profile = catalogue[wanted] else {
      let nearest = nearestWord(to: wanted, among: catalogue.names)
      throw Failure(
        .usage, "there is no profile \"\(wanted)\"",
        remedy: "--profile \(nearest ?? catalogue.names.joined(separator: "|"))")
    }
    self.profile = profile
    namedLocale = locale
    self.locale = locale ?? loaded?.configuration.locale ?? "en"
    self.timeZone = timeZone ?? loaded?.configuration.timeZone
    capitals = loaded?.configuration.capitals ?? false
    self.images = images ?? loaded?.configuration.images
  }
}

extension ProfileCatalogue {
  /// The profiles that come with printd.
  static func builtIn() throws(Failure) -> ProfileCatalogue {
    do {
      return try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    } catch {
      throw Failure(.software, "built-in profiles: \(error)")
    }
  }
}
