import PrintJobs

/// A timeline for people.
enum TimelineView {
  /// The steps that have happened, in order, with milliseconds after the wake was accepted.
  static func steps(_ timeline: Timeline) -> [(name: String, milliseconds: Double)] {
    let all: [(String, Double?)] = [
      ("received", timeline.received), ("fetched", timeline.fetched), ("connected", timeline.connected),
      ("first byte", timeline.firstByte), ("fence", timeline.fence), ("reported", timeline.reported),
      ("completed", timeline.completed),
    ]
    return all.compactMap { name, time in time.map { (name, $0) } }
  }

  /// `received 0.4 ms · fetched 1.9 ms · …`
  static func line(_ timeline: Timeline) -> String {
    steps(timeline).map { "\($0.name) \(milliseconds($0.milliseconds))" }.joined(separator: " · ")
  }

  /// A time with one decimal.
  static func milliseconds(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return "?" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10)) ms"
  }
}
