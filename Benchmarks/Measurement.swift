import FoundationEssentials

/// One measured value, beside a peer's where there is one.
struct Measurement: Encodable {
  var name: String
  var value: Double
  var unit: String
  var peer: String?
  var peerValue: Double?
  /// `value / peerValue`, where that is a number.
  var ratio: Double? {
    guard let peerValue, peerValue.isFinite, peerValue > 0, (value / peerValue).isFinite else { return nil }
    return value / peerValue
  }
  /// What was aimed at, for the table alone.
  var aim: String?

  enum CodingKeys: String, CodingKey {
    case name, value, unit, peer
    case peerValue = "peer_value"
    case ratio
  }

  init(
    _ name: String, _ value: Double, _ unit: String, peer: (name: String, value: Double)? = nil,
    aim: String? = nil
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.peer = peer?.name
    peerValue = peer?.value
    self.aim = aim
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    // JSON knows no NaN.
    try container.encode(value.isFinite ? value : nil, forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encode(peer, forKey: .peer)
    try container.encode(peerValue.flatMap { $0.isFinite ? $0 : nil }, forKey: .peerValue)
    try container.encode(ratio, forKey: .ratio)
  }

  /// The head of the table.
  static let head = row("", "printd", "unit", "peer", "ratio", "aim")

  /// The measurement as a line of the table.
  var line: String {
    Self.row(
      name, Self.text(value), unit, peerValue.map { "\(Self.text($0)) \(peer ?? "")" } ?? "",
      ratio.map { Self.text($0) } ?? "", aim ?? "")
  }

  private static func row(_ cells: String...) -> String {
    let widths = [46, 12, 11, 26, 8, 0]
    let cells = zip(cells, widths).enumerated().map { index, pair in
      let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
      return index == 1 || index == 4 ? space + pair.0 : pair.0 + space
    }
    return cells.joined(separator: "  ")
  }

  private static func text(_ value: Double) -> String {
    guard let whole = Int(exactly: value.rounded()) else { return "-" }
    guard abs(value) < 1000 else { return "\(whole)" }
    let hundredths = Int((value * 100).rounded())
    return hundredths % 100 == 0 ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
  }
}

/// The middle of several values, and the value below which 99 of 100 lie.
struct Spread {
  let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  var median: Double { at(0.5) }
  var p99: Double { at(0.99) }

  private func at(_ share: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }
}
