import BLETransport
import ESCPOS

/// A printer's entry in `printers.d`, as `printd printers pair` writes it: JSON5 with what was found as comments.
struct PrinterEntry: Equatable {
  var name: String
  var link: Configuration.Printer.Link
  var address: String
  var profile: String
  /// Why this profile.
  var profileReason: String?
  var adapter: String?
  var pinFile: String?
  /// What was found, a line each.
  var findings: [String] = []
  var overrides = Configuration.Overrides()
  /// How the rate of `bytes_per_second` was measured.
  var rateReason: String?

  /// What the configuration makes of it.
  var printer: Configuration.Printer {
    var printer = Configuration.Printer(name: name, link: link, address: address, profile: profile)
    printer.overrides = overrides == Configuration.Overrides() ? nil : overrides
    printer.adapter = adapter
    printer.pinFile = pinFile
    return printer
  }

  /// The file's text.
  var text: String {
    var lines = ["// Written by: printd printers pair \(address)"]
    lines += findings.map { "// \(Self.comment($0))" }
    lines.append("{")
    func add(_ key: String, _ value: String, _ comment: String? = nil) {
      if let comment { lines.append("  // \(Self.comment(comment))") }
      lines.append("  \(key): \(value),")
    }
    add("name", Self.quoted(name))
    add("link", Self.quoted(link.rawValue))
    add("address", Self.quoted(address))
    add("profile", Self.quoted(profile), profileReason)
    if let adapter { add("adapter", Self.quoted(adapter)) }
    if let pinFile { add("pin_file", Self.quoted(pinFile)) }
    var parts: [String] = []
    if let status = overrides.status { parts.append("status: \(status)") }
    if let fence = overrides.fence { parts.append("fence: \(Self.quoted(fence.rawValue))") }
    if let rate = overrides.bytesPerSecond { parts.append("bytes_per_second: \(rate)") }
    if !parts.isEmpty { add("overrides", "{ \(parts.joined(separator: ", ")) }", rateReason) }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// What this printer has other than its profile says: what the interview has shown, where it has.
  mutating func override(
    _ profile: PrinterProfile, by answers: PrinterInterview.Answers, hasBackChannel: Bool
  ) {
    guard hasBackChannel else { return }
    if answers.answersRealTime != profile.status.dleEOT { overrides.status = answers.answersRealTime }
    let left = overrides.status == false ? .none : profile.fence
    if let fence = answers.fence, fence != left { overrides.fence = fence }
  }

  /// Whether a word can be a printer's name, as the configuration's decoding has it.
  static func isName(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.count <= 64 && word.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x2F }
      && !word.hasPrefix(".")
  }

  /// A word that can be a printer's name, made of what a printer calls itself; `printer` where nothing is left.
  static func name(from words: String?, taken: [String]) -> String {
    var name = ""
    for scalar in (words ?? "").lowercased().unicodeScalars.prefix(32) {
      switch scalar {
      case "a"..."z", "0"..."9": name.unicodeScalars.append(scalar)
      default: if !name.isEmpty, !name.hasSuffix("-") { name += "-" }
      }
    }
    while name.hasSuffix("-") { name.removeLast() }
    if name.isEmpty { name = "printer" }
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
  }

  /// One line of a comment: nothing in it ends the line.
  private static func comment(_ text: String) -> String { text.printable.cut(atBytes: 300) }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _
      where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        || [0x2028, 0x2029].contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
