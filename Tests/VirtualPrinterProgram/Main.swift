import Documents
import ESCPOS
import Glibc
import TextRaster
import VirtualPrinter

/// printd's virtual printer as a process, for whoever carries the bytes of a printer that is none: the Bluetooth rig.
///
///     virtual-printer --profile NAME --folder DIR --socket PATH [--keep dots|text]
///
/// A connection to the socket is a link; the next host waits until the last has gone. A host whose bytes the printer does
/// not take is held up by its connection. Sheets that are cut off become `DIR/0001.txt` and, with dots, `0001.png`.
/// Commands are read from the standard input, a line each, and answered by a line of JSON: see ``Command``. The end of
/// the input ends the printer.
@main
struct Main {
  static func main() {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      let catalogue = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
      guard let profile = catalogue[arguments.profile] else {
        throw Fault("there is no profile \"\(arguments.profile)\"")
      }
      let raster = PangoRaster()
      var limits = Paper.Limits()
      limits.sheets = 4096
      let printer = VirtualPrinter(
        profile: profile, glyphs: raster, symbols: raster, keeping: arguments.keeping, limits: limits)
      let tray = Tray(printer, folder: arguments.folder, glyphs: raster)
      let door = try Door(path: arguments.socket)
      let events = printer.events()
      Task.detached {
        for await event in events {
          if case .cut = event { tray.collect() }
        }
      }
      Task.detached {
        for await host in door.hosts { await Door.join(host, to: printer) }
      }
      say(#"{"ready": true}"#)
      while let line = readLine() {
        say(Command.answer(line, printer, tray))
      }
      // What is being drawn is drawn to its end.
      tray.collect()
    } catch {
      say("virtual-printer: \(error)", to: STDERR_FILENO)
      exit(1)
    }
  }
}

/// Writes a line at once.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  var rest = Array((line + "\n").utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 || errno == EINTR else { return }
    rest = rest.dropFirst(max(0, count))
  }
}

/// Something that was asked for and cannot be.
struct Fault: Error, CustomStringConvertible {
  /// What, and why not.
  let description: String

  init(_ description: String) { self.description = description }
}

/// The words of the command line.
struct Arguments {
  var profile = "generic-80"
  var folder = ""
  var socket = ""
  var keeping = Paper.Keeping.dots

  init(_ words: some Sequence<String>) throws(Fault) {
    var words = words.makeIterator()
    while let option = words.next() {
      guard let value = words.next() else { throw Fault("\(option) wants a value") }
      switch (option, value) {
      case ("--profile", _): profile = value
      case ("--folder", _): folder = value
      case ("--socket", _): socket = value
      case ("--keep", "dots"): keeping = .dots
      case ("--keep", "text"): keeping = .text
      default: throw Fault("unknown: \(option) \(value)")
      }
    }
    guard !folder.isEmpty, !socket.isEmpty else { throw Fault("--folder and --socket are wanted") }
  }
}
