/// Metrics in the Prometheus text format, version 0.0.4.
///
/// Source: Prometheus documentation, "Exposition formats". Families come out in the order they were begun.
public struct MetricsText: Sendable {
  /// The `Content-Type` of the format.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// What a family's values mean.
  public enum Kind: String, Sendable {
    /// Only grows, until a restart.
    case counter
    /// Goes up and down.
    case gauge
    /// Buckets, a sum and a count.
    case histogram
  }

  /// The text so far.
  public private(set) var text = ""

  /// Creates an empty text.
  public init() {}

  /// Adds a family of values.
  ///
  /// - Parameters:
  ///   - name: Letters, digits, `_` and `:`; any other character becomes `_`.
  ///   - help: One sentence.
  ///   - samples: A value for each set of labels; label values may be any text.
  public mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    let name = begin(name, kind, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  /// Adds a family of one value without labels.
  public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [(labels: [], value: value)])
  }

  /// Adds a histogram.
  ///
  /// - Parameters:
  ///   - buckets: For each upper bound, in rising order, how many values are at most that; the last one, `+Inf`, is added.
  ///   - sum: The sum of all values.
  ///   - count: How many values there are.
  public mutating func addHistogram(
    _ name: String, _ help: String, labels: [(String, String)] = [], buckets: [(bound: Double, count: Int)],
    sum: Double, count: Int
  ) {
    let name = begin(name, .histogram, help)
    for bucket in buckets {
      line(name + "_bucket", labels + [("le", MetricsText.number(bucket.bound))], Double(bucket.count))
    }
    line(name + "_bucket", labels + [("le", "+Inf")], Double(count))
    line(name + "_sum", labels, sum)
    line(name + "_count", labels, Double(count))
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) -> String {
    let name = MetricsText.name(name)
    text += "# HELP \(name) \(MetricsText.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    return name
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let list = labels.map { "\(MetricsText.name($0.0))=\"\(MetricsText.escaped($0.1, quotes: true))\"" }
    let braced = list.isEmpty ? "" : "{\(list.joined(separator: ","))}"
    text += "\(name)\(braced) \(MetricsText.number(value))\n"
  }

  private static func name(_ text: String) -> String {
    let allowed = text.unicodeScalars.map { scalar -> Character in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", ":": Character(scalar)
      default: "_"
      }
    }
    return allowed.first?.isNumber == false ? String(allowed) : "_" + String(allowed)
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }
}
