import ESCPOS
import FoundationEssentials
import VirtualPrinter

/// The lines that the printer is told, each a verb and its words.
///
///     paper ok|near|end      cover open|closed      offline on|off     drawer open|closed
///     fault none|recoverable|cutter|unrecoverable|hot
///     paperleft ROWS|endless dot lines until the roll is empty
///     speed BYTES            printed a second; 0: at once
///     memory BYTES           the receive buffer
///     answers on|off         a printer that stays mute
///     power                  off and on again
///     state                  the body, the buffer and the sheets
///     sheets                 how many were cut off
///     sheet N                the text of sheet N, from 1; the one in the printer, too
enum Command {
  private struct State: Encodable {
    var paper: String
    var online: Bool
    var buffered: Int
    var missing: Int
    var sheets: Int
  }

  /// Carries out a line; the answer is a line of JSON, `{"error": …}` for what cannot be.
  static func answer(_ line: String, _ printer: VirtualPrinter, _ tray: Tray) -> String {
    let words = line.split(separator: " ").map(String.init)
    do {
      guard let verb = words.first else { throw Fault("an empty line") }
      switch (verb, words.count) {
      case ("state", 1): return try json(state(printer))
      case ("sheets", 1): return try json(printer.paper.sheetCount)
      case ("sheet", 2): return try json(try tray.text(of: try number(words[1])))
      case ("power", 1): printer.powerCycle()
      case (_, 2): try set(verb, words[1], printer)
      default: throw Fault("unknown: \(line)")
      }
      return "null"
    } catch {
      return (try? json(["error": "\(error)"])) ?? #"{"error": "unspeakable"}"#
    }
  }

  private static func state(_ printer: VirtualPrinter) -> State {
    let body = printer.behaviour
    let paper =
      switch body.paper {
      case .present: "ok"
      case .nearEnd: "near"
      case .end: "end"
      }
    return State(
      paper: paper, online: body.isOnline, buffered: printer.bufferedBytes, missing: printer.missingBytes,
      sheets: printer.paper.sheetCount)
  }

  private static func set(_ verb: String, _ word: String, _ printer: VirtualPrinter) throws {
    let change: (inout Behaviour) -> Void
    switch (verb, word) {
    case ("paper", "ok"): change = { $0.paper = .present }
    case ("paper", "near"): change = { $0.paper = .nearEnd }
    case ("paper", "end"): change = { $0.paper = .end }
    case ("cover", "open"): change = { $0.coverOpen = true }
    case ("cover", "closed"): change = { $0.coverOpen = false }
    case ("offline", "on"): change = { $0.offline = true }
    case ("offline", "off"): change = { $0.offline = false }
    case ("drawer", "open"): change = { $0.drawerOpen = true }
    case ("drawer", "closed"): change = { $0.drawerOpen = false }
    case ("answers", "on"): change = { $0.answers = true }
    case ("answers", "off"): change = { $0.answers = false }
    case ("fault", "none"): change = { $0.fault = nil }
    case ("fault", "recoverable"): change = { $0.fault = .recoverable }
    case ("fault", "cutter"): change = { $0.fault = .cutter }
    case ("fault", "unrecoverable"): change = { $0.fault = .unrecoverable }
    case ("fault", "hot"): change = { $0.fault = .autoRecoverable }
    case ("paperleft", "endless"): change = { $0.paperLeft = nil }
    case ("paperleft", _):
      let rows = try number(word)
      change = { $0.paperLeft = rows }
    case ("speed", _):
      let speed = try number(word)
      change = { $0.bytesPerSecond = speed == 0 ? nil : speed }
    case ("memory", _):
      let bytes = try number(word)
      change = { $0.bufferSize = bytes }
    default: throw Fault("unknown: \(verb) \(word)")
    }
    printer.set(change)
  }

  private static func number(_ word: String) throws(Fault) -> Int {
    guard let number = Int(word), number >= 0 else { throw Fault("\(word) is no number") }
    return number
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
