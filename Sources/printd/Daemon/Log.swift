import Glibc
import WakeHandler

/// The daemon's log: a line each on standard error, as journald reads it: `<6>job printed job=12 printer=counter`.
///
/// No customer data goes in here: ids, names of printers and steps, counts, times, errors.
enum Log {
  /// The priorities of sd-daemon(3).
  enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  private static let onTerminal = isatty(STDERR_FILENO) == 1

  static func error(_ event: String, _ fields: KeyValuePairs<String, Any> = [:]) {
    write(.error, event, fields)
  }
  static func warning(_ event: String, _ fields: KeyValuePairs<String, Any> = [:]) {
    write(.warning, event, fields)
  }
  static func warning(_ event: String, _ fields: [(String, Any)]) {
    Console.error(line(.warning, event, fields, prefixed: !onTerminal))
  }
  static func info(_ event: String, _ fields: [(String, Any)]) {
    Console.error(line(.info, event, fields, prefixed: !onTerminal))
  }
  static func notice(_ event: String, _ fields: KeyValuePairs<String, Any> = [:]) {
    write(.notice, event, fields)
  }
  static func info(_ event: String, _ fields: KeyValuePairs<String, Any> = [:]) {
    write(.info, event, fields)
  }

  /// What the story notes.
  static func write(_ priority: Priority, _ event: HandlerEvent) {
    var fields: [(String, Any)] = []
    if let job = event.job { fields.append(("job", job)) }
    if let order = event.order { fields.append(("order", order)) }
    if let printer = event.printer { fields.append(("printer", printer)) }
    Console.error(line(priority, event.message, fields, prefixed: !onTerminal))
  }

  private static func write(_ priority: Priority, _ event: String, _ fields: KeyValuePairs<String, Any>) {
    Console.error(line(priority, event, fields.map { ($0.key, $0.value) }, prefixed: !onTerminal))
  }

  /// Lines of a text for people, each with the priority where journald reads them.
  static func lines(_ priority: Priority, _ text: String) -> String {
    guard !onTerminal else { return text }
    return text.split(separator: "\n").map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
  }

  /// One line; values with spaces or quotes are quoted, control characters escaped, so that nothing from outside
  /// can forge a second line.
  static func line(
    _ priority: Priority, _ event: String, _ fields: some Sequence<(String, Any)>, prefixed: Bool
  ) -> String {
    var line = prefixed ? "<\(priority.rawValue)>\(quotable(event))" : quotable(event)
    for (key, value) in fields {
      let text = "\(value)"
      let safe = quotable(text)
      let plain = !text.isEmpty && safe == text && !text.contains(where: { " \"=".contains($0) })
      line += plain ? " \(key)=\(text)" : " \(key)=\"\(safe.escapingQuotes)\""
    }
    return line
  }

  private static func quotable(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A: safe += "\\n"
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069:
        safe += "\\u{\(String(scalar.value, radix: 16))}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}

extension String {
  fileprivate var escapingQuotes: String {
    var text = ""
    for character in self {
      if character == "\"" || character == "\\" { text.append("\\") }
      text.append(character)
    }
    return text
  }
}
