/// The fields of one object of our own documents: unknown keys are refused, and numbers must be in their
/// range.
struct StrictFields<Key: CodingKey & CaseIterable> {
  private let container: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder, _ keys: Key.Type) throws {
    try decoder.refuseUnknownKeys(known: Key.allCases.map(\.stringValue))
    container = try decoder.container(keyedBy: keys)
  }

  func required<Value: Decodable>(_ key: Key) throws -> Value {
    try container.decode(Value.self, forKey: key)
  }

  func optional<Value: Decodable>(_ key: Key) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  func required(_ key: Key, in range: ClosedRange<Int>, unit: String) throws -> Int {
    let value: Int = try required(key)
    let suffix = unit.isEmpty ? "" : " \(unit)"
    try check(key, range.contains(value), "expected \(range.lowerBound) through \(range.upperBound)\(suffix)")
    return value
  }

  func check(_ key: Key, _ holds: Bool, _ message: String) throws {
    guard !holds else { return }
    throw DecodingError.dataCorrupted(
      .init(codingPath: container.codingPath + [key], debugDescription: message))
  }
}
