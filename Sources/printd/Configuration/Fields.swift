import ESCPOS

/// The keys of one object of the configuration, read strictly: each fault has its path.
struct Fields<Key: CodingKey & CaseIterable & RawRepresentable> where Key.RawValue == String {
  let container: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder, _: Key.Type) throws {
    try decoder.refuseUnknownKeys(known: Key.allCases.map(\.rawValue))
    container = try decoder.container(keyedBy: Key.self)
  }

  func read<Value: Decodable>(_ key: Key, into value: inout Value) throws {
    if let found = try container.decodeIfPresent(Value.self, forKey: key) { value = found }
  }

  func read<Value: Decodable>(_ key: Key, into value: inout Value?) throws {
    value = try container.decodeIfPresent(Value.self, forKey: key)
  }

  func read(_ key: Key, into value: inout Double, in range: ClosedRange<Double>) throws {
    let fault = fault(key, "must be from \(range.lowerBound.short) to \(range.upperBound.short)")
    guard let found = try number(key, or: fault) else { return }
    guard range.contains(found) else { throw fault }
    value = found
  }

  func read(_ key: Key, into value: inout Int, in range: ClosedRange<Int>) throws {
    let fault = fault(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    guard let found = try number(key, or: fault) else { return }
    guard let whole = Int(exactly: found), range.contains(whole) else { throw fault }
    value = whole
  }

  /// A whole number, or nil when the key is not there.
  func whole(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
    guard container.contains(key) else { return nil }
    var value = range.lowerBound
    try read(key, into: &value, in: range)
    return value
  }

  /// A number; where it is none that can be held the decoder names no place, so `fault` is thrown instead.
  private func number(_ key: Key, or fault: DecodingError) throws -> Double? {
    do {
      return try container.decodeIfPresent(Double.self, forKey: key)
    } catch DecodingError.typeMismatch(let type, let context) {
      throw DecodingError.typeMismatch(type, context)
    } catch {
      throw fault
    }
  }

  func word(_ key: Key) throws -> String {
    let word = try container.decode(String.self, forKey: key)
    guard !word.isEmpty, word.utf8.count <= 64,
      word.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x2F })
    else { throw fault(key, "must be a word of 1 to 64 characters without spaces and slashes") }
    return word
  }

  func choice<Value: RawRepresentable & CaseIterable>(_ key: Key, _: Value.Type) throws -> Value
  where Value.RawValue == String {
    let word = try container.decode(String.self, forKey: key)
    guard let value = Value(rawValue: word) else {
      let words = Value.allCases.map(\.rawValue)
      let hint = nearestWord(to: word, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
      throw fault(key, "must be one of \(words.joined(separator: ", "))\(hint)")
    }
    return value
  }

  func fault(_ key: Key, _ message: String) -> DecodingError {
    .dataCorruptedError(forKey: key, in: container, debugDescription: message)
  }
}

extension Double {
  /// The number as people write it: `10`, not `10.0`.
  var short: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
