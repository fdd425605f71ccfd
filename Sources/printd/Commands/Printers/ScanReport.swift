import BLETransport
import ESCPOS

/// What a scan has found, as a table for people and as JSON for scripts.
struct ScanReport {
  /// One device, as `printd printers scan --json` shows it.
  struct Row: Encodable, Equatable {
    var address: String
    /// What the device calls itself; anybody can call himself anything, so it is cut at 248 bytes and free of control
    /// characters.
    var name: String?
    /// `ble`, `classic` or `dual`.
    var radio: String
    /// dBm at the last sighting.
    var rssi: Int?
    /// `printer`, `possible`, `refused` or `other`.
    var verdict: String
    /// What it speaks, as far as can be told: `ESC/POS`, …
    var language: String?
    /// What the verdict is made of: `service 18f0`, `class`, `name`.
    var why: [String]
    /// Why printd does not take it.
    var refusal: String?
    var paired: Bool
    var connected: Bool
    /// The name of the configured printer with this address.
    var configured: String?
  }

  /// Printers first, then what may be one, what is refused, and the rest; each in the order of its appearance.
  let rows: [Row]
  /// Devices that are no printers and were left out.
  let others: Int

  /// What controllers say that cannot measure it (Core Specification, volume 4, part E, 7.7.65.2).
  private static let noStrength: Int16 = 127
  /// The most bytes of a device's name (Core Specification, volume 3, part C, 12.1).
  static let longestName = 248

  /// - Parameter all: Whether devices that are no printers are shown, too.
  init(_ sightings: [Sighting], configured: [Configuration.Printer], all: Bool) {
    let judged = sightings.map { ($0, Recognition($0)) }
    let order: [Recognition.Verdict] = [.printer, .possible, .refused, .other]
    var rows: [Row] = []
    for verdict in order where verdict != .other || all {
      for (sighting, recognition) in judged where recognition.verdict == verdict {
        rows.append(Self.row(sighting, recognition, configured))
      }
    }
    self.rows = rows
    others = all ? 0 : judged.count { $0.1.verdict == .other }
  }

  private static func row(
    _ sighting: Sighting, _ recognition: Recognition, _ configured: [Configuration.Printer]
  ) -> Row {
    let address = sighting.address.description
    return Row(
      address: address, name: sighting.name.flatMap { $0.cut(atBytes: longestName).printable.nonempty },
      radio: sighting.radio.rawValue, rssi: sighting.rssi.flatMap { $0 == Self.noStrength ? nil : Int($0) },
      verdict: recognition.verdict.rawValue,
      language: recognition.language?.rawValue, why: recognition.reasons.map(\.text),
      refusal: recognition.refusal,
      paired: sighting.isPaired, connected: sighting.isConnected,
      configured: configured.first { $0.link.isBluetooth && $0.address == address }?.name)
  }

  /// The table; each line at most as wide as the terminal, where there is one.
  func lines(columns: Int?) -> [String] {
    guard !rows.isEmpty else { return ["no printer seen yet"] + rest }
    var table = TextTable(["name", "address", "radio", "signal", "speaks", "why", "state"])
    for row in rows {
      table.add([
        (row.name ?? "(no name yet)").fitting(columns: 24), row.address, row.radio,
        row.rssi.map { "\($0) dBm" } ?? "", row.speaks, row.why.joined(separator: ", "), row.state,
      ])
    }
    var lines = table.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for row in rows {
      guard let refusal = row.refusal else { continue }
      lines.append("\(row.address) is not taken: \(refusal)")
    }
    return (lines + rest).map { line in columns.map { line.fitting(columns: $0) } ?? line }
  }

  private var rest: [String] {
    others == 0
      ? [] : ["\(others) other device\(others == 1 ? "" : "s"); --all shows \(others == 1 ? "it" : "them")"]
  }
}

extension ScanReport.Row {
  fileprivate var speaks: String {
    switch verdict {
    case Recognition.Verdict.printer.rawValue: language ?? ""
    case Recognition.Verdict.possible.rawValue: "\(language ?? "")?"
    case Recognition.Verdict.refused.rawValue: "not taken: \(language ?? "")"
    default: ""
    }
  }

  fileprivate var state: String {
    if let configured { return "configured as \(configured)" }
    if connected { return "connected" }
    return paired ? "paired" : "new"
  }
}

extension String {
  /// The text without its end, so that it has at most this many bytes of UTF-8.
  func cut(atBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var cut = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      guard count <= limit else { break }
      cut.append(character)
    }
    return cut
  }

  /// The text, cut where it is wider than this on a terminal.
  func fitting(columns: Int) -> String {
    guard columnCount > columns else { return self }
    var cut = ""
    for character in self {
      guard (cut + String(character)).columnCount < columns else { break }
      cut.append(character)
    }
    return cut + "…"
  }

  fileprivate var nonempty: String? { isEmpty ? nil : self }
}
