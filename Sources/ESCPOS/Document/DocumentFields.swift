/// The fields of one object of a document, read strictly: each fault names its path and what would be right.
///
/// All faults are thrown as `DecodingError`; ``DocumentFault/init(_:)`` puts them into words.
public struct DocumentFields {
  /// How a field whose value is `null` is read.
  public enum Null: Sendable {
    /// As a value of the wrong type: our own documents.
    case refused
    /// As if the field were missing: other people's documents.
    case absent
  }

  /// Where the object stands.
  public let codingPath: [any CodingKey]
  private let container: KeyedDecodingContainer<AnyKey>
  private let null: Null

  /// Opens the object that `decoder` stands at.
  ///
  /// - Parameters:
  ///   - keys: The keys that the object may have, or nil when it may carry more than is read.
  ///   - null: How `null` is read.
  public init(_ decoder: any Decoder, keys: [String]? = nil, null: Null = .refused) throws {
    if let keys { try decoder.refuseUnknownKeys(known: keys) }
    self.container = try decoder.container(keyedBy: AnyKey.self)
    self.codingPath = decoder.codingPath
    self.null = null
  }

  /// Whether the field is there.
  public func has(_ key: String) -> Bool {
    let key = AnyKey(key)
    guard container.contains(key) else { return false }
    guard null == .absent else { return true }
    return (try? container.decodeNil(forKey: key)) != true
  }

  /// The fault at a field, to be thrown.
  public func fault(_ key: String, _ message: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath + [AnyKey(key)], debugDescription: message))
  }

  /// A field of any decodable type; a missing one is a fault.
  public func value<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value {
    guard has(key) else {
      throw DecodingError.keyNotFound(
        AnyKey(key), .init(codingPath: codingPath, debugDescription: "is missing"))
    }
    return try container.decode(Value.self, forKey: AnyKey(key))
  }

  /// A field of any decodable type, or nil when it is missing.
  public func optional<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value? {
    has(key) ? try value(key, as: Value.self) : nil
  }

  /// A string of `bytes` bytes of UTF-8; a missing one is a fault.
  public func string(_ key: String, bytes: ClosedRange<Int>) throws -> String {
    let text = try value(key, as: String.self)
    let count = text.utf8.count
    guard count <= bytes.upperBound else {
      throw fault(key, "is too long: \(count) bytes, at most \(bytes.upperBound) are allowed")
    }
    guard count >= bytes.lowerBound else { throw fault(key, "must not be empty") }
    return text
  }

  /// A string of at most `bytes` bytes of UTF-8, or nil when it is missing.
  public func optionalString(_ key: String, bytes: ClosedRange<Int>) throws -> String? {
    has(key) ? try string(key, bytes: bytes) : nil
  }

  /// A whole number in `range`, or nil when it is missing.
  public func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
    guard has(key) else { return nil }
    let expected = "expected a whole number from \(range.lowerBound) through \(range.upperBound)"
    // A decoder may refuse a number that is not whole with an error that has no path.
    guard let number = try? value(key, as: Int.self) else { throw fault(key, expected) }
    guard range.contains(number) else { throw fault(key, "\(expected), found \(number)") }
    return number
  }

  /// A whole number in `range`, or `standard` when it is missing.
  public func integer(_ key: String, in range: ClosedRange<Int>, default standard: Int) throws -> Int {
    try integer(key, in: range) ?? standard
  }

  /// True or false; false when it is missing.
  public func flag(_ key: String) throws -> Bool {
    try optional(key, as: Bool.self) ?? false
  }

  /// One of the words of `Word`, or nil when it is missing.
  public func word<Word>(_ key: String, as type: Word.Type = Word.self) throws -> Word?
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    guard has(key) else { return nil }
    let words = Word.allCases.map(\.rawValue)
    let expected = "expected one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
    guard let found = try? value(key, as: String.self) else { throw fault(key, expected) }
    guard let word = Word(rawValue: found) else {
      let hint = nearestWord(to: found, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
      throw fault(key, expected + hint)
    }
    return word
  }

  /// One of the words of `Word`, or `standard` when it is missing.
  public func word<Word>(_ key: String, default standard: Word) throws -> Word
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    try word(key) ?? standard
  }

  /// A list of `Element`s with at most `limit` of them, or nil when it is missing; the path of a fault in it ends
  /// with the element's index.
  public func list<Element: Decodable>(
    _ key: String, of type: Element.Type = Element.self, limit: Int
  ) throws -> [Element]? {
    guard has(key) else { return nil }
    var container = try self.container.nestedUnkeyedContainer(forKey: AnyKey(key))
    var elements: [Element] = []
    if let count = container.count { elements.reserveCapacity(min(count, limit)) }
    while !container.isAtEnd {
      guard elements.count < limit else { throw fault(key, "is too long: at most \(limit) are allowed") }
      elements.append(try container.decode(Element.self))
    }
    return elements
  }
}

extension KeyedEncodingContainer where Key == AnyKey {
  /// Writes a field, unless its value is the one that a reader assumes anyway.
  mutating func encode<Value: Encodable & Equatable>(
    _ value: Value, as key: String, unless standard: Value? = nil
  ) throws {
    guard value != standard else { return }
    try encode(value, forKey: AnyKey(key))
  }
}
