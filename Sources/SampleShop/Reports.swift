import FoundationEssentials

/// The reports that have come, on disk as lines `{"idempotency_key": …, "report": …}`.
actor Reports {
  /// What became of a report.
  enum Receipt { case new, known, failed }

  private let path: String
  private let files: ShopFiles
  private var keys: Set<String> = []
  private var lines: [[UInt8]] = []

  private struct Line: Decodable {
    var key: String
    enum CodingKeys: String, CodingKey { case key = "idempotency_key" }
  }

  init(path: String, files: ShopFiles) {
    self.path = path
    self.files = files
  }

  /// Reads what earlier runs have taken.
  func load() async {
    let bytes = await files.contents(path) ?? []
    for line in bytes.split(separator: 0x0A) {
      guard let known = try? JSONDecoder().decode(Line.self, from: Data(line)) else { continue }
      keys.insert(known.key)
      lines.append(Array(line))
    }
  }

  /// Takes a report, one JSON object; one whose key is known is not taken again.
  func take(_ report: [UInt8], key: String) async -> Receipt {
    guard keys.insert(key).inserted else { return .known }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    guard let quoted = try? encoder.encode(key) else { return .failed }
    // A line break in JSON stands between values only.
    let body = report.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    let line =
      Array("{\"idempotency_key\":".utf8) + [UInt8](quoted) + Array(",\"report\":".utf8) + body
      + Array("}".utf8)
    guard await files.append(line, to: path) else {
      keys.remove(key)
      return .failed
    }
    lines.append(line)
    return .new
  }

  /// All reports as one JSON array.
  var all: [UInt8] {
    [UInt8(ascii: "[")] + Array(lines.joined(separator: [UInt8(ascii: ",")])) + Array("]\n".utf8)
  }
}
