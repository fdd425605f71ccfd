import FoundationEssentials
import PrintJobs

/// What is checked of an order before anybody reads it: that it is one whole JSON object.
enum OrderDocument {
  /// The longest order that is taken, in bytes.
  static let limit = 1 << 20

  private struct AnyObject: Decodable {
    enum CodingKeys: CodingKey {}

    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
  }

  /// Whether `bytes` are one JSON object and nothing more.
  static func isObject(_ bytes: [UInt8]) -> Bool {
    (try? JSONDecoder().decode(AnyObject.self, from: Data(bytes))) != nil
  }

  /// Why an id cannot be asked for, or nil.
  static func fault(ofID id: String) -> String? {
    guard (1...200).contains(id.utf8.count) else { return "an order id has 1 through 200 bytes" }
    guard id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      return "an order id has no control characters"
    }
    // Servers and file systems take these for places, however they are encoded.
    guard id != ".", id != ".." else { return "an order id is not . or .." }
    return nil
  }

  /// A report as JSON with sorted keys; with its idempotency key where the transport has no other place for it.
  static func encoded(_ report: Report, withKey: Bool) throws(OrderServiceError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      let line = Line(report: report, key: withKey ? report.idempotencyKey : nil)
      return [UInt8](try encoder.encode(line))
    } catch {
      throw OrderServiceError(.refused, "the report cannot be written as JSON: \(error)")
    }
  }

  private struct Line: Encodable {
    var report: Report
    var key: String?

    enum CodingKeys: String, CodingKey { case key = "idempotency_key" }

    func encode(to encoder: any Encoder) throws {
      try report.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(key, forKey: .key)
    }
  }
}
